"""What several test files need; plain functions, no fixtures."""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mlebench.authoring.scaffold import create_competition
from mlebench.errors import InvalidSubmissionError
from mlebench.registry import Registry
from mlebench.submission import read_table

BUILT_IN = Registry(competitions_dirs=())
ALL_IDS = BUILT_IN.list_competition_ids()
MINI_IDS = BUILT_IN.get_split("mini")
READY_IDS = [name for name in ALL_IDS if BUILT_IN.is_written(name)]


def file_digests(folder: Path) -> dict[str, str]:
    """Md5 sums of all files below a folder by their relative path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.md5(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def add_competition(parent: Path, competition_id: str, code: str = "", fixture: str = "") -> Path:
    """A competition of the user's from the scaffold; later definitions win, so code overrides."""
    folder = create_competition(competition_id, parent)
    for name, addition in (("task.py", code), ("fixture.py", fixture)):
        with (folder / name).open("a", encoding="utf-8") as module:
            module.write(f"\n\n{addition}\n")
    return folder


def add_unwritten(parent: Path, competition_id: str) -> Path:
    """A competition of the user's of which there is nothing but facts."""
    folder = create_competition(competition_id, parent)
    (folder / "task.py").unlink()
    return folder


def write_lines(path: Path, entries: Iterable[Any]) -> Path:
    """A JSON-lines file; texts stand for themselves."""
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def refusal(function: Any, *args: Any) -> InvalidSubmissionError:
    """The error with which a call refuses a submission."""
    with pytest.raises(InvalidSubmissionError) as caught:
        function(*args)
    return caught.value


def shared(folder: Path, *parts: str) -> Path:
    """Something inside the shared folder; skips the test where it is missing."""
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared folder lacks {'/'.join(parts)}")
    return path


def read_cells(cells: Iterable[str]) -> pd.Series:
    """Cells as they come out of a csv file, in a column named x."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["id", "x"])
            rows.writerows([f"row {number}", cell] for number, cell in enumerate(cells))
        return read_table(path)["x"]
