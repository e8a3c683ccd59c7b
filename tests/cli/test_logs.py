"""Log lines: what they are about, and that they stay off the progress bar."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.cli.logs import LogHandler
from mlebench.registry.competition import Competition
from tests.command import Result, run
from tests.conftest import Prepared
from tests.docs.terminal import seen
from tests.grading.original import add_original
from tests.helpers import add_competition, write_lines

SAYS = "import sys; log.setLevel(int(sys.argv[1])); log.info('it is so')"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BAD = "runs/3/submission.csv"
CHATTERS = """\
def grade(submission, answers):
    print("mean \\x1b[2J[red]1[/red]")
    return 0.5
"""


@pytest.fixture
def spaceship(prepared: Prepared) -> Competition:
    return prepared("spaceship-titanic")


@pytest.fixture
def batch(spaceship: Competition, tmp_path: Path) -> Iterator[str]:
    """Options of `grade` for a good submission, a bad one, and one whose grader prints."""
    (tmp_path / BAD).parent.mkdir(parents=True)
    (tmp_path / BAD).write_text("PassengerId\n1\n")
    data = spaceship.data_dir.parent
    add_original(tmp_path / "own", tmp_path / "data", "chatters", CHATTERS)
    (data / "chatters").symlink_to(tmp_path / "data" / "chatters")
    sample = tmp_path / "data" / "chatters" / "prepared" / "public" / "sample_submission.csv"
    entries = [(spaceship.id, spaceship.sample_submission), (spaceship.id, BAD)]
    lines = write_lines(
        tmp_path / "lines.jsonl",
        [
            {"competition_id": name, "submission_path": str(path)}
            for name, path in [*entries, ("chatters", sample)]
        ],
    )
    where = f"--submission {lines} --output-dir {tmp_path / 'out'} --data-dir {data}"
    yield f"{where} --competitions-dir {tmp_path / 'own'} --workers 1"
    (data / "chatters").unlink()


@pytest.fixture
def grade(batch: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    def call(options: str = "") -> Result:
        return run(f"mlebench {options} grade {batch}", monkeypatch, capfd)

    return call


def test_a_line_of_a_batch_says_what_it_is_about(grade) -> None:
    lines = grade("--verbose").stderr.splitlines()
    assert [
        line
        for line in lines
        if line.startswith(f"line 2, {BAD}, spaceship-titanic: Invalid submission: ")
    ]
    (printed,) = [line for line in lines if "mean" in line]
    assert printed.startswith("line 3, ")
    assert printed.endswith(r"sample_submission.csv, chatters: mean \x1b[2J[red]1[/red]")


def test_quiet_reaches_the_workers(grade) -> None:
    assert "Invalid submission" not in grade("--quiet").stderr


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """What a command writes to stderr where that is a terminal."""
    command = [sys.executable, "-P", "-m", "mlebench", *arguments]
    variables = os.environ | {"TERM": "xterm", "COLUMNS": "60"} | environment

    def action() -> int:
        return subprocess.run(
            command, stdout=subprocess.DEVNULL, env=variables, check=False, timeout=300
        ).returncode

    return seen(action)[1]


def test_lines_appear_whole_above_the_progress_bar(batch: str) -> None:
    text = CONTROL.sub("", on_a_terminal(["grade", *shlex.split(batch)]))
    pieces = [piece for piece in re.split(r"[\r\n]", text) if piece.strip()]
    bars = [piece for piece in pieces if "━" in piece]
    assert bars
    assert not [bar for bar in bars if "line " in bar]
    said = [piece for piece in pieces if piece not in bars]
    assert said[0].endswith(r"chatters: mean \x1b[2J[red]1[/red]")
    assert said[1].startswith(f"line 2, {BAD}, spaceship-titanic: Invalid submission: ")


@pytest.mark.parametrize("words", ["", "-v"])
@pytest.mark.parametrize("names", ["mine", "mine yours"])
def test_on_a_terminal_the_line_of_a_preparation_takes_the_place_of_logs(
    names: str, words: str, tmp_path: Path
) -> None:
    for name in names.split():
        add_competition(tmp_path / "own", name)
    where = ["--data-dir", str(tmp_path / "data"), "--competitions-dir", str(tmp_path / "own")]
    text = on_a_terminal(["prepare", *names.split(), "--fixture", *words.split(), *where])
    assert re.search(r"mine  \w+", text)  # in whichever stage somebody looked
    assert ("Preparing mine (v1) from" in text) is bool(words)


def test_what_made_up_data_have_not_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    add_competition(tmp_path / "own", "mine")
    where = f"--data-dir {tmp_path / 'data'} --competitions-dir {tmp_path / 'own'}"
    told = run(f"mlebench prepare mine --fixture --keep-raw {where}", monkeypatch, capfd)
    assert told.code == 0
    assert "--keep-raw does nothing here" in told.stderr


@pytest.mark.parametrize("words", ["--quiet", "-q", ""])
def test_quiet_may_follow_the_command(
    words: str, spaceship: Competition, tmp_path: Path, monkeypatch, capfd
) -> None:
    (tmp_path / "bad.csv").write_text("PassengerId\n1\n")
    where = f"{tmp_path / 'bad.csv'} {spaceship.id} --data-dir {spaceship.data_dir.parent}"
    result = run(f"mlebench grade-sample {where} {words}", monkeypatch, capfd)
    assert result.code == 4
    assert ("Invalid submission" in result.stderr) is not bool(words)


def test_verbose_may_follow_a_command_of_a_group(monkeypatch, capfd) -> None:
    asks = "mlebench dev download-leaderboard -c spaceship-titanic --json"
    assert run(f"{asks} -v", monkeypatch, capfd).code == 0
    assert logging.getLogger().level == logging.DEBUG
    assert run(f"{asks} -q", monkeypatch, capfd).code == 0
    assert logging.getLogger().level == logging.ERROR


@pytest.mark.parametrize(
    "command", ["-q -v competitions", "competitions -q -v", "-q competitions -v"]
)
def test_quiet_and_verbose_exclude_each_other(command: str, monkeypatch, capfd) -> None:
    result = run(f"mlebench {command}", monkeypatch, capfd)
    assert result.code == 2
    assert "exclude each other" in result.stderr


def test_help_names_the_options_of_all_commands_once(monkeypatch, capfd) -> None:
    assert "--quiet" in run("mlebench --help", monkeypatch, capfd).stdout
    for command in ("grade", "dev", "dev download-leaderboard"):
        assert "--quiet" not in run(f"mlebench {command} --help", monkeypatch, capfd).stdout


def test_going_on_is_said_once_and_not_to_programs(batch: str, monkeypatch, capfd) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def call(options: str) -> Result:
        return run(f"mlebench grade {batch} {options}", monkeypatch, capfd)

    with monkeypatch.context() as killed:
        killed.setattr("mlebench.grading.batch.write_grading_report", interrupted)
        first = call("")
        assert first.code == 130
        again = call("")
        quiet = call("--quiet")
    said = "Going on where the last run stopped: 3 of 3 are graded already."
    assert said not in first.stderr
    assert again.stderr.count(said) == 1
    assert said not in quiet.stderr
    last = call("--json")
    assert said in last.stderr
    assert sum(json.loads(last.stdout)["statuses"].values()) == 3


@pytest.mark.parametrize("words", ["", "-v"])
def test_places_in_the_code_are_for_who_wants_every_detail(words: str, tmp_path: Path) -> None:
    code = f"from mlebench.cli.logs import *; set_up_logging(); log = logging.getLogger(); {SAYS}"
    level = logging.DEBUG if words else logging.INFO
    told = subprocess.run(
        [sys.executable, "-c", code, str(level)], capture_output=True, text=True, check=True
    ).stderr
    assert told.endswith("it is so\n")
    assert ("<string>:1" in told) is bool(words)


def test_a_message_that_cannot_be_put_together_stops_nothing(capfd) -> None:
    handler = LogHandler()
    handler.handle(logging.makeLogRecord({"msg": "%d of them", "args": ("many",)}))
    assert "many" in capfd.readouterr().err
