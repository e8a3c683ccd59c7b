"""How `mlebench run` ends: scripts and clusters look at nothing but its exit code."""

from __future__ import annotations

from typing import get_args

import pytest

from mlebench.runs.outcomes import exit_code_of_runs
from mlebench.runs.state import RunState
from mlebench.sandbox.room import Cause
from tests.command import run
from tests.runs.conftest import COMPETITION, Runs

GOOD = ("graded", "finished", "graded")


def of(*runs: tuple[str, str | None, str | None], is_graded: bool = True) -> int:
    """The exit code for runs that have a status, a cause and the status of a report."""
    states = [
        RunState(
            f"r{place}",
            place,
            "c",
            0,
            status,
            cause=cause,
            report=told and {"status": told},  # type: ignore[arg-type]
        )
        for place, (status, cause, told) in enumerate(runs)
    ]
    return exit_code_of_runs(states, is_graded=is_graded)


def test_the_gravest_end_of_a_run_decides() -> None:
    lost = ("failed", "infrastructure", None)
    waits_for_data = ("ended", "finished", None)
    fails = ("graded", "agent_error", "graded")
    submits_nothing = ("graded", "no_submission", "no_submission")
    invalid = ("graded", "finished", "invalid_submission")
    assert of(GOOD) == 0
    assert of(GOOD, submits_nothing, invalid) == 0
    assert of(submits_nothing, invalid) == 4
    assert of(("graded", "time_limit", "graded")) == 0
    assert of(("graded", "time_limit", "no_submission")) == 4
    assert of(GOOD, fails, submits_nothing) == 8
    assert of(GOOD, fails, waits_for_data) == 3
    assert of(GOOD, fails, waits_for_data, lost) == 6


@pytest.mark.parametrize("cause", ["out_of_memory", "too_many_processes", "disk_full"])
def test_whoever_uses_up_what_it_was_given_has_failed(cause: str) -> None:
    assert of(GOOD, ("graded", cause, "graded")) == 8


def test_without_grading_the_causes_decide() -> None:
    assert of(("ended", "finished", None), is_graded=False) == 0
    assert of(("ended", "no_submission", None), is_graded=False) == 4
    assert of(("ended", "agent_error", None), is_graded=False) == 8


def test_an_agent_that_fails_is_told_with_the_exit_code(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = runs.agent("fails", "import sys; sys.exit(3)")
    data = runs.registry.get_data_dir()
    monkeypatch.chdir(runs.folder)
    words = f"--agent {agent} -c {COMPETITION} --sandbox process --agents-dir agents"
    result = run(f"mlebench run {words} --data-dir {data}", monkeypatch, capfd)
    assert result.code == 8
    assert "1 agent_error (mlebench explain agent_error)" in result.stdout
    (name,) = (folder.name for folder in runs.folder.glob(f"runs/*/{COMPETITION}_*"))
    told = f"nothing was submitted (agent_error: mlebench runs logs latest {name})"
    assert f"  {COMPETITION}, seed 0  {told}\n" in result.stdout
    assert "submission.csv" not in result.stdout


def test_an_invalid_submission_is_told_once_with_its_run(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "import os; open(os.environ['SUBMISSION_DIR'] + '/submission.csv', 'w').write('a,b')"
    agent = runs.agent("wrong", script)
    monkeypatch.chdir(runs.folder)
    words = f"--agent {agent} -c {COMPETITION} --sandbox process --agents-dir agents"
    result = run(
        f"mlebench run {words} --data-dir {runs.registry.get_data_dir()}", monkeypatch, capfd
    )
    assert result.code == 4
    assert f"\n  {COMPETITION}, seed 0  " in result.stdout
    assert "submission.csv" not in result.stdout
    assert result.stderr.count("Invalid submission: ") == 1


@pytest.mark.parametrize("cause", [*get_args(Cause), "no_submission"])
def test_every_cause_is_explained(
    cause: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(f"mlebench explain {cause}", monkeypatch, capfd).code == 0


def test_a_machine_without_an_engine_is_no_wrong_usage(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{runs.folder}/nobody.sock")
    words = f"--agent dummy -c {COMPETITION} --sandbox container --runs-dir {runs.folder}/runs"
    data = runs.registry.get_data_dir()
    result = run(f"mlebench run {words} --data-dir {data}", monkeypatch, capfd)
    assert result.code == 6
    assert "No rooms of the kind container" in result.stderr
