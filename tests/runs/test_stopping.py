"""Groups that are told to stop, at any moment."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from mlebench.runs.desk import Desk
from mlebench.runs.grading import Grader
from mlebench.runs.verifying import verify
from tests.runs.conftest import Runs

SUBMITS = """
import os, pathlib, shutil
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
shutil.copy(data / "sample_submission.csv", folder / "submission.csv")
"""


def points_of(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "report.json").read_text())["snapshots"]
    return found


def test_whoever_stops_a_group_does_not_wait_for_its_snapshots(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = runs.campaign(runs.agent("a", SUBMITS))
    group = campaign.open_group()
    halted = threading.Event()
    halt, grade = Desk._halt, Grader.grade

    def tell(desk: Desk) -> None:
        halt(desk)
        halted.set()

    def stop_and_grade(grader: Grader, competition_id: str, path: Path) -> Any:
        (group.folder / ".stop").touch()
        assert halted.wait(60)
        return grade(grader, competition_id, path)

    monkeypatch.setattr(Desk, "_halt", tell)
    monkeypatch.setattr(Grader, "grade", stop_and_grade)
    campaign.run(group, lambda run: None)
    (run,) = group.state.runs()
    assert (run.status, run.cause) == ("graded", "finished")
    assert run.report is not None
    assert run.report["score"] is not None
    (point,) = points_of(group.run_folder(run.run_id))
    assert (point["status"], point["score"]) == ("not_graded", None)
    assert verify(group).faults == ()


def test_snapshots_take_no_more_than_their_time(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.runs.grading.MOST_SECONDS", 0.0)
    group = runs.run(runs.agent("a", SUBMITS))
    (run,) = group.state.runs()
    assert run.report is not None
    assert run.report["status"] == "graded"
    assert [point["status"] for point in points_of(group.run_folder(run.run_id))] == ["not_graded"]
