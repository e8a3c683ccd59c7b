"""The contract with programs written for the original, one section a row of the table.

Whatever is called here is called the way those programs call it.
"""

import copy
import dataclasses
import inspect
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from mlebench.registry.competition import Competition

from .conftest import ID

REPORT_KEYS = [
    "competition_id", "score", "gold_threshold", "silver_threshold", "bronze_threshold",
    "median_threshold", "any_medal", "gold_medal", "silver_medal", "bronze_medal",
    "above_median", "submission_exists", "valid_submission", "is_lower_better", "created_at",
    "submission_path",
]  # fmt: skip

TOTAL_KEYS = [
    "total_runs", "total_runs_with_submissions", "total_valid_submissions", "total_medals",
    "total_gold_medals", "total_silver_medals", "total_bronze_medals", "total_above_median",
    "competition_reports",
]  # fmt: skip

RANK_KEYS = {
    "gold_medal", "silver_medal", "bronze_medal", "above_median",
    "gold_threshold", "silver_threshold", "bronze_threshold", "median_threshold",
}  # fmt: skip


def parameters(function: object) -> list[str]:
    return list(inspect.signature(function).parameters)  # type: ignore[arg-type]


# -- registry -----------------------------------------------------------------------------


def test_registry_import_lines(data_dir: Path) -> None:
    from mlebench.registry import Competition, Registry, registry
    from mlebench.registry import registry as DEFAULT_REGISTRY  # noqa: N812

    assert registry is DEFAULT_REGISTRY
    assert isinstance(registry, Registry)
    assert Registry(data_dir).get_data_dir() == Registry(data_dir=data_dir).get_data_dir()
    assert isinstance(registry.get_competition(ID), Competition)


@pytest.mark.parametrize("kind", [str, Path])
def test_set_data_dir_returns_a_new_registry(tmp_path: Path, kind: type) -> None:
    from mlebench.registry import registry

    before = registry.get_data_dir()
    changed = registry.set_data_dir(kind(tmp_path))
    assert changed is not registry
    assert changed.get_data_dir() == tmp_path
    assert registry.get_data_dir() == before


def test_set_data_dir_keeps_the_users_competitions(tmp_path: Path) -> None:
    from mlebench.registry import Registry

    changed = Registry(competitions_dirs=[tmp_path]).set_data_dir(tmp_path)
    assert changed.user_dirs == (tmp_path,)


def test_registry_lists() -> None:
    from mlebench.registry import registry

    ids = registry.list_competition_ids()
    assert len(ids) == 82
    assert ids == sorted(ids)
    assert len(registry.get_lite_competition_ids()) == 22
    assert set(registry.get_lite_competition_ids()) < set(ids)
    low = (registry.get_splits_dir() / "low.txt").read_text().split()
    assert low == registry.get_lite_competition_ids()
    assert (registry.get_competitions_dir() / ID / "description.md").is_file()


@pytest.mark.parametrize("variable", ["MLEBENCH_DATA_DIR", "MLE_BENCH_DATA_DIR"])
def test_data_dir_from_the_environment(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlebench.registry import registry

    monkeypatch.setenv(variable, str(tmp_path))
    assert registry.get_data_dir() == tmp_path.resolve()


def test_every_competition_is_known_without_data(tmp_path: Path) -> None:
    from mlebench.registry import Registry

    registry = Registry(tmp_path)
    for competition_id in registry.list_competition_ids():
        assert registry.get_competition(competition_id).id == competition_id
    assert not list(tmp_path.iterdir())


# -- Competition --------------------------------------------------------------------------


def test_competition_attributes_and_data_layout(data_dir: Path, competition: Competition) -> None:
    home = data_dir / ID
    assert competition.id == ID
    assert competition.name == "Spaceship Titanic"
    assert competition.description == (home / "prepared/public/description.md").read_text()
    assert competition.grader.name == "accuracy"
    assert competition.answers == home / "prepared/private/test.csv"
    assert competition.gold_submission == competition.answers
    assert competition.sample_submission == home / "prepared/public/sample_submission.csv"
    assert competition.competition_type == "simple"
    assert parameters(competition.prepare_fn) == ["raw", "public", "private"]
    assert competition.raw_dir == home / "raw"
    assert competition.private_dir == home / "prepared/private"
    assert competition.public_dir == home / "prepared/public"
    assert competition.checksums.is_file()
    assert "score" in pd.read_csv(competition.leaderboard).columns


def test_competition_is_frozen_but_can_be_broken_open(
    competition: Competition, tmp_path: Path
) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        competition.answers = tmp_path  # type: ignore[misc]

    clone = copy.copy(competition)
    answers = tmp_path / "answers.csv"
    answers.write_text(competition.answers.read_text())
    object.__setattr__(clone, "answers", answers)
    assert clone.answers == answers
    assert competition.answers != answers
    assert clone.leaderboard == competition.leaderboard

    object.__setattr__(clone, "prepare_fn", print)
    assert clone.prepare_fn is print

    board = tmp_path / "leaderboard.csv"
    board.write_text("score\n0.9\n0.1\n")
    object.__setattr__(clone, "leaderboard", board)
    assert clone.leaderboard == board
    assert clone.load_leaderboard().thresholds.gold == 0.9


def test_a_changed_answers_path_is_the_one_graded(competition: Competition, tmp_path: Path) -> None:
    from mlebench.grade import grade_csv

    table = pd.read_csv(competition.answers)
    table["Transported"] = ~table["Transported"]
    table.to_csv(tmp_path / "test.csv", index=False)
    object.__setattr__(competition, "answers", tmp_path / "test.csv")
    assert grade_csv(competition.gold_submission, competition).score == 0.0


def test_dataclasses_replace(competition: Competition, tmp_path: Path) -> None:
    changed = dataclasses.replace(competition, raw_dir=tmp_path)
    assert changed.raw_dir == tmp_path
    assert changed.leaderboard == competition.leaderboard
    assert changed.has_full_leaderboard == competition.has_full_leaderboard
    assert changed.grader is competition.grader


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_competitions_can_be_sent_to_other_processes(
    clone: Callable[[Competition], Competition], competition: Competition
) -> None:
    from mlebench.grade import grade_csv

    assert grade_csv(competition.gold_submission, competition).score == 1.0
    received = clone(competition)
    assert grade_csv(competition.gold_submission, received).score == 1.0
    assert received.own_task is received.task


def test_an_exchanged_grader_is_the_one_that_grades(competition: Competition) -> None:
    from mlebench.grade import grade_csv, validate_submission
    from mlebench.grade_helpers import Grader

    lenient = dataclasses.replace(competition, grader=Grader("half", lambda *_: 0.5))
    assert grade_csv(competition.sample_submission, lenient).score == 0.5
    assert validate_submission(competition.sample_submission, lenient)[0]


def test_an_exchanged_prepare_function_is_the_one_that_prepares(tmp_path: Path) -> None:
    from mlebench.data import download_and_prepare_dataset, is_dataset_prepared
    from mlebench.registry import Registry

    def prepare(raw: Path, public: Path, private: Path) -> None:
        (public / "sample_submission.csv").write_text("PassengerId,Transported\na,True\n")
        (private / "test.csv").write_text("PassengerId,Transported\na,True\n")

    competition = Registry(tmp_path).get_competition(ID)
    object.__setattr__(competition, "prepare_fn", prepare)
    competition.raw_dir.mkdir(parents=True)
    (competition.raw_dir / "train.csv").write_text("anything")
    download_and_prepare_dataset(competition, skip_verification=True)
    assert is_dataset_prepared(competition)


# -- grade --------------------------------------------------------------------------------


def test_grade_csv_reports_a_medal(competition: Competition) -> None:
    from mlebench.grade import grade_csv
    from mlebench.grade_helpers import CompetitionReport

    report = grade_csv(competition.gold_submission, competition)
    assert isinstance(report, CompetitionReport)
    assert (report.score, report.any_medal, report.gold_medal) == (1.0, True, True)
    assert report.is_lower_better is False
    assert list(report.to_dict())[:16] == REPORT_KEYS
    as_json = json.loads(json.dumps(report.to_dict()))
    assert CompetitionReport.from_dict(as_json) == report


@pytest.mark.parametrize("path", ["dummy.csv", Path("dummy.csv"), "submission.txt", None, "None"])
def test_grading_a_missing_file_does_not_raise(
    path: str | Path | None, competition: Competition
) -> None:
    from mlebench.grade import grade_csv

    report = grade_csv(path, competition)  # type: ignore[arg-type]
    assert report.score is None
    assert not report.submission_exists
    assert not report.valid_submission
    assert not report.any_medal
    assert report.gold_threshold == 0.82066
    assert report.submission_path == str(path)


def test_grading_needs_the_private_folder_only(competition: Competition, tmp_path: Path) -> None:
    """Sandboxes mount the answers alone."""
    from mlebench.data import is_dataset_prepared
    from mlebench.grade import grade_csv
    from mlebench.registry import Registry

    inside = Registry(tmp_path).get_competition(ID)
    inside.private_dir.mkdir(parents=True)
    inside.answers.write_bytes(competition.answers.read_bytes())
    assert is_dataset_prepared(inside, grading_only=True)
    assert not is_dataset_prepared(inside)
    assert grade_csv(competition.gold_submission, inside).score == 1.0


def test_unprepared_data_are_a_value_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlebench.grade import grade_csv, validate_submission
    from mlebench.registry import registry

    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path))
    competition = registry.get_competition(ID)
    submission = tmp_path / "submission.csv"
    submission.write_text("PassengerId,Transported\n")
    message = (
        rf"^Dataset for competition `{ID}` is not prepared! Please run `mlebench prepare -c {ID}` "
        "to prepare the dataset"
    )
    with pytest.raises(ValueError, match=message):
        grade_csv(submission, competition)
    with pytest.raises(ValueError, match=message):
        validate_submission(submission, competition)


def test_validate_submission_messages(competition: Competition, tmp_path: Path) -> None:
    from mlebench.grade import validate_submission

    assert validate_submission(competition.sample_submission, competition) == (
        True,
        "Submission is valid.",
    )
    missing = tmp_path / "missing.csv"
    assert validate_submission(missing, competition) == (
        False,
        f"Submission invalid! Submission file {missing} does not exist.",
    )
    text = tmp_path / "submission.txt"
    text.write_text("PassengerId,Transported\n")
    assert validate_submission(text, competition) == (
        False,
        "Submission invalid! Submission file must be a CSV file.",
    )
    broken = tmp_path / "broken.csv"
    broken.write_text("PassengerId\n1\n")
    is_valid, message = validate_submission(broken, competition)
    assert not is_valid
    assert message.startswith(
        "Submission invalid! The attempt to grade the submission has resulted in the "
        "following error message:\n"
    )
    assert "Transported" in message


def test_grade_jsonl_and_aggregate_reports(competition: Competition, tmp_path: Path) -> None:
    from mlebench.grade import aggregate_reports, grade_csv, grade_jsonl
    from mlebench.registry import registry

    lines = [
        "# a comment",
        "// another",
        "",
        json.dumps({"competition_id": ID, "submission_path": str(competition.gold_submission)}),
        json.dumps({"competition_id": ID, "submission_path": None, "logs_path": "x"}),
    ]
    source, output = tmp_path / "submission.jsonl", tmp_path / "out"
    source.write_text("\n".join(lines))
    data_dir = competition.data_dir.parent
    grade_jsonl(source, output, registry.set_data_dir(data_dir))
    (path,) = output.iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\w+_grading_report\.json", path.name)
    totals = json.loads(path.read_text())
    assert list(totals)[: len(TOTAL_KEYS)] == TOTAL_KEYS
    assert (totals["total_runs"], totals["total_medals"]) == (2, 1)
    assert totals["total_runs_with_submissions"] == totals["total_valid_submissions"] == 1
    assert [report["submission_path"] for report in totals["competition_reports"]] == [
        str(competition.gold_submission),
        "None",
    ]
    assert parameters(grade_jsonl)[:3] == ["path_to_submissions", "output_dir", "registry"]
    report = grade_csv(competition.gold_submission, competition)
    assert list(aggregate_reports([report, report])) == TOTAL_KEYS


# -- grader -------------------------------------------------------------------------------


def test_grader_calls(competition: Competition) -> None:
    from mlebench.data import get_leaderboard
    from mlebench.grade_helpers import InvalidSubmissionError
    from mlebench.utils import load_answers, read_csv

    grader, board = competition.grader, get_leaderboard(competition)
    answers = load_answers(competition.answers)
    sample = read_csv(competition.sample_submission)
    exact = grader.grade_fn(sample, answers)
    assert grader(sample, answers) == round(exact, 5)
    assert grader.is_lower_better(board) is False

    broken = sample.drop(columns="Transported")
    assert grader(broken, answers) is None
    with pytest.raises(InvalidSubmissionError):
        grader.grade_fn(broken, answers)


@pytest.mark.parametrize("score", [None, 0, 0.81, 1.0, float("nan")])
def test_rank_score_tells_thresholds_for_any_score(
    score: float | None, competition: Competition
) -> None:
    from mlebench.data import get_leaderboard

    ranked = competition.grader.rank_score(score, get_leaderboard(competition))
    assert set(ranked) == RANK_KEYS
    assert ranked["gold_threshold"] == 0.82066
    assert ranked["bronze_medal"] == (score == 0.81)
    assert ranked["gold_medal"] == (score == 1.0)


def test_grader_from_an_import_string() -> None:
    from mlebench.grade_helpers import Grader

    grader = Grader(name="accuracy", grade_fn="mlebench.metrics.classification:accuracy")
    assert grader(pd.DataFrame([1, 0, 0]), pd.DataFrame([1, 1, 1])) == 0.33333
    same = Grader.from_dict({"name": grader.name, "grade_fn": grader.grade_fn})
    assert same.name == "accuracy"


def test_report_is_rebuilt_from_sixteen_keywords() -> None:
    from mlebench.grade_helpers import CompetitionReport

    values = dict.fromkeys(REPORT_KEYS, False) | {
        "competition_id": ID,
        "score": 0.5,
        "created_at": datetime(2026, 1, 2, 3, 4, 5),
        "submission_path": "submission.csv",
    }
    report = CompetitionReport(**values)  # type: ignore[arg-type]
    assert report.to_dict()["created_at"] == "2026-01-02T03:04:05"


def test_invalid_submission_error_takes_a_mere_message() -> None:
    from mlebench.grade_helpers import InvalidSubmissionError

    with pytest.raises(InvalidSubmissionError, match="no such column"):
        raise InvalidSubmissionError("no such column")


# -- command line -------------------------------------------------------------------------


def mlebench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mlebench", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("what", ["gold", "None"])
def test_grade_sample_prints_json_on_stderr(what: str, competition: Competition) -> None:
    submission = competition.gold_submission if what == "gold" else "None"
    data_dir = competition.data_dir.parent
    done = mlebench("grade-sample", submission, ID, "--data-dir", data_dir)
    assert done.returncode == 0
    assert "Competition report:" in done.stderr
    found = re.search(r"^[^{]*(\{.*\})\s*$", done.stderr, re.DOTALL)
    assert found
    report = json.loads(found[1])
    assert list(report)[:16] == REPORT_KEYS
    assert report["score"] == (1.0 if what == "gold" else None)


def test_prepare_and_grade_commands(competition: Competition, tmp_path: Path) -> None:
    data_dir, listed = tmp_path / "data", tmp_path / "ids.txt"
    listed.write_text(f"{ID}\n")
    done = mlebench("prepare", "--list", listed, "--data-dir", data_dir, "--fixture")
    assert done.returncode == 0, done.stderr
    line = {"competition_id": ID, "submission_path": str(competition.gold_submission)}
    (tmp_path / "s.jsonl").write_text(json.dumps(line) + "\n")
    done = mlebench(
        "grade", "--submission", tmp_path / "s.jsonl", "--output-dir", tmp_path / "out",
        "--data-dir", data_dir,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("*_grading_report.json"))) == 1


def test_prepare_knows_all_options() -> None:
    text = mlebench("prepare", "--help").stdout
    for option in (
        "-c", "--competition-id", "-a", "--all", "--lite", "-l", "--list", "--keep-raw",
        "--data-dir", "--overwrite-checksums", "--overwrite-leaderboard", "--skip-verification",
    ):  # fmt: skip
        assert option in text
    for option in ("-c", "--all", "--force"):
        assert option in mlebench("dev", "download-leaderboard", "--help").stdout


# -- wrong usage seen in the wild ------------------------------------------------------------


def test_facade(competition: Competition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mle_bench.validation import validate_submission

    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(competition.data_dir.parent))
    gold = validate_submission(submission_path=competition.gold_submission, competition_id=ID)
    assert (gold.valid, gold.score, gold.medal_tier) == (True, 1.0, "gold")
    sample = validate_submission(
        submission_path=str(competition.sample_submission), competition_id=ID
    )
    assert (sample.valid, sample.medal_tier) == (True, None)
    missing = validate_submission(submission_path="missing.csv", competition_id=ID)
    assert (missing.valid, missing.score, missing.medal_tier) == (False, None, None)
    broken = tmp_path / "broken.csv"
    broken.write_text("PassengerId\n1\n")
    refused = validate_submission(submission_path=broken, competition_id=ID)
    assert (refused.valid, refused.score) == (False, None)
    assert refused.message
    assert "Transported" in refused.message


def test_running_the_grade_module_names_the_right_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mlebench.grade", "--competition", ID, "--submission", "s.csv"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert f"mlebench grade-sample s.csv {ID}" in done.stderr
    assert "Traceback" not in done.stderr
