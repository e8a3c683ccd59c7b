"""Competition folders in the original's format, loaded from a user's folder as they are."""

import inspect
import json
import pickle
import shutil
from pathlib import Path
from textwrap import dedent

import pandas as pd
import pytest

from mlebench.data import get_leaderboard
from mlebench.data.layout import MANIFEST_FILE
from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError, DamagedAnswersError, TaskError
from mlebench.grade import grade_csv, grade_jsonl, validate_submission
from mlebench.grading.validation import validate
from mlebench.registry import Registry, registry
from mlebench.registry.competition import Competition

ID = "my-comp"

CONFIG = """\
id: {id}
name: My Competition
competition_type: simple
awards_medals: false
prizes: null
description: mlebench/competitions/{id}/description.md
dataset:
  answers: {id}/prepared/private/test.csv
  sample_submission: {id}/prepared/public/sample_submission.csv
  gold_submission: {id}/prepared/private/gold.csv
grader:
  name: rmse
  grade_fn: mlebench.competitions.{id}.grade:grade
preparer: mlebench.competitions.{id}.prepare:prepare
"""

PREPARE = """\
from pathlib import Path

from mlebench.utils import read_csv

from .names import TARGET


def prepare(raw: Path, public: Path, private: Path):
    table = read_csv(raw / "train.csv")
    test = table[table["id"] >= 3]
    table[table["id"] < 3].to_csv(public / "train.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    test.to_csv(private / "gold.csv", index=False)
    test.assign(**{TARGET: 0.0}).to_csv(public / "sample_submission.csv", index=False)
"""

GRADE = """\
import importlib

import pandas as pd

from mlebench.competitions.utils import prepare_for_accuracy_metric
from mlebench.grade_helpers import InvalidSubmissionError

names = importlib.import_module("mlebench.competitions.my-comp.names")


def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    if names.TARGET not in submission.columns:
        raise InvalidSubmissionError(f"Submission needs a column {names.TARGET}")
    pair = prepare_for_accuracy_metric(submission, answers, names.TARGET, "id")
    return ((pair["y_true"] - pair["y_pred"]) ** 2).mean() ** 0.5
"""

FILES = {
    "config.yaml": CONFIG.format(id=ID),
    "prepare.py": PREPARE,
    "grade.py": GRADE,
    "names.py": 'TARGET = "y"\n',
    "description.md": "# Predict y\n",
    "kernels.txt": "",
    "leaderboard.csv": "scoreNullable,teamId,score\n" + "".join(f"x,1,{k}.5\n" for k in range(20)),
}


def write(parent: Path, changes: dict[str, str | None] | None = None, name: str = ID) -> Path:
    """An original folder below ``parent``; returns ``parent``. None leaves a file out."""
    folder = parent / name
    folder.mkdir(parents=True)
    for file, text in (FILES | (changes or {})).items():
        if text is not None:
            (folder / file).write_text(text)
    return parent


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "train.csv").write_text("id,y\n1,1.0\n2,2.0\n3,3.0\n4,4.0\n")
    return folder


def prepared(folders: Path, raw: Path, data: Path, name: str = ID) -> Competition:
    competition = Registry(data, competitions_dirs=[folders]).get_competition(name)
    prepare(competition, raw)
    return competition


def test_a_folder_loads_unchanged(tmp_path: Path) -> None:
    competition = Registry(tmp_path, [write(tmp_path / "comps")]).get_competition(ID)
    assert competition.name == "My Competition"
    assert competition.description == "# Predict y\n"
    assert competition.grader.name == "rmse"
    assert competition.competition_type == "simple"
    assert competition.answers == tmp_path / ID / "prepared/private/test.csv"
    assert competition.gold_submission == tmp_path / ID / "prepared/private/gold.csv"
    assert competition.leaderboard == tmp_path / "comps" / ID / "leaderboard.csv"
    assert list(inspect.signature(competition.prepare_fn).parameters) == [
        "raw",
        "public",
        "private",
    ]
    assert competition.facts.lower_is_better


def test_a_folder_is_found_through_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", str(write(tmp_path / "comps")))
    found = Registry()
    assert ID in found.list_competition_ids()
    assert len(found.list_competition_ids()) == 83
    assert found.is_written(ID)
    assert ID not in registry.set_data_dir(tmp_path).get_lite_competition_ids()


def test_prepare_grade_and_validate(tmp_path: Path, raw: Path) -> None:
    competition = prepared(write(tmp_path / "comps"), raw, tmp_path / "data")
    assert (competition.public_dir / "description.md").read_text() == "# Predict y\n"

    gold = grade_csv(competition.gold_submission, competition)
    assert (gold.score, gold.gold_medal, gold.is_lower_better) == (0.0, True, True)
    sample = grade_csv(competition.sample_submission, competition)
    assert sample.score == 3.53553
    assert not sample.gold_medal
    assert validate_submission(competition.sample_submission, competition) == (
        True,
        "Submission is valid.",
    )

    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,z\n3,0\n4,0\n")
    report = grade_csv(wrong, competition)
    assert (report.status, report.score) == ("invalid_submission", None)
    is_valid, message = validate_submission(wrong, competition)
    assert not is_valid
    assert message.endswith("Submission needs a column y")


def test_a_competition_can_be_sent_to_another_process(tmp_path: Path, raw: Path) -> None:
    competition = prepared(write(tmp_path / "comps"), raw, tmp_path / "data")
    assert grade_csv(competition.gold_submission, competition).score == 0.0
    received = pickle.loads(pickle.dumps(competition))
    assert grade_csv(competition.gold_submission, received).score == 0.0


def test_grading_in_worker_processes(tmp_path: Path, raw: Path) -> None:
    folders = write(tmp_path / "comps")
    competition = prepared(folders, raw, tmp_path / "data")
    source = tmp_path / "s.jsonl"
    line = {"competition_id": ID, "submission_path": str(competition.gold_submission)}
    source.write_text(json.dumps(line) + "\n")
    path = grade_jsonl(source, tmp_path / "out", Registry(tmp_path / "data", [folders]))
    assert json.loads(path.read_text())["total_gold_medals"] == 1


def test_checksums_are_verified_and_can_be_recorded(tmp_path: Path, raw: Path) -> None:
    folders = write(tmp_path / "comps", {"checksums.yaml": "public: {}\nprivate: {}\n"})
    competition = Registry(tmp_path / "data", [folders]).get_competition(ID)
    with pytest.raises(ValueError, match="Checksums do not match for `my-comp`!"):
        prepare(competition, raw)
    prepare(competition, raw, overwrite_checksums=True)
    prepare(competition, raw, force=True)


def test_a_grader_that_fails_is_not_the_submissions_fault(tmp_path: Path, raw: Path) -> None:
    broken = "def grade(submission, answers):\n    return 1 / 0\n"
    competition = prepared(write(tmp_path / "c", {"grade.py": broken}), raw, tmp_path / "data")
    report = grade_csv(competition.sample_submission, competition)
    assert report.status == "grader_error"
    assert report.error
    assert "ZeroDivisionError" in report.error["message"]


# -- leaderboards ---------------------------------------------------------------------------


def test_without_a_leaderboard_there_are_scores_but_no_medals(tmp_path: Path, raw: Path) -> None:
    folders = write(tmp_path / "comps", {"leaderboard.csv": None})
    competition = prepared(folders, raw, tmp_path / "data")
    report = grade_csv(competition.gold_submission, competition)
    assert (report.score, report.valid_submission) == (0.0, True)
    assert report.gold_threshold is report.median_threshold is report.is_lower_better is None
    assert not report.any_medal
    with pytest.raises(ConfigError, match="my-comp has no leaderboard"):
        get_leaderboard(competition)


def test_a_leaderboard_beside_the_data_is_used(tmp_path: Path, raw: Path) -> None:
    competition = prepared(write(tmp_path / "comps"), raw, tmp_path / "data")
    (competition.data_dir / "leaderboard.csv").write_text("score\n9\n5\n1\n")
    again = Registry(tmp_path / "data", [tmp_path / "comps"]).get_competition(ID)
    assert grade_csv("none.csv", again).gold_threshold == 9


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is empty"),
        ("version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
        ("points\n1\n", "has no column named score; it has points"),
        ("score\nhigh\n", "is no finite number"),
    ],
)
def test_a_file_that_is_no_leaderboard_is_refused(
    content: str, reason: str, tmp_path: Path, raw: Path
) -> None:
    folders = write(tmp_path / "comps", {"leaderboard.csv": content})
    competition = prepared(folders, raw, tmp_path / "data")
    with pytest.raises(ConfigError, match=reason) as caught:
        grade_csv(competition.gold_submission, competition)
    assert str(competition.leaderboard) in str(caught.value)


# -- import strings -------------------------------------------------------------------------


def test_two_folders_with_the_same_package_do_not_mix(tmp_path: Path, raw: Path) -> None:
    """Each grader sees its own neighbours, also when it imports them late and in turns."""
    grade = """\
    import importlib


    def grade(submission, answers):
        names = importlib.import_module("mlebench.competitions.my-comp.names")
        from .late import OFFSET
        return float(names.FACTOR) + OFFSET
    """
    competitions = []
    for number in (1, 2):
        changes: dict[str, str | None] = {
            "grade.py": dedent(grade),
            "names.py": f'TARGET = "y"\nFACTOR = {number}\n',
            "late.py": f"OFFSET = {number / 10}\n",
        }
        folders = write(tmp_path / f"comps{number}", changes)
        competitions.append(prepared(folders, raw, tmp_path / f"data{number}"))
    first, second = competitions
    for _ in range(2):
        assert grade_csv(first.sample_submission, first).score == 1.1
        assert grade_csv(second.sample_submission, second).score == 2.2


def test_modules_keep_their_state_when_folders_take_turns(tmp_path: Path, raw: Path) -> None:
    counting = (
        "calls = []\ndef grade(submission, answers):\n    calls.append(0)\n    return len(calls)\n"
    )
    first = prepared(write(tmp_path / "a", {"grade.py": counting}), raw, tmp_path / "da")
    second = prepared(write(tmp_path / "b", {"grade.py": counting}), raw, tmp_path / "db")
    scores = [grade_csv(c.sample_submission, c).score for c in (first, second, first, second)]
    assert scores == [1, 1, 2, 2]


@pytest.mark.parametrize("prefix", ["", "my_tasks.", "my_tasks.kaggle.my-comp."])
def test_any_package_name_will_do(prefix: str, tmp_path: Path, raw: Path) -> None:
    config = FILES["config.yaml"].replace(f"mlebench.competitions.{ID}.", prefix)
    changes: dict[str, str | None] = {
        "config.yaml": config,
        "grade.py": "from .names import TARGET\ndef grade(s, a):\n    return float(len(TARGET))\n",
    }
    competition = prepared(write(tmp_path / "comps", changes), raw, tmp_path / "data")
    assert grade_csv(competition.sample_submission, competition).score == 1.0


def test_an_absolute_import_inside_a_folder(tmp_path: Path, raw: Path) -> None:
    config = CONFIG.format(id="my_comp")
    changes: dict[str, str | None] = {
        "config.yaml": config,
        "__init__.py": "BONUS = 1\n",
        "grade.py": "from mlebench.competitions.my_comp import BONUS\n"
        "from mlebench.competitions.my_comp.names import TARGET\n"
        "def grade(s, a):\n    return float(len(TARGET) + BONUS)\n",
    }
    folders = write(tmp_path / "comps", changes, name="my_comp")
    competition = prepared(folders, raw, tmp_path / "data", name="my_comp")
    assert grade_csv(competition.sample_submission, competition).score == 2.0


def test_a_folder_may_borrow_its_neighbours_grader(tmp_path: Path, raw: Path) -> None:
    folders = write(tmp_path / "comps")
    borrowed = CONFIG.format(id="other").replace(
        "mlebench.competitions.other.grade:", f"mlebench.competitions.{ID}.grade:"
    )
    write(folders, {"config.yaml": borrowed, "grade.py": "raise SystemExit\n"}, name="other")
    competition = prepared(folders, raw, tmp_path / "data", name="other")
    assert grade_csv(competition.gold_submission, competition).score == 0.0


def test_a_folder_never_hides_our_own_modules(tmp_path: Path, raw: Path) -> None:
    """The folder has a ``grade.py``, but the string names ours."""
    config = FILES["config.yaml"].replace(f"mlebench.competitions.{ID}.grade:", "mlebench.grade:")
    competition = prepared(
        write(tmp_path / "comps", {"config.yaml": config}), raw, tmp_path / "data"
    )
    with pytest.raises(ConfigError, match=r"cannot import 'mlebench\.grade:grade'"):
        grade_csv(competition.sample_submission, competition)


# -- mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    ["id", "name", "competition_type", "dataset", "grader", "preparer", "answers", "grade_fn"],
)
def test_a_missing_key_is_named(key: str, tmp_path: Path) -> None:
    config = FILES["config.yaml"].replace(f"{key}:", f"no_{key}:", 1)
    folders = write(tmp_path / "comps", {"config.yaml": config})
    with pytest.raises(ConfigError, match=rf"config\.yaml.*`{key}`"):
        Registry(tmp_path, [folders]).get_competition(ID)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config.yaml": CONFIG.format(id="another")}, "must equal the folder's name"),
        ({"config.yaml": "[1, 2"}, "is not valid YAML"),
        ({"config.yaml": ""}, r"config\.yaml: the file must be fields with values"),
        ({"description.md": None}, r"description\.md does not exist"),
    ],
)
def test_a_wrong_folder_is_refused(
    changes: dict[str, str | None], message: str, tmp_path: Path
) -> None:
    folders = write(tmp_path / "comps", changes)
    with pytest.raises(ConfigError, match=message):
        Registry(tmp_path, [folders]).get_competition(ID)


@pytest.mark.parametrize(
    "parameters",
    [
        "",
        "raw, public",
        "public, raw, private",
        "raw, public, private, extra",
        "raw, public, private, *, extra",
        "extra=1, raw=1, public=1, private=1",
    ],
)
def test_a_prepare_function_with_other_parameters_is_refused(
    parameters: str, tmp_path: Path, raw: Path
) -> None:
    folders = write(tmp_path / "comps", {"prepare.py": f"def prepare({parameters}): pass\n"})
    with pytest.raises(ConfigError, match="must take the parameters raw, public, private"):
        prepared(folders, raw, tmp_path / "data")


def test_a_file_that_the_raw_data_lack_is_told_with_the_line_that_wants_it(
    tmp_path: Path, raw: Path
) -> None:
    code = "def prepare(raw, public, private):\n    open(raw / 'trian.csv')\n"
    folders = write(tmp_path / "comps", {"prepare.py": code})
    with pytest.raises(TaskError, match=r"trian\.csv' \(prepare\.py, line 2\)"):
        prepared(folders, raw, tmp_path / "data")


@pytest.mark.parametrize("extra", ["seed=0", "*, n_test=2, seed=0", "*args", "**options"])
def test_a_prepare_function_may_take_more_if_it_need_not_be_given(
    extra: str, tmp_path: Path, raw: Path
) -> None:
    code = PREPARE.replace("private: Path)", f"private: Path, {extra})")
    competition = prepared(write(tmp_path / "comps", {"prepare.py": code}), raw, tmp_path / "data")
    assert grade_csv(competition.gold_submission, competition).score == 0.0


def test_there_is_one_edition_of_a_folder(tmp_path: Path) -> None:
    later = Registry(tmp_path, [write(tmp_path / "comps")], edition="v2")
    with pytest.raises(ConfigError, match="one edition, v1; there is no v2"):
        later.get_competition(ID)
    assert ID in later.list_competition_ids()
    assert all(later.get_facts(name) for name in later.list_competition_ids())
    assert all(later.is_written(name) for name in (ID, "spaceship-titanic"))


def test_our_own_format_checks_the_parameters_too(tmp_path: Path, raw: Path) -> None:
    built_in = registry.get_competitions_dir() / "spaceship-titanic"
    folder = tmp_path / "comps" / "spaceship-titanic"
    shutil.copytree(built_in, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "task.py").write_text("def prepare(raw, private, public): pass\n")
    with pytest.raises(ConfigError, match="must take the parameters raw, public, private"):
        prepared(folder.parent, raw, tmp_path / "data", name="spaceship-titanic")


@pytest.mark.parametrize(
    ("grade", "message"),
    [
        (None, r"there is no grade\.py"),
        ("import no_such_library\n", "cannot import .*No module named 'no_such_library'"),
        ("def other(): pass\n", "cannot import .*AttributeError"),
        ("def grade(:\n", "cannot import .*SyntaxError"),
        ("grade = 1\n", "is not a function"),
    ],
)
def test_a_grader_that_cannot_be_imported(
    grade: str | None, message: str, tmp_path: Path, raw: Path
) -> None:
    competition = prepared(write(tmp_path / "c", {"grade.py": grade}), raw, tmp_path / "data")
    with pytest.raises(ConfigError, match=message):
        grade_csv(competition.sample_submission, competition)


@pytest.mark.parametrize(
    ("grade", "told"),
    [
        ("raise ValueError(answers['y'].astype(str).sum())", "ValueError"),
        ("return float(answers['y'].iloc[0] + 'x')", "ValueError"),
        ("assert False, 'the column y is wrong'", "the column y is wrong"),
    ],
)
def test_of_a_failing_grader_only_its_authors_words_are_told(
    grade: str, told: str, tmp_path: Path, raw: Path
) -> None:
    code = f"def grade(submission, answers):\n    {grade}\n"
    competition = prepared(write(tmp_path / "c", {"grade.py": code}), raw, tmp_path / "d")
    answers = pd.read_csv(competition.answers)
    answers.assign(y="s3cr3t").to_csv(competition.answers, index=False)
    (competition.prepared_dir / MANIFEST_FILE).unlink()  # which knows them as they were
    verdict = validate(competition.sample_submission, competition)
    assert not verdict.is_valid
    assert told in verdict.result
    assert "s3cr3t" not in verdict.result
    report = grade_csv(competition.sample_submission, competition)
    assert report.error is not None
    assert told in report.error["message"]
    assert "s3cr3t" not in report.error["message"]


def test_damaged_answers_are_not_the_submissions_fault(tmp_path: Path, raw: Path) -> None:
    competition = prepared(write(tmp_path / "c"), raw, tmp_path / "d")
    competition.answers.write_bytes(b"id,y\n1,2\n1,2,s3cr3t,4\n")
    for judge in (validate, grade_csv):
        with pytest.raises(DamagedAnswersError) as caught:
            judge(competition.sample_submission, competition)
        assert "s3cr3t" not in str(caught.value)


def test_a_file_that_is_no_table_is_refused_as_such(tmp_path: Path, raw: Path) -> None:
    competition = prepared(write(tmp_path / "c"), raw, tmp_path / "d")
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("id,y\n1,2\n1,2,3,4\n")
    report = grade_csv(ragged, competition)
    assert report.status == "invalid_submission"
    assert report.error is not None
    assert report.error["code"] == "unreadable"
