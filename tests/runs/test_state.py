"""The state of runs: what a call has changed is on the disk, for every other process."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mlebench.errors import ConfigError
from mlebench.runs.state import RunState, StateFile

RUNS = [RunState(f"c{place}_x", place, f"c{place}", 0) for place in range(3)]


@pytest.fixture
def state(tmp_path: Path) -> StateFile:
    state = StateFile(tmp_path / "state.sqlite", must_exist=False)
    state.create({"digest": "d", "specification": {"seeds": 2}}, RUNS)
    return state


def test_runs_and_facts_are_kept(state: StateFile, tmp_path: Path) -> None:
    again = StateFile(tmp_path / "state.sqlite")
    assert again.runs() == RUNS
    assert again.fact("specification") == {"seeds": 2}
    assert again.fact("nothing") is None


def test_changes_are_seen_by_others_at_once(state: StateFile, tmp_path: Path) -> None:
    again = StateFile(tmp_path / "state.sqlite")
    state.update("c1_x", status="graded", report={"score": 0.25}, seconds=1.5)
    run = again.run("c1_x")
    assert (run.status, run.report, run.seconds) == ("graded", {"score": 0.25}, 1.5)
    assert run.is_final
    assert not again.run("c0_x").is_final


def test_threads_share_a_connection(state: StateFile) -> None:
    def count(run_id: str) -> None:
        for number in range(1, 31):
            state.update(run_id, attempts=number)

    threads = [threading.Thread(target=count, args=(run.run_id,)) for run in RUNS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.attempts for run in state.runs()] == [30, 30, 30]


def test_what_is_not_there_is_told(state: StateFile, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run 'other'"):
        state.run("other")
    with pytest.raises(ConfigError, match="is no run group"):
        StateFile(tmp_path / "elsewhere" / "state.sqlite")
