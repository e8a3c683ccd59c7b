"""The commands for authors, as they type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run
from tests.grading.original import add_original
from tests.helpers import add_competition


def test_selfcheck_skips_the_originals_format_and_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = tmp_path / "competitions"
    add_original(folders, tmp_path / "data", "theirs")
    add_competition(folders, "mine")
    command = f"mlebench selfcheck theirs mine --competitions-dir {folders}"
    shown = run(command, monkeypatch, capfd)
    assert shown.code == 0
    assert "skipped" in shown.stdout
    assert "in the original's format" in shown.stdout
    told = run(f"{command} --json", monkeypatch, capfd)
    assert [outcome["note"] == "" for outcome in json.loads(told.stdout)] == [False, True]


def test_new_competition_knows_its_kinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command = f"mlebench new-competition mine --dir {tmp_path} --kind"
    refused = run(f"{command} video", monkeypatch, capfd)
    assert refused.code == 2
    assert "'video' is not one of 'table', 'image', 'ranking', 'text'" in refused.stderr
    made = run(f"{command} ranking --json", monkeypatch, capfd)
    told = json.loads(made.stdout)
    assert told["kind"] == "ranking"
    assert told["files"] == ["competition.yaml", "description.md", "fixture.py", "task.py"]
    assert "TokenList" in (tmp_path / "mine" / "task.py").read_text()
