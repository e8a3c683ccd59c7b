"""Answers that come with packages are not to be seen in rooms."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.hiding import hidden_places
from mlebench.sandbox.room import PythonHome
from mlebench.settings import BUILT_IN_DIR
from tests.sandbox.rooms import Place, needs_bwrap

PACKAGES = "lib/python3.11/site-packages"
DIGITS = "sklearn/datasets/data/digits.csv.gz"
READ = """
import pathlib, sys
for text in sys.argv[1:]:
    path = pathlib.Path(text)
    inside = path.is_dir() and sorted(map(str, path.rglob('*')))
    print('FOUND', inside or path.is_file() and path.read_bytes())
"""


def install(home: Path) -> tuple[Path, Path, Path]:
    """A folder with packages that hold answers, and one file that holds none."""
    packages = home / PACKAGES
    answers = packages / "mlebench/competitions/mini-digits/raw/digits.csv.zip"
    copy, harmless = packages / DIGITS, packages / "mlebench/metrics/labels.py"
    for path in (answers, copy, harmless):
        path.parent.mkdir(parents=True)
        path.write_text("SECRET" if path != harmless else "open")
    return answers, copy, harmless


def test_competitions_and_named_files_are_hidden(tmp_path: Path) -> None:
    answers, copy, _ = install(tmp_path)
    places = hidden_places([tmp_path], [DIGITS, "sklearn/none.csv"])
    assert places == [answers.parents[2], copy]
    assert hidden_places([tmp_path], []) == [answers.parents[2]]


def test_links_are_followed_and_places_named_as_the_room_does(tmp_path: Path) -> None:
    answers, *_ = install(tmp_path / "real")
    (tmp_path / "real" / "lib64").symlink_to("lib")
    (tmp_path / "link").symlink_to("real")
    inside = answers.parents[2].relative_to(tmp_path / "real")
    assert hidden_places([tmp_path / "link"], []) == [tmp_path / "link" / inside]


def test_the_running_package_is_hidden_wherever_it_lies() -> None:
    assert BUILT_IN_DIR in hidden_places([BUILT_IN_DIR.parents[1]], [])
    assert hidden_places([Path("/proc")], []) == []


@needs_bwrap
@pytest.mark.parametrize("hidden", [(), (DIGITS,)])
def test_a_room_reads_no_answers(place: Place, tmp_path: Path, hidden: tuple[str, ...]) -> None:
    home = tmp_path / "python"
    answers, copy, harmless = install(home)
    folders = (Path(sys.prefix), Path(sys.base_prefix), home)
    python = PythonHome(Path(sys.executable).parent, tuple(dict.fromkeys(folders)))
    names = (str(answers), str(answers.parents[2]), str(copy), str(harmless))
    command = ("python", "agent.py", *names)
    end = place.run(BwrapSandbox(), READ, python=python, command=command, hidden=hidden)
    assert end.cause == "finished", place.printed
    told = [line for line in place.printed.splitlines() if line.startswith("FOUND")]
    seen = "b'SECRET'" if not hidden else "b''"
    assert told == ["FOUND False", "FOUND False", f"FOUND {seen}", "FOUND b'open'"]


@needs_bwrap
def test_a_room_with_our_own_package_has_no_competitions(place: Place) -> None:
    source = BUILT_IN_DIR.parents[1]
    folders = (Path(sys.prefix), Path(sys.base_prefix), source)
    python = PythonHome(Path(sys.executable).parent, tuple(dict.fromkeys(folders)))
    command = ("python", "agent.py", str(BUILT_IN_DIR), str(source / "mlebench" / "settings.py"))
    end = place.run(BwrapSandbox(), READ, python=python, command=command)
    assert end.cause == "finished", place.printed
    first, second = [line for line in place.printed.splitlines() if line.startswith("FOUND")]
    assert first == "FOUND False"
    assert "BUILT_IN_DIR" in second
