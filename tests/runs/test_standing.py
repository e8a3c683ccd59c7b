"""What people are told about groups: who is at work, what is left, and which run is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.cli.screen import Screen
from mlebench.runs.group import RunGroup
from mlebench.runs.specification import Specification
from tests.command import Result, run

Command = Callable[..., Result]
LONG_ID = "google-research-identify-contrails-reduce-global-warming"
TWO = ("spaceship-titanic", "spooky-author-identification")


@pytest.fixture
def mlebench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    """Runs ``mlebench runs ...`` on the groups of the test."""
    monkeypatch.setenv("MLEBENCH_RUNS_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return lambda words: run(f"mlebench runs {words}", monkeypatch, capfd)


@pytest.fixture
def group(tmp_path: Path) -> RunGroup:
    return begun(tmp_path, TWO, seeds=1)


def begun(folder: Path, competitions: tuple[str, ...], seeds: int) -> RunGroup:
    specification = Specification("a", "d", competitions, seeds, "v1", "process")
    return RunGroup.create(folder, "a", specification, {"conditions": {}})


def end(group: RunGroup, status: str, **facts: object) -> None:
    for found in group.state.runs():
        group.state.update(found.run_id, status=status, **facts)


@pytest.mark.parametrize(
    ("competition", "width"), [(TWO[1], 60), (LONG_ID, 80), (LONG_ID, 66), (TWO[0], 30)]
)
def test_the_score_is_shown_as_long_as_there_is_a_table(
    competition: str,
    width: int,
    tmp_path: Path,
    mlebench: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group = begun(tmp_path, (competition,), seeds=2)
    end(group, "graded", cause="too_many_processes", report={"score": 0.12345, "medal": "silver"})
    monkeypatch.setattr(Screen, "of", lambda stream: Screen(width, has_unicode=True))
    shown = mlebench("status").stdout
    assert shown.count("0.12345") == 2


def test_a_group_that_was_killed_does_not_look_alive(group: RunGroup, mlebench: Command) -> None:
    (first, _) = group.state.runs()
    group.state.update(first.run_id, status="running")
    left = "2 runs are waiting: the same `mlebench run` command goes on (without --new)."
    with group.at_work():
        assert "at work" in mlebench("list").stdout
        assert "running" in mlebench("status").stdout
        assert mlebench("retry").stdout == (
            "Nothing was lost; somebody is at work on its other runs.\n"
        )
        assert "has been asked to stop" in mlebench("stop").stdout
    (group.folder / ".run.lock").write_text("process 1 on a machine that was killed")
    assert "unfinished" in mlebench("list").stdout
    shown = mlebench("status").stdout
    assert "cut off" in shown
    assert "running" not in shown
    assert f"Nobody is at work on it; {left}" in shown
    assert mlebench("stop").stdout == f"Nobody is at work on it: {left}\n"
    assert mlebench("retry").stdout == f"Nothing was lost; {left}\n"
    assert '"is_at_work": false' in mlebench("status --json").stdout


def test_what_was_not_graded_is_told_with_how_to_grade_it(
    group: RunGroup, mlebench: Command
) -> None:
    end(group, "ended", cause="finished")
    left = "2 runs are not graded yet: the same `mlebench run` command grades (without "
    assert f"Nothing was lost; {left}" in mlebench("retry").stdout
    assert f"Nobody is at work on it; {left}" in mlebench("status").stdout


def test_what_is_retried_is_counted(group: RunGroup, mlebench: Command) -> None:
    end(group, "failed", cause="infrastructure")
    shown = mlebench(f"retry latest {TWO[0]}").stdout
    assert shown.startswith("What was lost is tried again (1); 1 run is waiting: ")


def test_a_run_that_is_none_is_told_also_of_a_finished_group(
    group: RunGroup, mlebench: Command
) -> None:
    end(group, "graded", report={})
    refused = mlebench("stop latest nonsense")
    assert refused.code == 2
    assert "There is no run 'nonsense'" in refused.stderr


def test_runs_are_named_by_beginnings_and_by_competitions(
    group: RunGroup, mlebench: Command
) -> None:
    for found in group.state.runs():
        group.run_folder(found.run_id).mkdir()
        (group.run_folder(found.run_id) / "run.log").write_text(f"log of {found.run_id}\n")
    first, second = (found.run_id for found in group.state.runs())
    for name in (first, first[:-30], TWO[0], "spa"):
        assert mlebench(f"logs latest {name}").stdout == f"log of {first}\n"
    assert second in mlebench(f"logs {group.name} {TWO[1]}").stdout
    refused = mlebench("logs latest sp")
    assert refused.code == 2
    assert f"'sp' may be any of 2 runs: {first} (seed 0), {second}" in refused.stderr
    assert mlebench("logs latest ''").code == 2


def test_the_logs_of_a_competition_are_those_of_all_its_runs(
    tmp_path: Path, mlebench: Command
) -> None:
    group = begun(tmp_path, TWO, seeds=2)
    for found in group.state.runs():
        group.run_folder(found.run_id).mkdir()
        (group.run_folder(found.run_id) / "run.log").write_text(f"seed {found.seed}\n")
    shown = mlebench(f"logs latest {TWO[0]}").stdout
    assert [line for line in shown.splitlines() if line.startswith("seed")] == ["seed 0", "seed 1"]
    assert mlebench(f"retry latest {TWO[0]}").code == 2


def test_a_run_without_its_group_is_told_where_it_belongs(
    group: RunGroup, mlebench: Command, tmp_path: Path
) -> None:
    (named, _) = (found.run_id for found in group.state.runs())
    for name in (named, TWO[0]):
        refused = mlebench(f"logs {name}")
        assert refused.code == 2
        assert f"as in: mlebench runs logs latest {name}" in refused.stderr
    begun(tmp_path, (LONG_ID,), seeds=1)
    assert f"mlebench runs logs {group.folder} {named}" in mlebench(f"logs {named}").stderr


@pytest.mark.parametrize("words", ["list", "status", "verify", "verify nonsense"])
def test_whoever_looks_into_the_wrong_folder_hears_of_others(words: str, mlebench: Command) -> None:
    shown = mlebench(words)
    assert "--runs-dir or MLEBENCH_RUNS_DIR" in shown.stdout + shown.stderr


def test_a_group_without_its_state_is_not_denied(group: RunGroup, mlebench: Command) -> None:
    with group.at_work() as ledger:
        ledger.add("group")
    group.state.close()
    (group.folder / "state.sqlite").unlink()
    assert "damaged" in mlebench("list").stdout
    for words, code in (("status", 2), (f"status {group.name}", 2), ("verify", 7)):
        refused = mlebench(words)
        assert refused.code == code
        assert "somebody has removed its state.sqlite" in refused.stderr
        assert "There are no run groups" not in refused.stderr
