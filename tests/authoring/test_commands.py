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
