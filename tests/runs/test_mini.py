"""Runs at competitions whose data come along: no answers to see, no mistaken medals."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from mlebench.runs.summary import summary_of
from tests.command import run
from tests.runs.conftest import Runs, needs_bwrap

COMPETITION = "mini-digits"
# Submits the sample, and says what of all that holds the answers it can read.
SPY = """
import json, os, shutil, sys
shutil.copy("/home/data/sample_submission.csv", "/home/submission/submission.csv")
found = {}
try:
    from sklearn.datasets import load_digits
    found["sklearn"] = len(load_digits().target)
except Exception as error:
    found["sklearn"] = type(error).__name__
found["files"] = [
    os.path.join(folder, name)
    for root in ("/usr", sys.prefix, sys.base_prefix, "/home/data")
    for folder, _, names in os.walk(root)
    for name in names
    if name.startswith("digits.csv") and os.path.getsize(os.path.join(folder, name))
]
print("FOUND", json.dumps(found))
"""
CHEAT = """
import shutil
shutil.copy({answers!r}, "../submission/submission.csv")
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    registry = Registry(tmp_path_factory.mktemp("mini") / "data", ())
    assert prepare(registry.get_competition(COMPETITION))
    return registry


@needs_bwrap
def test_a_room_with_the_hosts_packages_shows_no_answers(data: Registry, tmp_path: Path) -> None:
    runs = Runs(tmp_path, data)
    runs.agent("spy", SPY, "requirements: host\n")
    group = runs.run("spy", competitions=(COMPETITION,), sandbox="bwrap")
    (one,) = group.state.runs()
    assert one.report is not None, one
    assert one.report["leaderboard_of"] == "reference solutions"
    log = (group.run_folder(one.run_id) / "run.log").read_text()
    (line,) = [line for line in log.splitlines() if line.startswith("FOUND ")]
    found = json.loads(line.removeprefix("FOUND "))
    assert found["files"] == []
    assert isinstance(found["sklearn"], str)  # the name of an error, not a number of pictures


def test_groups_say_what_medals_are_worth(
    data: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    runs = Runs(tmp_path, data)
    answers = str(data.get_competition(COMPETITION).answers)
    runs.agent("cheat", CHEAT.format(answers=answers))  # there are no walls, so that it wins
    group = runs.run("cheat", competitions=(COMPETITION,))
    told = summary_of(group)
    assert (told["medals"], told["medals_by_reference"]) == (1, 1)
    folder = shlex.quote(str(tmp_path / "runs"))
    shown = run(f"mlebench runs status --runs-dir {folder}", monkeypatch, capfd).stdout
    assert f"reference solutions, not of teams: {COMPETITION}." in shown
    listed = run(f"mlebench runs list --runs-dir {folder}", monkeypatch, capfd).stdout
    assert "Of these medals, 1 by leaderboards of reference solutions, not teams." in listed


def test_where_there_is_no_medal_nobody_is_told_what_it_would_be_worth(
    data: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    group = Runs(tmp_path, data).run("dummy", competitions=(COMPETITION,))
    assert summary_of(group)["medals"] == 0
    shown = run(f"mlebench runs status {shlex.quote(str(group.folder))}", monkeypatch, capfd).stdout
    assert COMPETITION in shown
    assert "not of teams" not in shown
