"""Messages say what is wrong and what to type next, and what they say to type works."""

from __future__ import annotations

import json
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from mlebench import doctor
from mlebench.cli.screen import Screen
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.command import Result, run
from tests.conftest import Prepared
from tests.grading.original import add_original
from tests.helpers import READY_IDS, add_competition, add_unwritten, write_lines
from tests.kaggle_server import serve_kaggle

ID = "spaceship-titanic"
COMMAND = re.compile(r"mlebench (?:prepare|grade|competitions|report-table|selfcheck)[^\n`]*")


@pytest.fixture
def mlebench(monkeypatch, capfd, tmp_path):
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path / "default"))
    monkeypatch.chdir(tmp_path)

    def call(arguments: str) -> Result:
        result = run(f"mlebench {arguments.removeprefix('mlebench ')}", monkeypatch, capfd)
        assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def spaceship(prepared: Prepared) -> Competition:
    return prepared(ID)


@pytest.fixture
def files(tmp_path: Path, spaceship: Competition) -> Path:
    """One file of each kind."""
    folder = tmp_path / "files"
    (folder / "folder").mkdir(parents=True)
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "binary.jsonl").write_bytes(bytes(range(256)))
    for name in ("empty.csv", "empty.jsonl", "empty.json", "empty.txt"):
        (folder / name).touch()
    (folder / "table.csv").write_bytes(spaceship.sample_submission.read_bytes())
    (folder / "table.txt").write_bytes(spaceship.sample_submission.read_bytes())
    entry = {"competition_id": ID, "submission_path": "table.csv"}
    write_lines(folder / "lines.jsonl", [entry])
    write_lines(folder / "lines.csv", [entry])
    write_lines(folder / "number.jsonl", [entry | {"competition_id": 5}])
    (folder / "report.json").write_text(json.dumps({"competition_reports": []}))
    (folder / "other.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("grade --submission {}/folder --output-dir out", 2, "is a folder"),
        ("grade --submission {}/binary.jsonl --output-dir out", 2, "is binary"),
        ("grade --submission {}/empty.jsonl --output-dir out", 0, "holds no submissions"),
        ("grade --submission {}/table.csv --output-dir out", 2, "mlebench grade-sample "),
        ("grade --submission {}/report.json --output-dir out", 2, "mlebench report-table "),
        ("grade s.csv " + ID, 2, "mlebench grade-sample s.csv " + ID),
        ("grade --submission x --output-dir y --time-limit 10s", 2, "write it as 600"),
        ("grade --submission {}/number.jsonl --output-dir out", 2, "must be a text"),
        ("report-table {}/other.json", 2, "it has no field 'created_at'"),
        ("dev import-leaderboards {}/folder", 0, "There is no leaderboard"),
        ("validate {}/folder " + ID, 4, "is a folder"),
        ("validate {}/lines.jsonl " + ID, 4, "must be a CSV"),
        ("validate {}/folder " + ID, 4, "mlebench explain not_csv"),
        ("grade-sample {}/folder " + ID, 4, "mlebench explain not_csv"),
        ("grade-sample {}/table.txt " + ID, 4, "must be a CSV"),
        ("grade lines.jsonl", 2, "mlebench grade --submission lines.jsonl --output-dir reports"),
        (
            "grade lines.jsonl --output-dir out",
            2,
            "mlebench grade --submission lines.jsonl --output-dir out",
        ),
        ("grade-sample {}/folder " + ID, 4, "is a folder"),
        ("grade-sample {}/lines.jsonl " + ID, 4, "mlebench grade --submission "),
        ("grade-sample {}/nowhere.csv " + ID, 4, "does not exist"),
        ("grade-sample {}/binary.csv " + ID, 4, "binary"),
        ("grade-sample {}/empty.csv " + ID, 4, "empty"),
        ("grade-sample {}/lines.csv " + ID, 4, "PassengerId"),
        ("report-table {}/folder", 2, "is a folder"),
        ("report-table {}/table.csv", 2, "is not JSON"),
        ("report-table {}/lines.jsonl", 2, "no grading report"),
        ("report-table {}/empty.json", 2, "is not JSON"),
        ("report-table {}/binary.csv", 2, "is not JSON"),
        ("prepare --list {}/folder", 2, "is a folder"),
        ("prepare --list {}/nowhere", 2, "does not exist"),
        ("prepare --list {}/empty.txt", 2, "is empty"),
        ("prepare --list {}/lines.jsonl", 2, "no list of competitions"),
        ("prepare --list {}/table.csv", 2, "no list of competitions"),
        ("prepare --list {}/binary.csv", 2, "UTF-8"),
        ("competitions --split {}/folder", 2, "is a folder"),
        ("competitions --split {}/empty.txt", 2, "is empty"),
        ("competitions --split {}/table.csv", 2, "no list of competitions"),
        ("competitions --competitions-dir {}/table.csv", 2, "is a file, not a folder"),
        ("competitions --edition v9", 2, "no edition 'v9'"),
        (f"competitions {ID} --split low", 2, "not both"),
        ("report-table x --csv --json", 2, "exclude each other"),
        ("prepare x --from y --fixture", 2, "one of the two"),
        ("prepare x y --from https://me:pass@host/one.zip", 2, "https://host/one.zip is one zip"),
        (f"prepare {ID} --from ~no-such-user/x", 2, "write ~no-such-user/x in full"),
        ("data list --data-dir ~no-such-user", 2, "which home folder ~no-such-user stands for"),
        ("competitions --competitions-dir ~no-such-user", 2, "~no-such-user"),
        ("agents list --agents-dir ~no-such-user", 2, "~no-such-user"),
        (f"run --agent dummy --competitions {ID} --runs-dir ~no-such-user", 2, "~no-such-user"),
        ("new-competition mine --dir ~no-such-user", 2, "~no-such-user"),
        ("new-agent mine --dir ~no-such-user", 2, "~no-such-user"),
        (f"dev download-leaderboard --all -c {ID}", 2, "exclude each other"),
    ],
)
def test_files_of_the_wrong_kind_and_options_that_do_not_fit(
    mlebench, monkeypatch, files: Path, spaceship: Competition, arguments, code, says
) -> None:
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(spaceship.data_dir.parent))
    result = mlebench(arguments.format(files))
    assert result.code == code
    assert says in result.stdout + result.stderr


def suggested(text: str) -> str:
    """The last command that a message tells to type."""
    return COMMAND.findall(" ".join(text.split()))[-1].rstrip(".")


@pytest.mark.parametrize("edition", ["v1", "v2"])
def test_the_command_that_prepares_works_when_pasted(
    mlebench, tmp_path: Path, spaceship: Competition, edition: str
) -> None:
    where = f"{ID} --data-dir 'my data' --edition {edition}"
    grading = f"grade-sample {spaceship.sample_submission} {where} --json"
    refused = mlebench(grading)
    assert refused.code == 3
    assert refused.stderr.count("mlebench prepare") == 1
    assert mlebench(suggested(refused.stderr)).code == 0
    assert mlebench(grading).code == 0
    shown = mlebench(f"competitions {where}").stdout
    assert shlex.split(suggested(shown))[1] == "grade-sample"
    assert f"--data-dir '{tmp_path / 'my data'}'" in shown


@pytest.mark.parametrize("by_environment", [False, True])
def test_one_command_prepares_a_competition_of_ones_own(
    mlebench, monkeypatch, tmp_path: Path, by_environment: bool
) -> None:
    add_competition(tmp_path / "my own", "mine")
    if by_environment:
        monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", str(tmp_path / "my own"))
    grading = "grade-sample x.csv mine" + ("" if by_environment else " --competitions-dir 'my own'")
    refused = mlebench(grading)
    assert refused.code == 3
    told = re.search("is not prepared! Please run `([^`]*)` to prepare the dataset", refused.stderr)
    assert told
    assert mlebench(told[1]).code == 0
    assert mlebench(grading).code == 4  # prepared, but there is no x.csv


def test_the_command_that_grades_many_works_when_pasted(mlebench, tmp_path: Path) -> None:
    add_competition(tmp_path / "my own", "mine")
    where = "mine --competitions-dir 'my own' --data-dir 'my data'"
    assert mlebench(f"prepare {where} --fixture").code == 0
    sample = "my data/mine/prepared/public/sample_submission.csv"
    entry = {"competition_id": "mine", "submission_path": sample}
    write_lines(tmp_path / "-lines.jsonl", [entry])
    shown = mlebench(f"grade-sample ./-lines.jsonl {where}")
    assert shown.code == 4
    assert mlebench(suggested(shown.stdout.partition("explained by")[0])).code == 0


@pytest.mark.parametrize("name", [ID, "theirs"])
def test_thresholds_alone_come_without_a_warning(
    mlebench, tmp_path: Path, spaceship: Competition, name: str
) -> None:
    add_original(tmp_path / "own", tmp_path / "data", "theirs")
    data = spaceship.data_dir.parent if name == ID else "data"
    shown = mlebench(f"grade-sample None {name} --data-dir {data} --competitions-dir own")
    assert shown.code == 0
    assert "check that it exists" not in shown.stderr
    assert not re.search("^(error|explained by) ", shown.stdout, re.MULTILINE)


def test_files_that_begin_with_a_dash_are_not_taken_for_options(mlebench, tmp_path: Path) -> None:
    (tmp_path / "-report.jsonl").write_text(json.dumps({"competition_reports": []}))
    (tmp_path / "-table.csv").touch()
    for name in ("-report.jsonl", "-table.csv"):
        refused = mlebench(f"grade --submission ./{name} --output-dir out")
        assert f" ./{name}" in suggested(refused.stderr)
        assert "No such option" not in mlebench(suggested(refused.stderr)).stderr


def test_the_command_that_tries_a_new_competition_works_when_pasted(mlebench) -> None:
    made = mlebench("new-competition mine --dir 'my own'")
    told = COMMAND.findall(made.stdout)
    assert told == ["mlebench selfcheck mine --competitions-dir 'my own'"]
    assert mlebench(told[0]).code == 0


@pytest.mark.parametrize(
    ("folder", "says"),
    [("/dev/null/x", "a part of this path is a file"), ("/dev/null", "it is a file")],
)
def test_a_folder_for_new_competitions_that_is_none(mlebench, folder: str, says: str) -> None:
    refused = mlebench(f"new-competition mine --dir {folder}")
    assert refused.code == 3
    assert f"{folder} cannot be written: {says}" in refused.stderr
    assert "Choose another folder with --dir" in refused.stderr


def test_the_name_of_a_new_folder_does_nothing_to_the_terminal(mlebench) -> None:
    made = mlebench("new-competition mine --dir 'red\033[31m'")
    assert made.code == 0
    assert "\033" not in made.stdout
    assert made.stdout.count(r"red\x1b[31m") == 2


def test_damaged_answers_are_prepared_again_by_the_command_shown(mlebench, tmp_path: Path) -> None:
    add_competition(tmp_path / "own", "mine")
    where = "mine --competitions-dir own --data-dir data"
    assert mlebench(f"prepare {where} --fixture").code == 0
    prepared = tmp_path / "data" / "mine" / "prepared"
    (answers,) = (prepared / "private").glob("*.csv")
    answers.write_bytes(b"x")
    grading = f"grade-sample {prepared / 'public' / 'sample_submission.csv'} {where} --json"
    refused = mlebench(grading)
    assert refused.code == 3
    again = suggested(refused.stderr)
    assert "--force" in again
    assert mlebench(again).code == 0
    assert mlebench(grading).code == 0


def test_what_the_environment_says_is_not_said_again(mlebench) -> None:
    refused = mlebench(f"grade-sample x.csv {ID}")
    assert suggested(refused.stderr) == f"mlebench prepare -c {ID} --fixture"


def test_real_data_at_hand_are_not_replaced_by_made_up_ones(mlebench, tmp_path: Path) -> None:
    raw = tmp_path / "default" / ID / "raw"
    raw.mkdir(parents=True)
    (raw / "train.csv").touch()
    refused = mlebench(f"grade-sample x.csv {ID}")
    assert "--fixture" not in refused.stderr


def test_no_login_and_a_refused_one_are_told_apart(mlebench, monkeypatch) -> None:
    with serve_kaggle() as kaggle:
        monkeypatch.setenv("MLEBENCH_KAGGLE_API", kaggle.api)
        asks = f"dev download-leaderboard -c {ID} --force"
        without = mlebench(asks)
        monkeypatch.setenv("KAGGLE_API_TOKEN", "wrong")
        refused = mlebench(asks)
    assert without.code == refused.code == 3
    assert "there is no login yet" in without.stderr
    assert "from KAGGLE_API_TOKEN, but Kaggle refuses it" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (f"doctor {ID}", 0),
        (f"prepare {ID}", 3),
        (f"prepare {ID} --from https://127.0.0.1:9/", 3),
        (f"dev download-leaderboard -c {ID} --force", 3),
    ],
)
def test_without_the_library_for_downloads_all_commands_tell_the_same(
    mlebench, monkeypatch, arguments: str, code: int
) -> None:
    monkeypatch.setattr(doctor, "PROBES", {})
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.setenv("KAGGLE_USERNAME", "someone")
    monkeypatch.setenv("KAGGLE_KEY", "some key")
    told = mlebench(arguments)
    assert told.code == code
    assert "Downloading needs httpx: pip install 'mlebench[kaggle]'" in told.stdout + told.stderr
    if arguments.startswith("doctor"):
        line = r"^extra: kaggle +missing +would unlock .*: pip install"
        assert re.search(line, told.stdout, re.MULTILINE)


def test_without_a_way_to_kaggle_there_is_still_from(mlebench, monkeypatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setattr(doctor, "PROBES", {})
    monkeypatch.setenv("MLEBENCH_KAGGLE_API", "http://127.0.0.1:9/api/v1")
    monkeypatch.setenv("KAGGLE_API_TOKEN", "any")
    for command in ("doctor", "prepare"):
        told = mlebench(f"{command} {ID}")
        said = " ".join((told.stdout + told.stderr).split())
        assert "online? A zip that you have already can be passed with --from." in said


def test_a_competitions_folder_one_level_off(mlebench, tmp_path: Path) -> None:
    add_original(tmp_path / "up" / "own", tmp_path / "data", "mine")
    for given in ("up", "up/own/mine"):
        result = mlebench(f"competitions --search mine --competitions-dir {given}")
        assert result.code == 2
        mended = result.stderr.split()[-1]
        assert mended == str(tmp_path / "up" / "own")
        assert mlebench(f"competitions --competitions-dir {mended}").code == 0


def test_an_output_folder_that_is_none(mlebench, files: Path) -> None:
    for place in (f"{files}/table.csv", f"{files}/table.csv/below"):
        result = mlebench(f"grade --submission {files}/lines.jsonl --output-dir {place}")
        assert result.code == 3
        assert "is a file" in result.stderr
        assert "--output-dir" in result.stderr


def test_several_unknown_ids_get_a_line_each(mlebench, tmp_path: Path) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("spaceship-titanik\nnope\n")
    result = mlebench(f"competitions --split {ids}")
    assert result.code == 2
    assert result.stderr.splitlines()[1:] == [
        "  'spaceship-titanik'. Did you mean 'spaceship-titanic'?",
        "  'nope'.",
    ]


def test_a_mistyped_id_is_all_that_is_told(mlebench) -> None:
    result = mlebench("prepare spaceship")
    assert result.code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Room needed" not in result.stderr


def test_what_is_not_written_yet_takes_a_line(mlebench, tmp_path: Path) -> None:
    for name in ("planned", "dreamt-of"):
        add_unwritten(tmp_path / "own", name)
    own = f"--competitions-dir {tmp_path / 'own'}"
    result = mlebench(f"-q prepare planned dreamt-of --fixture {own}")
    assert result.code == 2
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == 5


def too_long(shown: str) -> list[str]:
    """Lines that do not fit 80 columns, though their words would; paths and commands stay whole."""
    lines = [
        line for line in shown.splitlines() if len(line) > 80 and not line.startswith("mlebench ")
    ]
    return [line for line in lines if max(map(len, line.split())) < 55]


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_what_a_competition_asks_for_fits_the_terminal(
    competition_id: str, mlebench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Screen, "here", lambda: Screen(80, has_unicode=True))
    shown = mlebench(f"competitions {competition_id}").stdout
    assert "Submission" in shown
    assert too_long(shown) == []


def test_what_was_prepared_fits_the_terminal(mlebench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "here", lambda: Screen(80, has_unicode=True))
    ids = "spaceship-titanic nomad2018-predict-transparent-conductors"
    shown = mlebench(f"prepare {ids} --fixture --data-dir {'long' * 30}").stdout
    *table, place = shown.splitlines()
    assert max(map(len, table)) <= 80
    assert place.endswith("long" * 30)
    alone = mlebench(f"prepare spaceship-titanic --fixture --data-dir {'long' * 30}").stdout
    assert f"{'long' * 30}/spaceship-titanic/prepared" in alone


def test_why_some_could_not_be_prepared_fits_the_terminal(
    mlebench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Screen, "here", lambda: Screen(80, has_unicode=True))
    nowhere = tmp_path / "nowhere"
    words = "3d-object-detection-for-autonomous-vehicles tensorflow2-question-answering"
    shown = mlebench(f"prepare {words} --from {nowhere}").stdout
    lines = [line for line in shown.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80
    assert "tensorflow2-question-answering:" in shown


def test_a_broken_competition_is_not_called_ready(mlebench, tmp_path: Path) -> None:
    folder = add_competition(tmp_path / "own", "mine")
    (folder / "task.py").write_text("1 / 0\n")
    shown = mlebench("competitions mine --competitions-dir own")
    assert shown.code == 2
    assert "ZeroDivisionError" in shown.stderr
    assert re.search(r"^ready +no$", shown.stdout, re.MULTILINE)
    mended = suggested(shown.stdout)
    assert mended == f"mlebench selfcheck mine --competitions-dir {tmp_path / 'own'}"
    assert "ZeroDivisionError" in mlebench(mended).stdout
    told = json.loads(mlebench("competitions mine --competitions-dir own --json").stdout)
    assert told["ready"] is False


@pytest.mark.parametrize("code", ["1 / 0\n", "", "print('hello')\nimport nonsense_of_mine\n"])
def test_the_list_calls_the_same_competitions_ready(mlebench, tmp_path: Path, code: str) -> None:
    (add_competition(tmp_path / "own", "mine-broken") / "task.py").write_text(code)
    add_competition(tmp_path / "own", "mine-sound")
    listing = "competitions --competitions-dir own --search mine-"
    assert re.search(r"^mine-broken +user +no\b", mlebench(listing).stdout, re.MULTILINE)
    told = json.loads(mlebench(f"{listing} --json").stdout)
    assert {one["id"]: one["ready"] for one in told} == {"mine-broken": False, "mine-sound": True}
    ready = json.loads(mlebench(f"{listing} --ready --json").stdout)
    assert [one["id"] for one in ready] == ["mine-sound"]


def test_a_direction_that_nobody_knows_is_not_made_up(mlebench, tmp_path: Path) -> None:
    add_original(tmp_path / "own", tmp_path / "data", "theirs")
    (tmp_path / "own" / "theirs" / "leaderboard.csv").unlink()
    own = "--competitions-dir own --data-dir data"
    assert (
        "not known whether lower or higher is better"
        in mlebench(f"competitions theirs {own}").stdout
    )
    listing = f"competitions --search theirs {own}"
    assert "higher" not in mlebench(listing).stdout
    for arguments in (listing, f"competitions theirs {own}"):
        told = json.loads(mlebench(f"{arguments} --json").stdout)
        assert (told[0] if isinstance(told, list) else told)["lower_is_better"] is None
    (tmp_path / "data" / "theirs" / "leaderboard.csv").write_text("score\n1\n2\n")
    assert "(lower is better)" in mlebench(f"competitions theirs {own}").stdout
    assert "lower" in mlebench(listing).stdout


def test_nothing_found_is_said(mlebench) -> None:
    assert "No competition is like that" in mlebench("competitions --category zzz").stdout
    assert mlebench("competitions --category zzz --json").stdout == "[]\n"


def test_a_folder_of_downloads_will_do(mlebench, tmp_path: Path) -> None:
    made, downloads = tmp_path / "made", tmp_path / "Downloads"
    made.mkdir()
    downloads.mkdir()
    Registry(tmp_path / "x").get_competition(ID).task.fixture(made)
    with zipfile.ZipFile(downloads / f"{ID}.ZIP", "w") as packed:
        for path in sorted(made.iterdir()):
            packed.write(path, path.name)
    (downloads / "holiday.txt").touch()
    data = tmp_path / "from downloads"
    result = mlebench(f"prepare {ID} --skip-verification --from '{downloads}' --data-dir '{data}'")
    assert result.code == 0
    assert (data / ID / "prepared/public/train.csv").is_file()
    assert (downloads / f"{ID}.ZIP").is_file()
