"""Groups that are told to stop, at any moment."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mlebench.errors import CannotStartError
from mlebench.runs.cluster.node import Errand
from mlebench.runs.cluster.ray_executor import RayExecutor
from mlebench.runs.desk import Desk
from mlebench.runs.grading import Grader
from mlebench.runs.state import RunState
from mlebench.runs.verifying import verify
from tests.runs.conftest import Runs

IMPROVES = """
import os, pathlib, time
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
sample = (data / "sample_submission.csv").read_text()
(folder / "submission.csv").write_text(sample)
while not any((folder.parent.parent / "snapshots").glob("0000_*s.csv")):
    time.sleep(0.05)
(folder / "submission.csv").write_text(sample.replace("False", "True"))
"""


@pytest.fixture
def improving(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> str:
    """An agent of whose submission there are two snapshots."""
    monkeypatch.setattr("mlebench.runs.snapshots.LOOK_SECONDS", 0.05)
    return runs.agent("a", IMPROVES)


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def wait_until(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return True


def points_of(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "report.json").read_text())["snapshots"]
    return found


def test_whoever_stops_a_group_does_not_wait_for_its_snapshots(
    runs: Runs, improving: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = runs.campaign(improving)
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
    first, last = points_of(group.run_folder(run.run_id))
    assert (first["status"], first["score"]) == ("not_graded", None)
    assert (last["status"], last["score"]) == ("graded", run.report["score"])
    assert verify(group).faults == ()


def test_nothing_is_said_to_be_wrong_with_what_is_interrupted_while_it_is_graded(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = runs.campaign(runs.agent("a", "pass"))
    group = campaign.open_group()
    halted = threading.Event()
    halt = Desk._halt

    def tell(desk: Desk) -> None:
        halt(desk)
        halted.set()

    def interrupt(grader: Grader, competition_id: str, path: Path) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        assert halted.wait(60)
        raise CannotStartError("The process ended by signal SIGKILL.")

    monkeypatch.setattr(Desk, "_halt", tell)
    with monkeypatch.context() as patched:
        patched.setattr(Grader, "grade", interrupt)
        with pytest.raises(KeyboardInterrupt):
            campaign.run(group, lambda run: None)
    assert "SIGKILL" not in caplog.text
    assert "SIGKILL" not in (group.state.runs()[0].message or "")
    campaign.run(group, lambda run: None)
    assert group.state.runs()[0].status == "graded"


def test_a_run_that_waits_for_a_card_waits_on_when_its_group_is_stopped(runs: Runs) -> None:
    agent = runs.agent("a", "import time; print('here', flush=True); time.sleep(3600)")
    campaign = runs.campaign(agent, seeds=2, workers=2, gpus=(0,), limits={"gpus": 1})
    group = campaign.open_group()

    def stop(run: RunState) -> None:
        threading.Thread(target=stop_when_begun, args=(run,)).start()

    def stop_when_begun(run: RunState) -> None:
        log = group.run_folder(run.run_id) / "run.log"
        if run.status == "running" and wait_until(lambda: "here" in read(log)):
            (group.folder / ".stop").touch()

    campaign.run(group, stop)
    states = sorted((run.status, run.cause, run.attempts) for run in group.state.runs())
    assert states == [("graded", "stopped", 1), ("waiting", None, 0)]
    assert verify(group).faults == ()


class FullCluster:
    """Stands for Ray where no node has room for anybody."""

    def __init__(self) -> None:
        self.util = SimpleNamespace(get_node_ip_address=lambda: "127.0.0.1")
        self.cancelled: list[object] = []

    def remote(self, **_: object) -> Callable[[object], Any]:
        return lambda _: SimpleNamespace(remote=lambda errand: errand)

    def wait(self, promised: list[object], timeout: float) -> tuple[list[object], list[object]]:
        return [], promised

    def cancel(self, promised: object, *, force: bool) -> None:
        self.cancelled.append(promised)

    def nodes(self) -> list[dict[str, object]]:
        return [{"Alive": True, "Resources": {"CPU": 64.0, "memory": 1e12}}]

    def shutdown(self) -> None: ...


def test_a_run_that_waits_for_a_node_is_not_running(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = FullCluster()
    monkeypatch.setattr("mlebench.runs.cluster.ray_executor.connect", lambda address: ray)
    campaign = runs.campaign(runs.agent("a", "pass"))
    group = campaign.open_group()
    executor = RayExecutor(None, 1)
    start = executor._start

    def start_and_stop(errand: Errand) -> Any:
        (group.folder / ".stop").touch()
        assert group.state.runs()[0].status == "waiting"
        return start(errand)

    monkeypatch.setattr(executor, "_start", start_and_stop)
    campaign.run(group, lambda run: None, executor)
    (run,) = group.state.runs()
    assert (run.status, run.cause, run.attempts) == ("waiting", None, 0)
    assert len(ray.cancelled) == 1


def test_snapshots_take_no_more_than_their_time(
    runs: Runs, improving: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.runs.grading.MOST_SECONDS", 0.0)
    group = runs.run(improving)
    (run,) = group.state.runs()
    assert run.report is not None
    assert run.report["status"] == "graded"
    points = points_of(group.run_folder(run.run_id))
    assert [point["status"] for point in points] == ["not_graded", "graded"]


def test_whoever_is_killed_before_the_report_is_written_gets_it_from_the_same_command(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = runs.campaign(runs.agent("a", "pass"))
    group = campaign.open_group()
    with monkeypatch.context() as patched:
        patched.setattr("mlebench.runs.scheduler.conclude", _die)
        with pytest.raises(KeyboardInterrupt):
            campaign.run(group, lambda run: None)
    assert not group.report_path.exists()
    again = campaign.open_group()
    assert again.folder == group.folder
    campaign.run(again, lambda run: None)
    assert group.report_path.is_file()
    assert campaign.open_group().folder != group.folder


def _die(group: object) -> None:
    raise KeyboardInterrupt
