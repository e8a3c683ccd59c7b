"""The state of runs: what a call has changed is on the disk, for every other process."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.errors import ConfigError, UnwritableFolderError
from mlebench.runs.group import RunGroup
from mlebench.runs.overviews import write_metadata
from mlebench.runs.resuming import find_unfinished
from mlebench.runs.specification import Specification
from mlebench.runs.state import RunState, StateFile
from mlebench.runs.summary import summaries_in
from tests.command import run

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


def test_a_full_disk_is_told_as_one(state: StateFile) -> None:
    with sqlite3.connect(state._path) as other:
        (size,) = other.execute("PRAGMA page_count").fetchone()
    state._connection.execute(f"PRAGMA max_page_count = {size}")
    with pytest.raises(UnwritableFolderError, match="the disk is full"):
        state.set_fact("long", "x" * 100_000)
    assert state.fact("long") is None


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE runs (name TEXT)")
        other.execute("CREATE TABLE facts (name TEXT, value TEXT)")


def _no_json(path: Path) -> None:
    with sqlite3.connect(path) as state:
        state.execute("UPDATE facts SET value = '{'")


def _no_report(path: Path) -> None:
    with sqlite3.connect(path) as state:
        state.execute("UPDATE runs SET report = '5'")


DAMAGES = (_empty, _garbage, _cut, _foreign, _no_json, _no_report)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_by_its_name(
    state: StateFile, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    state.close()
    path = tmp_path / "state.sqlite"
    damage(path)
    with pytest.raises(ConfigError, match=r"state\.sqlite cannot be used"):
        StateFile(path).runs()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_group_does_not_hide_the_others(
    tmp_path: Path,
    damage: Callable[[Path], None],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    specification = Specification("a", "d", ("c",), 1, "v1", "process")
    good, bad = (RunGroup.create(tmp_path, name, specification, {}) for name in "ab")
    bad.state.close()
    damage(bad.folder / "state.sqlite")
    found = find_unfinished(tmp_path, specification)
    assert found is not None
    assert found.folder == good.folder
    assert str(bad.folder) in caplog.text
    listed = {one["run_group"]: one["status"] for one in summaries_in(tmp_path)}
    assert listed == {good.name: "unfinished", bad.name: "damaged"}
    shown = run(f"mlebench runs list --runs-dir {tmp_path}", monkeypatch, capfd)
    assert shown.code == 0
    assert "damaged" in shown.stdout


def test_a_group_that_was_removed_meanwhile_is_told(tmp_path: Path) -> None:
    group = RunGroup.create(tmp_path, "a", Specification("a", "d", ("c",), 1, "v1", "process"), {})
    (run,) = group.state.runs()
    shutil.rmtree(group.folder)
    with pytest.raises(ConfigError, match=r"is gone: somebody"):
        group.state.update(run.run_id, status="running")
    with pytest.raises(ConfigError, match=r"is gone: somebody"):
        write_metadata(group, "0")
