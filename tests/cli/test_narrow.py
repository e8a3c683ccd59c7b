"""What commands show where there is little room: every row can be told whose it is."""

from __future__ import annotations

import os
import subprocess
import sys
import termios
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.cli.screen import Screen
from mlebench.grading.single import grade_csv
from mlebench.grading.summary import write_grading_report
from mlebench.registry.competition import Competition
from tests.command import Result, run
from tests.conftest import Prepared
from tests.helpers import add_competition

LONG_ID = "google-research-identify-contrails-reduce-global-warming"

SHOW_WIDTH = """
import sys
from mlebench.cli.screen import Screen

print(Screen.of(sys.stderr).width)
"""

Command = Callable[..., Result]


@pytest.fixture
def mlebench(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """Runs a command on a terminal of some width."""
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def call(arguments: str, width: int = 80) -> Result:
        monkeypatch.setattr(Screen, "of", lambda stream: Screen(width, has_unicode=True))
        monkeypatch.setenv("COLUMNS", str(width))
        return run(f"mlebench {arguments}", monkeypatch, capfd)

    return call


@pytest.fixture
def spaceship(prepared: Prepared) -> Competition:
    return prepared("spaceship-titanic")


def test_every_failure_names_its_competition(mlebench: Command, tmp_path: Path) -> None:
    names = [f"{word}-competition-with-quite-a-long-name" for word in ("first", "second")]
    for name in names:
        (add_competition(tmp_path / "own", name) / "competition.yaml").write_text("[")
    shown = mlebench(f"selfcheck {' '.join(names)} --competitions-dir own").stdout
    _, _, failures = shown.partition("\n\n")
    for name in names:
        assert name in failures.splitlines()
    assert failures.count("check: can be tried") == 2
    assert "Not shown: competition" not in shown


@pytest.mark.parametrize(
    ("command", "values"),
    [
        ("data list", ["edition: v1  status: prepared", "source: fixture"]),
        ("data du", ["prepared", "total"]),
        ("prepare --list ids.txt --fixture", ["status: already prepared"]),
    ],
)
def test_rows_become_blocks_where_no_table_fits(
    command: str, values: list[str], mlebench: Command, tmp_path: Path
) -> None:
    (tmp_path / "ids.txt").write_text(f"{LONG_ID}\nspaceship-titanic\n")
    assert mlebench("prepare --list ids.txt --fixture").code == 0
    lines = mlebench(command, width=60).stdout.splitlines()
    assert LONG_ID in lines
    assert "spaceship-titanic" in lines
    for value in values:
        assert sum(line.startswith("    ") and value in line for line in lines) == 2
    assert [line for line in lines if len(line) > 60 and str(tmp_path) not in line] == []


def test_medals_stay_beside_the_longest_ids(
    mlebench: Command, spaceship: Competition, tmp_path: Path
) -> None:
    report = grade_csv(spaceship.gold_submission, spaceship)
    reports = [report, replace(report, competition_id=LONG_ID)]
    shown = mlebench(f"report-table {write_grading_report(reports, tmp_path)}").stdout
    heading, _, row = shown.splitlines()[:3]
    assert heading.split() == ["competition", "gold", "silver", "bronze"]
    assert row.split() == [LONG_ID, "1", "0", "0"]


@pytest.mark.parametrize("command", ["grade", "data du"])
def test_no_word_of_the_help_is_broken(mlebench: Command, command: str) -> None:
    shown = mlebench(f"{command} --help", width=60).stdout
    assert "MLEBENCH_COMPETITIONS_DIR]" in shown
    assert max(map(len, shown.splitlines())) <= 60


def test_errors_are_wrapped_between_words_and_commands_stay_whole(mlebench: Command) -> None:
    lines = mlebench(f"grade-sample x.csv {LONG_ID}").stderr.splitlines()
    words = " ".join(lines).split()
    assert words[:3] == ["error:", "Dataset", "for"]
    command = f"mlebench prepare -c {LONG_ID}"
    assert f"`{command}`" in lines
    assert f"{command} --fixture" in lines
    assert [line for line in lines if len(line) > 80 and " " in line] == [f"{command} --fixture"]


def test_errors_in_a_pipe_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path))
    result = run(f"mlebench grade-sample x.csv {LONG_ID}", monkeypatch, capfd)
    assert len(result.stderr.splitlines()) == 1


def test_stderr_knows_its_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, 47))
    outcome = subprocess.run(
        [sys.executable, "-c", SHOW_WIDTH], stdout=subprocess.PIPE, stderr=slave, check=True
    )
    os.close(slave)
    os.close(master)
    assert outcome.stdout == b"47\n"
