"""What people are told about runs: how each ended, and why."""

from __future__ import annotations

import logging

import pytest

from mlebench.runs.outcomes import sentences_on_ends, status_in_words
from mlebench.runs.state import RunState
from tests.command import run
from tests.runs.conftest import COMPETITION, HAS_ITS_GROUP_STOPPED, SUBMITS_NOTHING, Runs

SUBMITS_TOO_LITTLE = """
import os, pathlib
folder, data = (pathlib.Path(os.environ[name]) for name in ("SUBMISSION_DIR", "DATA_DIR"))
lines = (data / "sample_submission.csv").read_text().splitlines(keepends=True)
(folder / "submission.csv").write_text("".join(lines[:-1]))
"""


def ended(message: str | None, report: dict[str, object] | None = None, seed: int = 0) -> RunState:
    status = "graded" if report else "ended"
    return RunState(f"r{seed}", seed, "c", seed, status, message=message, report=report)


def test_a_graded_run_without_a_score_says_why() -> None:
    invalid = {"status": "invalid_submission", "error": {"code": "row_count"}}
    assert status_in_words(ended("x", invalid)) == "invalid_submission (row_count)"
    nothing = {"status": "no_submission", "error": {"code": "no_submission"}}
    assert status_in_words(ended("x", nothing)) == "no_submission"
    assert status_in_words(ended("x", {"status": "graded", "error": None})) == "graded"
    assert status_in_words(ended("x")) == "ended"


def test_the_same_reason_is_told_once() -> None:
    runs = [ended("It was too slow.", seed=seed) for seed in range(5)]
    runs += [ended("The agent finished."), ended(None), ended("It was stopped.")]
    assert sentences_on_ends(runs) == [
        "c (seed 0), c (seed 1), c (seed 2) and 2 more: It was too slow.",
        "c (seed 0): It was stopped.",
    ]


def test_a_run_that_was_ended_says_so_in_its_log_and_below_the_table(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    group = runs.run(runs.agent("a", HAS_ITS_GROUP_STOPPED))
    (state,) = group.state.runs()
    log = (group.run_folder(state.run_id) / "run.log").read_text()
    assert "completed" not in log
    told = "The run was stopped."
    assert log.splitlines()[-1].endswith(f"seconds. {told}")
    shown = run(f"mlebench runs status {group.folder}", monkeypatch, capfd).stdout
    assert f"spaceship-titanic (seed 0): {told}" in shown


def test_an_invalid_submission_is_seen_in_status_and_list(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    group = runs.run(runs.agent("a", SUBMITS_TOO_LITTLE))
    shown = run(f"mlebench runs status {group.folder} --wide", monkeypatch, capfd).stdout
    assert "invalid_submission (row_count)" in shown
    listed = run(f"mlebench runs list --runs-dir {runs.folder / 'runs'} --wide", monkeypatch, capfd)
    head, row = listed.stdout.splitlines()[:2]
    assert head.split()[2:5] == ["runs", "graded", "scored"]
    assert row.split()[2:5] == ["1", "1", "0"]


def test_going_on_is_said_and_what_keeps_a_command_from_it(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    agent = runs.agent("a", SUBMITS_NOTHING)
    begun = runs.campaign(agent, seeds=2).open_group()
    assert caplog.messages == []
    runs.campaign(agent, seeds=2).open_group()
    assert caplog.messages == [f"Going on with {begun.name}: 0 of 2 runs are done."]
    caplog.clear()
    (runs.agents / agent / "agent.py").write_text("print('better')")
    runs.campaign(agent, seeds=2, limits={"seconds": 60.0}).open_group()
    assert caplog.messages == [
        f"{begun.name} is unfinished, but was begun with other files of the agent and another time "
        "limit: a new group is begun."
    ]
    caplog.clear()
    runs.campaign(agent, seeds=2, begins_anew=True).open_group()
    runs.campaign(runs.agent("other", SUBMITS_NOTHING)).open_group()
    assert caplog.messages == []


def test_in_a_pipe_a_line_tells_of_each_run_that_begins_ends_and_is_graded(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = runs.agent("a", SUBMITS_TOO_LITTLE)
    result = run(
        f"mlebench run --agent {agent} -c {COMPETITION} --agents-dir {runs.agents} --sandbox "
        f"process --runs-dir {runs.folder / 'runs'} --data-dir {runs.registry.get_data_dir()}",
        monkeypatch,
        capfd,
    )
    told = [line.partition("] ")[2] or line for line in result.stderr.splitlines()]
    (name,) = [path.name for path in runs.folder.glob(f"runs/*/{COMPETITION}_*")]
    assert any(line.endswith("_a: 0 of 1 runs done") for line in told)
    lines = [line.partition(f"{name} (seed 0): ")[2] for line in told if "(seed 0): " in line]
    assert [line.partition(" after ")[0] for line in lines] == [
        *("running", "ended", "invalid_submission (row_count)"),
    ]


def test_rooms_without_walls_are_warned_of_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    where = f"--runs-dir {runs.folder / 'runs'} --data-dir {runs.registry.get_data_dir()}"
    given = f"-c {COMPETITION} --agent dummy --seeds 2 --sandbox process --no-grade {where}"
    outcome = run(f"mlebench run {given}", monkeypatch, capfd)
    assert outcome.code == 0
    assert outcome.stderr.count("no walls") == 1
