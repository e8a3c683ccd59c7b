"""The whole loop that ``make tour`` shows."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.docs.terminal import COLUMNS, seen

SCRIPT = CHECKOUT / "examples" / "tour.sh"
LOOP = (
    "competitions --ready",
    "prepare spaceship-titanic --fixture",
    "validate submission.csv spaceship-titanic",
    "grade-sample submission.csv spaceship-titanic",
    "grade --submission submissions.jsonl --output-dir reports",
    "explain row_count",
    "report-table reports/",
)


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing lies around yet."""
    for variable, name in (("HOME", "home"), ("TMPDIR", "tmp"), ("XDG_CACHE_HOME", "cache")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PATH", f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("MLEBENCH_WORKERS", "1")
    return tmp_path


def test_the_tour_shows_the_loop_and_leaves_nothing_in_the_way_of_the_next_one(
    nowhere: Path,
) -> None:
    code, printed = seen(
        lambda: subprocess.run(["sh", SCRIPT], check=False, timeout=600).returncode
    )
    assert code == 0, printed
    typed = re.findall(r"^\$ mlebench (?:--quiet )?(.*)$", printed, re.MULTILINE)
    assert len(typed) == len(LOOP)
    assert all(line.startswith(start) for line, start in zip(typed, LOOP, strict=True))
    assert "Submission is valid." in printed
    assert re.search(r"^medal +gold$", printed, re.MULTILINE)
    assert printed.count("spaceship-titanic            3      2     1 ") == 2
    own_folder = str(nowhere / "tmp")  # long here, and short on a machine
    too_long = [line for line in printed.splitlines() if len(line) > COLUMNS]
    assert [line for line in too_long if own_folder not in line and set(line) != {"─", " "}] == []
    assert [path for path in nowhere.rglob("*") if path.is_file()] == []
