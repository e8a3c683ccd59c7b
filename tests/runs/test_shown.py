"""What people are told about runs: how each ended, and why."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mlebench.runs.attempt import Assignment, Attempt
from mlebench.runs.executors import LocalExecutor
from mlebench.runs.outcomes import sentences_on_ends, status_in_words
from mlebench.runs.state import RunState
from tests.command import run
from tests.runs.conftest import SUBMITS_NOTHING, Runs

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


class StoppingAtOnce(LocalExecutor):
    """Stops its runs before the agent starts."""

    def run(
        self, assignment: Assignment, folder: Path, doors: object, stop: threading.Event
    ) -> Attempt:
        stop.set()
        return super().run(assignment, folder, doors, stop)  # type: ignore[arg-type]


def test_a_run_that_was_ended_says_so_in_its_log_and_below_the_table(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = runs.agent("a", SUBMITS_NOTHING)
    group = runs.run(agent, StoppingAtOnce(1, runs.folder / "cache"))
    (state,) = group.state.runs()
    log = (group.run_folder(state.run_id) / "run.log").read_text()
    assert "completed" not in log
    told = "The run was stopped before the agent started."
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
