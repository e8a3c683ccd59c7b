"""What scripts rely on: stdout, stderr, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mlebench.registry.competition import Competition
from tests.command import Result, run
from tests.conftest import Prepared
from tests.helpers import add_competition, add_unwritten, write_lines


@pytest.fixture
def spaceship(prepared: Prepared) -> Competition:
    return prepared("spaceship-titanic")


@pytest.fixture
def mlebench(monkeypatch, capfd, spaceship):
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(spaceship.data_dir.parent))

    def call(arguments: str) -> Result:
        return run(f"mlebench {arguments}", monkeypatch, capfd)

    return call


def test_json_is_all_there_is_on_stdout(mlebench, spaceship) -> None:
    result = mlebench(f"grade-sample {spaceship.gold_submission} spaceship-titanic --json")
    assert json.loads(result.stdout)["score"] == 1.0


def test_report_is_found_on_stderr_where_clients_look_for_it(mlebench, spaceship) -> None:
    result = mlebench(f"grade-sample {spaceship.gold_submission} spaceship-titanic")
    found = re.search(r"Competition report:.*?(\{.*\})", result.stderr, re.DOTALL)
    assert found
    assert json.loads(found[1])["gold_medal"] is True
    assert "{" not in result.stdout


def test_none_for_a_submission_shows_the_thresholds(mlebench) -> None:
    result = mlebench("grade-sample None spaceship-titanic --json")
    report = json.loads(result.stdout)
    assert result.code == 0
    assert report["submission_exists"] is False
    assert report["gold_threshold"] == 0.82066


def test_listing_covers_all_competitions(mlebench) -> None:
    listed = json.loads(mlebench("competitions --json").stdout)
    assert len(listed) == 82
    assert len(json.loads(mlebench("competitions --split low --json").stdout)) == 22
    assert [entry["id"] for entry in listed if entry["ready"]]


def test_listing_is_json_for_everybody(mlebench) -> None:
    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    listed = json.loads(mlebench("competitions --json").stdout, parse_constant=refuse)
    best = {entry["id"]: entry["best_score"] for entry in listed}
    assert best["champs-scalar-coupling"] == "-inf"
    assert best["osic-pulmonary-fibrosis-progression"] == -4.59507


def test_editions_are_prepared_and_graded_on_their_own(mlebench, spaceship, tmp_path) -> None:
    where = f"spaceship-titanic --data-dir {tmp_path}"
    assert mlebench(f"prepare -c {where} --fixture").code == 0
    grading = f"grade-sample {spaceship.gold_submission} {where} --edition v2 --json"
    refused = mlebench(grading)
    assert refused.code == 3
    (told,) = re.findall(
        "`(mlebench prepare -c spaceship-titanic .*--edition v2.*?)`", refused.stderr
    )
    assert f"--data-dir {tmp_path}" in told
    prepared = mlebench(f"prepare -c {where} --fixture --edition v2 --json")
    assert json.loads(prepared.stdout)[0]["detail"].endswith("spaceship-titanic/prepared-v2")
    report = json.loads(mlebench(grading).stdout)
    assert (report["edition"], report["score"]) == ("v2", 1.0)


def test_what_is_prepared_again_is_looked_at_again(mlebench, tmp_path) -> None:
    add_competition(tmp_path / "own", "mine")
    (tmp_path / "raw").mkdir()
    table = "".join(f"{row},{row}.5,{row}\n" for row in range(10))
    (tmp_path / "raw" / "train.csv").write_text(f"id,feature,value\n{table}")
    own = f"--competitions-dir {tmp_path / 'own'} --data-dir {tmp_path / 'data'}"
    prepare = f"prepare mine --from {tmp_path / 'raw'} {own} --json"
    told = [
        json.loads(mlebench(f"{prepare} {option}").stderr.splitlines()[0])["source"]
        for option in ("", "", "--force", "--overwrite-checksums")
    ]
    assert told == ["folder", "prepared", "folder", "folder"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("competitions no-such-thing", 2, "no competition 'no-such-thing'"),
        ("competitions spaceship-titanik", 2, "Did you mean 'spaceship-titanic'?"),
        ("competitions my-own", 2, "--competitions-dir names a folder of your own"),
        ("selfcheck no-such-thing", 2, "no competition 'no-such-thing'"),
        ("new-competition spaceship-titanic --dir own", 0, "hide the built-in spaceship-titanic"),
        ("prepare spaceship-titanic --from nowhere.zip", 3, "nowhere.zip does not exist"),
        ("competitions --split nope", 2, "no split 'nope'"),
        ("competitions --competitions-dir nowhere", 2, "does not exist"),
        ("prepare", 2, "One of --lite, --all, --list, or --competition-id must be specified."),
        ("prepare -c spooky-author-identification", 3, "Kaggle authentication failed!"),
        ("prepare -c spooky-author-identification", 3, "pass it with --from"),
        ("prepare -c spooky-author-identification --from /dev/null", 3, "neither a folder"),
        ("prepare -c spaceship-titanic --fixture --data-dir /dev/null", 3, "Not a directory"),
        ("grade-sample x.csv spooky-author-identification", 3, "is not prepared!"),
        ("grade-sample x.csv spaceship-titanic --edition v9", 2, "no edition 'v9'"),
        ("grade --submission nowhere.jsonl --output-dir out", 2, "does not exist"),
        ("validate nowhere.csv spaceship-titanic", 4, ""),
        ("new-competition bad/name --dir x", 2, "no good id"),
        ("dev download-leaderboard", 2, "Either --all or --competition-id must be specified."),
        (
            "dev download-leaderboard -c spaceship-titanic --force",
            3,
            "Kaggle authentication failed!",
        ),
        ("dev import-leaderboards nowhere", 2, "not a folder"),
    ],
)
def test_mistakes_get_a_message_and_an_exit_code(
    mlebench, monkeypatch, tmp_path, arguments, code, message
) -> None:
    monkeypatch.chdir(tmp_path)
    result = mlebench(arguments)
    assert result.code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--layout archivd", "There is no layout 'archivd'; choose one of archived, extracted."),
        ("--fixture --layout archivd", "There is no layout 'archivd'"),
        ("--fixture --overwrite-checksums", "either --fixture or --overwrite-checksums"),
        ("--executor rae", "There is no executor 'rae'; choose local or ray."),
    ],
)
def test_options_that_cannot_be_meant_are_told_once_and_first(
    mlebench, tmp_path, options: str, message: str
) -> None:
    result = mlebench(f"prepare spaceship-titanic AI4Code {options} --data-dir {tmp_path}")
    assert result.code == 2
    assert " ".join(result.stderr.replace("│", " ").split()).count(message) == 1
    assert "Room needed" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["prepare", "doctor", "data verify", "data remove --zip --yes"])
@pytest.mark.parametrize("options", ["AI4Code --lite", "--all --lite", "AI4Code --list ids.txt"])
def test_competitions_that_are_chosen_in_two_ways_are_refused(
    mlebench, monkeypatch, tmp_path, command: str, options: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ids.txt").write_text("spaceship-titanic\n")
    result = mlebench(f"{command} {options} --data-dir {tmp_path}")
    assert result.code == 2
    assert "one of --all, --lite and --list" in result.stderr
    assert result.stdout == ""


def test_one_failure_does_not_stop_the_others(mlebench, tmp_path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("planned\nspaceship-titanic\n")
    add_unwritten(tmp_path / "own", "planned")
    options = f"--data-dir {tmp_path} --competitions-dir {tmp_path / 'own'}"
    result = mlebench(f"prepare --list {ids} --fixture {options} --json")
    assert result.code == 2
    statuses = [row["status"] for row in json.loads(result.stdout)]
    assert statuses == ["not written", "prepared"]


@pytest.mark.parametrize("given", ["low", "./low", "{here}/low"])
def test_a_list_is_the_file_that_was_named(mlebench, monkeypatch, tmp_path, given: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "low").write_text("spaceship-titanic\n")
    (tmp_path / "low.txt").write_text("AI4Code\n")
    name = given.format(here=tmp_path)
    result = mlebench(f"prepare --list {name} --fixture --data-dir {tmp_path} --json")
    assert [row["competition_id"] for row in json.loads(result.stdout)] == ["spaceship-titanic"]


def test_what_is_not_written_is_told_in_a_word(mlebench, tmp_path) -> None:
    for name in ("planned", "dreamt-of"):
        add_unwritten(tmp_path / "own", name)
    options = f"--data-dir {tmp_path} --competitions-dir {tmp_path / 'own'}"
    assert "not written" in mlebench(f"prepare planned --fixture {options}").stderr
    result = mlebench(f"prepare planned dreamt-of {options}")
    assert result.code == 2
    assert "task.py" not in result.stdout + result.stderr
    assert result.stdout.count("not written") == 2
    assert result.stdout.count("competitions --ready") == 1


def test_what_an_author_prints_is_not_among_the_results(mlebench, tmp_path) -> None:
    task = add_competition(tmp_path, "mine") / "task.py"
    task.write_text(
        task.read_text().replace("    train, test", "    print('hello')\n    train, test")
    )
    result = mlebench(
        f"prepare mine --fixture --json --data-dir {tmp_path}/data --competitions-dir {tmp_path}"
    )
    assert json.loads(result.stdout)[0]["status"] == "prepared"
    assert "hello" in result.stderr


@pytest.mark.parametrize("command", ["validate", "grade-sample"])
def test_the_file_comes_first(mlebench, command: str) -> None:
    result = mlebench(f"{command} spaceship-titanic submission.csv")
    assert result.code == 2
    assert "submission.csv spaceship-titanic" in " ".join(result.stderr.split())


def test_original_data_dir_variable_is_understood(mlebench, monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("MLEBENCH_DATA_DIR")
    monkeypatch.setenv("MLE_BENCH_DATA_DIR", str(tmp_path))
    mlebench("prepare -c spaceship-titanic --fixture")
    assert (tmp_path / "spaceship-titanic" / "prepared" / "public" / "description.md").is_file()


def test_grading_writes_the_report_and_counts_statuses(mlebench, spaceship, tmp_path) -> None:
    lines = write_lines(
        tmp_path / "lines.jsonl",
        [
            {"competition_id": spaceship.id, "submission_path": str(spaceship.gold_submission)},
            "not json",
        ],
    )
    result = mlebench(f"grade --submission {lines} --output-dir {tmp_path / 'out'} --json")
    totals = json.loads(result.stdout)
    assert totals["total_gold_medals"] == 1
    assert totals["statuses"] == {"graded": 1, "bad_line": 1}
    assert Path(totals["report"]).name.endswith("_grading_report.json")


def test_interrupting_a_command_ends_it_without_a_traceback(tmp_path) -> None:
    add_competition(
        tmp_path / "own",
        "slow",
        fixture="def fixture(raw):\n"
        "    import pathlib, time\n"
        f"    pathlib.Path({str(tmp_path / 'started')!r}).touch()\n"
        "    time.sleep(600)",
    )
    arguments = ["prepare", "-c", "slow", "--fixture", "--competitions-dir", "own"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mlebench", *arguments, "--data-dir", "data"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    while not (tmp_path / "started").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not list((tmp_path / "data" / "slow").glob("prepared"))
