"""Odd terminals, full and closed streams, and signs that terminals obey."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.cli.screen import Screen
from mlebench.cli.tables import Column, fact_lines, table_lines
from mlebench.registry.competition import Competition
from tests.cli.test_logs import CONTROL, on_a_terminal
from tests.conftest import Prepared
from tests.helpers import write_lines

COMMAND = [sys.executable, "-P", "-m", "mlebench"]
EVIL = "[red]e\x1b[2Jvi\u202el\x9b.csv"


@pytest.fixture
def batch(prepared: Prepared, tmp_path: Path) -> list[str]:
    """A good submission, and one whose name and content mean no good."""
    competition: Competition = prepared("spaceship-titanic")
    (tmp_path / EVIL).write_text("Passenger\x1b[2J…\n1\n")
    lines = write_lines(
        tmp_path / "lines.jsonl",
        [
            {"competition_id": competition.id, "submission_path": str(path)}
            for path in (competition.sample_submission, EVIL)
        ],
    )
    return [
        *("grade", "--submission", str(lines), "--output-dir", str(tmp_path / "out")),
        *("--data-dir", str(competition.data_dir.parent), "--workers", "1"),
    ]


def test_tables_and_facts_obey_nobody() -> None:
    screen = Screen(width=80, has_colours=False)
    lines = [
        *table_lines([Column("path"), Column("said", wraps=True)], [[EVIL, "a\rb\nc\td"]], screen),
        *fact_lines([(EVIL, EVIL), ("[bold]", "two\nlines\x1b]0;title\x07")], screen),
    ]
    assert all(line.isprintable() for line in lines)
    assert r"[red]e\x1b[2Jvi\u202el\x9b.csv  a\rb c d" in lines


def test_facts_without_room_beside_stand_below() -> None:
    lines = list(fact_lines([("x" * 30, "one two three four five six seven")], Screen(width=40)))
    assert lines == ["x" * 30, "    one two three four five six seven"]


@pytest.mark.parametrize(
    "streams", ["2>/dev/full", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2> >(true)", "2>&1 | head -c 1"]
)
def test_a_batch_that_nobody_listens_to_is_graded_all_the_same(
    streams: str, batch: list[str], tmp_path: Path
) -> None:
    command = f'"$@" {streams}; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", *COMMAND, *batch],
        check=False,
        timeout=300,
        stdout=subprocess.DEVNULL,
    )
    (report,) = (tmp_path / "out").glob("*_grading_report.json")
    assert json.loads(report.read_bytes())["total_valid_submissions"] == 1
    assert done.returncode == 0 or "head" in streams


@pytest.mark.parametrize(
    "environment",
    [{"TERM": "dumb"}, {"NO_COLOR": "1", "COLUMNS": "20", "PYTHONIOENCODING": "ascii"}],
    ids="-".join,
)
def test_odd_terminals_get_whole_lines(environment: dict[str, str], batch: list[str]) -> None:
    text = on_a_terminal(batch, **environment)
    if "TERM" in environment:
        assert "\x1b" not in text
    if "PYTHONIOENCODING" in environment:
        assert text.isascii()
    lines = [CONTROL.sub("", line) for line in text.replace("\r", "\n").split("\n")]
    (said,) = [line for line in lines if line.startswith("line 2, ")]
    assert said.startswith(r"line 2, [red]e\x1b[2Jvi\u202el\x9b.csv, spaceship-titanic: Invalid")


def test_a_stdout_that_knows_ascii_only(tmp_path: Path, prepared: Prepared) -> None:
    competition = prepared("spaceship-titanic")
    done = subprocess.run(
        [
            *(*COMMAND, "validate", str(tmp_path / "größe.csv"), competition.id),
            *("--data-dir", str(competition.data_dir.parent)),
        ],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 4
    assert rb"gr\xf6\xdfe.csv does not exist" in done.stdout


def test_two_batches_at_once_into_one_folder(batch: list[str], tmp_path: Path) -> None:
    both = [subprocess.Popen([*COMMAND, *batch, "-q"], stdout=subprocess.DEVNULL) for _ in "ab"]
    assert [process.wait(timeout=300) for process in both] == [0, 0]
    left = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(left) == 2
    assert all(name.endswith("_grading_report.json") for name in left)
