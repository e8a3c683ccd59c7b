"""How the command line behaves when it is hurried, cut off or given nonsense."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.command import run as run_here
from tests.grading.hostile import GRADERS
from tests.grading.original import add_original
from tests.helpers import write_lines

COMMAND = [sys.executable, "-P", "-m", "mlebench"]


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output="stdout" not in options,
        text=True,
        check=False,
        timeout=300,
        **options,  # type: ignore[call-overload]
    )


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A submissions file with a bad csv, and one with a grader that never ends."""
    work = tmp_path_factory.mktemp("manners")
    competitions, data = work / "competitions", work / "data"
    add_original(competitions, data, "z-sleeps", GRADERS["sleeps"].code)
    registry = Registry(data, [competitions])
    built_in = registry.get_competition("spaceship-titanic")
    prepare(built_in, fixture=True)
    bad = work / "bad.csv"
    bad.write_text("PassengerId\n1\n")

    def entry(name: str, path: Path) -> dict[str, str]:
        return {"competition_id": name, "submission_path": str(path)}

    sample = data / "z-sleeps" / "prepared" / "public" / "sample_submission.csv"
    good = entry("spaceship-titanic", built_in.sample_submission)
    write_lines(work / "quick.jsonl", [good, entry("spaceship-titanic", bad), "no json"])
    write_lines(work / "slow.jsonl", [good, entry("z-sleeps", sample)])
    return work


def grade(work: Path, name: str, *options: object) -> list[object]:
    return [
        *("grade", "--submission", work / f"{name}.jsonl", "--data-dir", work / "data"),
        *("--competitions-dir", work / "competitions", "--output-dir", work / f"out-{name}"),
        *options,
    ]


def test_an_interrupt_ends_a_batch_with_one_line(work: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--quiet", *map(str, grade(work, "slow", "--workers", 1))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    output = work / "out-slow"
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if any(path.stat().st_size for path in output.glob(".grading-*.jsonl")):
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert stderr.splitlines()[-1] == "interrupted; run the same command to go on"
    assert "Traceback" not in stderr


def test_a_refusal_with_a_code_of_its_own_names_no_command_that_fails(
    tmp_path: Path, monkeypatch, capfd
) -> None:
    code = (
        "from mlebench.errors import InvalidSubmissionError\n"
        "def grade(submission, answers):\n"
        "    raise InvalidSubmissionError('It is too late.', code='not_a_time')\n"
    )
    add_original(tmp_path / "competitions", tmp_path / "data", "mine", code)
    sample = tmp_path / "data" / "mine" / "prepared" / "public" / "sample_submission.csv"
    submissions = tmp_path / "submissions.jsonl"
    entry = {"competition_id": "mine", "submission_path": str(sample)}
    submissions.write_text(json.dumps(entry) + "\n")
    places = f"--competitions-dir {tmp_path / 'competitions'} --data-dir {tmp_path / 'data'}"
    for command in (
        f"validate {sample} mine",
        f"grade-sample {sample} mine",
        f"grade --submission {submissions} --output-dir {tmp_path / 'out'}",
    ):
        result = run_here(f"mlebench {command} {places}", monkeypatch, capfd)
        assert result.code == 4
        assert "too late" in result.stdout
        assert "mlebench explain" not in result.stdout


def test_quiet_is_quiet_and_time_without_limit(work: Path) -> None:
    loud = run(*grade(work, "quick", "--time-limit", "inf"))
    quiet = run("--quiet", *grade(work, "quick", "--time-limit", "1e18"))
    assert (loud.returncode, quiet.returncode) == (0, 0)
    assert "Invalid submission" in loud.stderr
    assert quiet.stderr == ""


@pytest.mark.parametrize("arguments", [["competitions"], ["competitions", "--json"]])
def test_a_reader_that_has_seen_enough(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = run(*arguments, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert result.stderr == ""
    assert result.returncode != 0


def test_a_closed_stdout() -> None:
    command = " ".join([*COMMAND, "competitions", ">&-"])
    result = subprocess.run(
        command, shell=True, check=False, stderr=subprocess.PIPE, text=True, timeout=300
    )
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--time-limit", "0", "more than 0"),
        ("--time-limit", "-1", "more than 0"),
        ("--time-limit", "nan", "more than 0"),
        ("--memory-limit", "much", "no size"),
        ("--memory-limit", "0", "more than 0"),
        ("--memory-limit", "4", "with a unit, such as 4GB"),
        ("--max-submission-size", "-5GB", "more than 0"),
        ("--workers", "0", "at least one"),
    ],
)
def test_limits_that_make_no_sense(
    work: Path, option: str, value: str, says: str, monkeypatch, capfd
) -> None:
    words = map(str, grade(work, "quick", f"{option}={value}"))
    result = run_here(f"mlebench {shlex.join(words)}", monkeypatch, capfd)
    assert result.code == 2
    assert says in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", [["competitions", "--split"], ["prepare", "--list"]])
def test_a_binary_list_is_no_list(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(bytes(range(256)))
    result = run(*command, path)
    assert result.returncode == 2
    assert "UTF-8" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_submissions_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "submissions.jsonl"
    path.write_text("{}", encoding="utf-16")
    result = run("grade", "--submission", path, "--output-dir", tmp_path)
    assert result.returncode == 2
    assert "UTF-16" in result.stderr


def test_a_broken_folder_does_not_hide_the_others(tmp_path: Path) -> None:
    add_original(tmp_path / "own", tmp_path / "data", "good")
    for name, content in (("broken", b"["), ("deep", b"[" * 200_000), ("binary", b"\xff\xfe\x00")):
        add_original(tmp_path / "own", tmp_path / "data", name, config=content)
    result = run("competitions", "--competitions-dir", tmp_path / "own", "--search", "temper")
    assert result.returncode == 0
    assert "good" in result.stdout
    for name in ("broken", "deep", "binary"):
        assert f"{name} is left out" in result.stderr


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Options for competitions whose graders are not ours."""
    work = tmp_path_factory.mktemp("single")
    for name in ("exits-at-once", "exits", "chatters", "segfaults", "refuses"):
        add_original(work / "competitions", work / "data", name, GRADERS[name].code)
    return ["--data-dir", work / "data", "--competitions-dir", work / "competitions"]


def sample_of(name: str, options: list[object]) -> Path:
    return Path(str(options[1])) / name / "prepared" / "public" / "sample_submission.csv"


@pytest.mark.parametrize(
    ("command", "name"), [("grade-sample", "exits-at-once"), ("validate", "segfaults")]
)
def test_a_grader_that_ends_its_process_gives_no_verdict(
    command: str, name: str, single: list[object]
) -> None:
    result = run("--quiet", command, sample_of(name, single), name, *single)
    assert result.returncode == 5
    assert result.stdout == ""
    assert "was stopped" in result.stderr


@pytest.mark.parametrize("command", ["grade-sample", "validate"])
def test_what_a_grader_prints_is_no_result(command: str, single: list[object]) -> None:
    result = run("-q", command, sample_of("chatters", single), "chatters", "--json", *single)
    assert result.returncode == 0
    assert json.loads(result.stdout)
    assert ("chatter" in result.stderr) == (command == "grade-sample")  # it may tell answers


def test_a_refusal_comes_through_whole(single: list[object]) -> None:
    result = run("-q", "validate", sample_of("refuses", single), "refuses", "--json", *single)
    assert result.returncode == 4
    assert json.loads(result.stdout)["error"]["message"] == "not like this"


def test_errors_of_an_isolated_grader_keep_their_exit_codes(single: list[object]) -> None:
    nowhere = [*single[:1], Path(str(single[1])) / "nowhere", *single[2:]]
    result = run("-q", "grade-sample", sample_of("exits", single), "exits", *nowhere)
    assert result.returncode == 3
    assert "is not prepared" in result.stderr


INTERRUPTED_IMPORT = """
import sys


class Interrupt:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt


from mlebench.cli import main

print(*sorted(name for name in sys.modules if name.startswith(("mlebench", "typing"))))
sys.meta_path.insert(0, Interrupt())
main()
"""


@pytest.mark.parametrize("module", ["mlebench.errors", "mlebench.cli.app", "typer"])
def test_interrupted_while_it_starts(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, module]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stderr) == (130, "")
    assert outcome.stdout.split() == ["mlebench", "mlebench.cli", "mlebench.lazily"]
