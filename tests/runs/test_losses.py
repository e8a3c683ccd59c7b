"""Runs that are lost, and what becomes of those beside them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mlebench.data.inventory import remove_parts
from mlebench.errors import BusyError, ConfigError, LedgerError, NotPreparedError, SandboxError
from mlebench.runs.attempt import Assignment, Attempt
from mlebench.runs.executors import LocalExecutor
from mlebench.runs.snapshots import Snapshots
from mlebench.runs.state import RunState
from mlebench.runs.verifying import verify
from mlebench.sandbox.choosing import make_sandbox
from tests.runs.conftest import COMPETITION, Runs

SUBMITS_AND_HANGS_ONCE = """
import os, pathlib, shutil, time
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
shutil.copy(data / "sample_submission.csv", folder / "submission.csv")
mark = pathlib.Path({mark!r})
if not mark.exists():
    mark.touch()
    time.sleep(3600)
"""


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.05)


def test_a_room_that_was_ended_from_outside_is_tried_again(runs: Runs) -> None:
    mark = runs.folder / "mark"
    agent = runs.agent("a", SUBMITS_AND_HANGS_ONCE.format(mark=str(mark)))
    campaign = runs.campaign(agent)
    group = campaign.open_group()
    (run,) = group.state.runs()

    def end() -> None:
        wait_for(mark)
        make_sandbox("process").clear_up([run.run_id])

    thread = threading.Thread(target=end)
    thread.start()
    campaign.run(group, lambda run: None)
    thread.join()
    (run,) = group.state.runs()
    assert (run.status, run.cause, run.attempts) == ("graded", "finished", 2)
    assert verify(group).faults == ()


class Failing(LocalExecutor):
    """Fails in the first run while another one is under way, which then looks whether it may."""

    def __init__(self, cache: Path, error: Exception) -> None:
        super().__init__(2, cache)
        self.error = error
        self.other_has_begun, self.has_failed = threading.Event(), threading.Event()

    def run(
        self,
        assignment: Assignment,
        folder: Path,
        doors: Mapping[int, Path],
        stop: threading.Event,
        on_begin: Callable[[], None],
    ) -> Attempt | None:
        if assignment.environment["SEED"] == "0":
            on_begin()
            assert self.other_has_begun.wait(60)
            self.has_failed.set()
            raise self.error
        self.other_has_begun.set()
        assert self.has_failed.wait(60)
        stop.wait(1)  # in vain
        return super().run(assignment, folder, doors, stop, on_begin)


def test_a_run_that_lacks_its_data_waits_and_those_beside_it_go_on(runs: Runs) -> None:
    agent = runs.agent("a", "pass")
    campaign = runs.campaign(agent, seeds=3)
    group = campaign.open_group()
    executor = Failing(runs.folder / "cache", NotPreparedError("The data are gone."))
    with pytest.raises(NotPreparedError, match="gone"):
        campaign.run(group, lambda run: None, executor)
    first, *others = group.state.runs()
    assert (first.status, first.attempts, first.message) == ("waiting", 0, "The data are gone.")
    assert {(run.status, run.cause) for run in others} == {("graded", "no_submission")}
    assert group.report_path.exists()
    assert runs.run(agent, seeds=3).folder == group.folder
    assert group.state.run(first.run_id).status == "graded"
    assert verify(group).faults == ()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("of ours")])
def test_whatever_goes_wrong_in_a_run_stops_no_other(runs: Runs, error: Exception) -> None:
    campaign = runs.campaign(runs.agent("a", "pass"), seeds=2)
    group = campaign.open_group()
    campaign.run(group, lambda run: None, Failing(runs.folder / "cache", error))
    first, other = group.state.runs()
    assert (first.status, first.cause, first.attempts) == ("failed", "infrastructure", 3)
    assert first.message == f"{type(error).__name__}: {error}"
    assert (other.status, other.cause) == ("graded", "no_submission")
    assert verify(group).faults == ()


class Losing(LocalExecutor):
    """Has no room for anybody."""

    def run(self, *_: object) -> Attempt:  # type: ignore[override]
        raise SandboxError("There is no room.")


def test_what_was_lost_is_not_tried_again_at_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.runs.desk.PAUSE_SECONDS", 3600.0)
    campaign = runs.campaign(runs.agent("a", "pass"))
    group = campaign.open_group()

    def stop(run: RunState) -> None:
        if run.cause == "infrastructure":
            (group.folder / ".stop").touch()

    campaign.run(group, stop, Losing(1, runs.folder / "cache"))
    (run,) = group.state.runs()
    assert (run.status, run.attempts) == ("waiting", 1)


def test_what_is_running_ends_by_itself_when_the_record_cannot_be_kept(runs: Runs) -> None:
    campaign = runs.campaign(runs.agent("a", "pass"), seeds=2)
    group = campaign.open_group()
    executor = Failing(runs.folder / "cache", LedgerError("The disk is full."))
    with pytest.raises(LedgerError, match="full"):
        campaign.run(group, lambda run: None, executor)
    first, other = group.state.runs()
    assert first.status == "running"
    assert (other.status, other.cause) == ("graded", "no_submission")


def test_what_a_full_disk_has_no_place_for_is_left_out(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(_: Snapshots) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Snapshots, "look", look)
    group = runs.run(runs.agent("a", "pass"))
    (run,) = group.state.runs()
    assert (run.status, run.cause, run.attempts) == ("graded", "no_submission", 1)


def test_data_are_not_removed_while_runs_use_them(runs: Runs) -> None:
    competition = runs.registry.get_competition(COMPETITION)
    refused: list[str] = []

    def remove(run: RunState) -> None:
        if run.status == "running":
            with pytest.raises(BusyError) as caught:
                remove_parts(competition, ["prepared"])
            refused.append(str(caught.value))

    campaign = runs.campaign(runs.agent("a", "pass"))
    group = campaign.open_group()
    campaign.run(group, remove)
    assert "used by runs" in refused[0]
    assert [run.status for run in group.state.runs()] == ["graded"]


def test_an_agent_that_is_edited_meanwhile_does_no_further_run(runs: Runs) -> None:
    agent = runs.agent("a", "pass")
    campaign = runs.campaign(agent, seeds=2)
    group = campaign.open_group()
    script = runs.agents / agent / "agent.py"

    def edit(run: RunState) -> None:
        if run.status == "graded":
            script.write_text("print('better')")

    with pytest.raises(ConfigError, match="was changed since this command began"):
        campaign.run(group, edit)
    assert [run.status for run in group.state.runs()] == ["graded", "waiting"]
    script.write_text("pass")
    assert runs.run(agent, seeds=2).folder == group.folder
    assert [run.status for run in group.state.runs()] == ["graded", "graded"]
