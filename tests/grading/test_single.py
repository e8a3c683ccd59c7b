"""Grading one submission: what the report says in each case."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.errors import ConfigError, NotPreparedError
from mlebench.grading.report import CompetitionReport, graded_status
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.conftest import Prepared

ORIGINAL_KEYS = [
    "competition_id",
    "score",
    "gold_threshold",
    "silver_threshold",
    "bronze_threshold",
    "median_threshold",
    "any_medal",
    "gold_medal",
    "silver_medal",
    "bronze_medal",
    "above_median",
    "submission_exists",
    "valid_submission",
    "is_lower_better",
    "created_at",
    "submission_path",
]


@pytest.fixture
def plain(graders: Registry) -> Competition:
    return graders.get_competition("plain")


def test_perfect_submission_wins_gold(plain: Competition) -> None:
    report = grade_csv(plain.gold_submission, plain)
    assert (report.status, report.score, report.gold_medal) == ("graded", 0.0, True)
    assert report.any_medal
    assert report.above_median
    assert not report.silver_medal
    assert not report.bronze_medal
    assert report.valid_submission
    assert report.submission_exists
    assert report.error is None


def test_report_names_file_metric_edition_and_source(plain: Competition) -> None:
    report = grade_csv(plain.sample_submission, plain)
    digest = hashlib.sha256(plain.sample_submission.read_bytes()).hexdigest()
    assert report.submission_sha256 == digest
    assert report.submission_path == str(plain.sample_submission)
    assert report.metric == "root mean squared error"
    assert (report.edition, report.data_source) == ("v1", "fixture")
    assert report.is_lower_better is True


def test_json_begins_with_the_originals_keys_in_their_order(plain: Competition) -> None:
    text = json.dumps(grade_csv(plain.sample_submission, plain).to_dict())
    assert list(json.loads(text))[: len(ORIGINAL_KEYS)] == ORIGINAL_KEYS


def test_report_survives_json(plain: Competition) -> None:
    report = grade_csv(plain.sample_submission, plain)
    assert CompetitionReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


def test_score_is_rounded_to_five_decimals(plain: Competition) -> None:
    score = grade_csv(plain.sample_submission, plain).score
    assert score == round(score, 5)


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("none.csv", "no_submission", "does not exist"),
        (None, "no_submission", "Nothing was submitted"),
        ("folder.csv", "not_csv", "is a folder; name the csv in it"),
        ("table.txt", "not_csv", "must be a CSV"),
    ],
)
def test_absent_submission_is_reported_with_thresholds(
    path: str | None, code: str, says: str, plain: Competition, tmp_path: Path
) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "table.txt").write_bytes(plain.sample_submission.read_bytes())
    report = grade_csv(tmp_path / path if path else None, plain)
    assert report.status == "no_submission"
    assert report.error is not None
    assert report.error["code"] == code
    assert says in report.error["message"]
    if path:  # validation says the same
        assert validate(tmp_path / path, plain).error == report.error
    assert (report.submission_exists, report.valid_submission) == (False, False)
    assert report.score is None
    assert report.gold_threshold == 0.5


@pytest.mark.parametrize("nothing", [None, "None"])
def test_nobody_is_told_to_check_a_path_that_was_not_given(
    nothing: str | None, plain: Competition, caplog: pytest.LogCaptureFixture
) -> None:
    report = grade_csv(nothing, plain)
    assert (report.status, report.submission_path) == ("no_submission", "None")
    assert caplog.text == ""


def test_invalid_submission_is_reported_with_the_reason(plain: Competition, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(plain.sample_submission.read_text().replace("0.0", "much", 1))
    report = grade_csv(path, plain)
    assert report.status == "invalid_submission"
    assert report.error is not None
    assert report.error["code"] == "not_a_number"
    assert (report.error["column"], report.error["rows"]) == ("value", [1])
    assert report.submission_exists
    assert not report.valid_submission


def test_failing_grader_is_not_the_submissions_fault(graders: Registry, sample: Path) -> None:
    report = grade_csv(sample, graders.get_competition("raises"))
    assert report.status == "grader_error"
    assert report.error is not None
    assert "ZeroDivisionError" in report.error["message"]
    assert "my own fault" not in report.error["message"]  # it might quote the answers
    assert report.score is None


def test_unprepared_competition_says_how_to_prepare_it(tmp_path: Path) -> None:
    competition = Registry(tmp_path, ()).get_competition("spaceship-titanic")
    with pytest.raises(NotPreparedError, match="mlebench prepare -c spaceship-titanic"):
        grade_csv(tmp_path / "submission.csv", competition)


def test_an_id_in_place_of_a_competition_is_told_apart(plain: Competition) -> None:
    for function in (grade_csv, validate):
        with pytest.raises(ConfigError, match=r'registry\.get_competition\("plain"\)'):
            function(plain.gold_submission, "plain")  # type: ignore[operator]


def test_undefined_score_is_valid_in_v1(graders: Registry, sample: Path) -> None:
    report = grade_csv(sample, graders.get_competition("undefined"))
    assert math.isnan(report.score)
    assert (report.status, report.valid_submission, report.any_medal) == ("graded_nan", True, False)
    assert report.percentile is None


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_scores_that_json_has_no_number_for_are_null_and_come_back(
    score: float, graders: Registry, sample: Path
) -> None:
    report = grade_csv(sample, graders.get_competition("undefined"))
    report = replace(report, score=score, status=graded_status(score))
    written = json.dumps(report.to_dict(), allow_nan=False)
    assert json.loads(written)["score"] is None
    assert json.loads(written)["status"].startswith("graded_")
    back = CompetitionReport.from_dict(json.loads(written))
    assert str(back.score) == str(score)
    assert back.valid_submission


def test_edition_v2_owes_every_valid_submission_a_score(graders: Registry, sample: Path) -> None:
    report = grade_csv(sample, graders.set_edition("v2").get_competition("undefined"))
    assert (report.status, report.score) == ("grader_error", None)


@pytest.mark.parametrize(
    ("edition", "constant", "with_a_gap"), [("v1", "nan", "nan"), ("v2", "0.0", "None")]
)
def test_correlation_with_a_constant_is_nothing_in_v1_and_zero_in_v2(
    edition: str, constant: str, with_a_gap: str, prepared: Prepared, tmp_path: Path
) -> None:
    competition = prepared("us-patent-phrase-to-phrase-matching", edition)
    sample = competition.sample_submission
    assert str(grade_csv(sample, competition).score) == constant
    gap = tmp_path / "gap.csv"
    gap.write_text(sample.read_text().replace(",0\n", ",\n", 1))
    assert str(grade_csv(gap, competition).score) == with_a_gap
