"""The journal is written as far as there is room, and stays readable; its screen may be gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.agents.automl.automl.places import Places

from .conftest import FOLDER

BEGIN = """
import resource
from pathlib import Path
from automl.clock import Clock
from automl.journal import Journal
journal = Journal(Path("."), Clock(60))
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
"""


def _write(folder: Path, program: str, screen: int = subprocess.DEVNULL, **environment: str) -> int:
    """Let a program of its own write a journal into a folder."""
    return subprocess.run(
        [sys.executable, "-c", BEGIN + program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(FOLDER)} | environment,
        stdout=screen,
        check=False,
    ).returncode


@pytest.mark.parametrize("screen", ["full", "closed"])
def test_a_screen_that_takes_nothing_costs_nothing(screen: str, tmp_path: Path) -> None:
    if screen == "full":
        out = os.open("/dev/full", os.O_WRONLY)
    else:
        read, out = os.pipe()
        os.close(read)
    try:
        assert _write(tmp_path, "journal.note('one'); journal.note('two')", out) == 0
    finally:
        os.close(out)
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) == 2


def test_names_that_no_letters_are_for_can_be_told(tmp_path: Path) -> None:
    program = r"journal.note('unread', reason='caf\udce9 grö\u00dfe')"
    assert _write(tmp_path, program, PYTHONIOENCODING="ascii") == 0
    assert r"caf\udce9 größe" in (tmp_path / "journal.log").read_text()
    assert json.loads((tmp_path / "journal.jsonl").read_text())["reason"] == "caf\udce9 größe"


def test_what_does_not_fit_leaves_no_half_line(tmp_path: Path) -> None:
    program = """
journal.note("one")
limit(Path("journal.jsonl").stat().st_size + 20)
journal.note("two")
limit(resource.RLIM_INFINITY)
journal.note("three")
"""
    assert _write(tmp_path, program) == 0
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["one", "three"]


def test_where_nothing_temporary_can_be_written_a_hidden_folder_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    gone = str(tmp_path / "gone")
    places = Places.from_environment({"AGENT_DIR": gone, "LOGS_DIR": str(tmp_path)})
    assert places.scratch.parent == tmp_path
    assert places.scratch.name.startswith(".")
    places = Places.from_environment(
        {"AGENT_DIR": gone, "LOGS_DIR": gone, "SUBMISSION_DIR": str(tmp_path)}
    )
    assert places.scratch.parent == tmp_path
