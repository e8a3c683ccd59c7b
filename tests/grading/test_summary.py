"""Totals over reports, and the file they are kept in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import grade_csv
from mlebench.grading.summary import aggregate_reports, write_grading_report
from mlebench.registry import Registry

TOTALS = {
    "total_runs": 4,
    "total_runs_with_submissions": 3,
    "total_valid_submissions": 2,
    "total_medals": 2,
    "total_gold_medals": 1,
    "total_silver_medals": 0,
    "total_bronze_medals": 1,
    "total_above_median": 2,
}


def some_reports(registry: Registry) -> list:
    competition = registry.get_competition("plain")
    gold = grade_csv(competition.gold_submission, competition)
    bronze = replace(gold, score=1.5, gold_medal=False, bronze_medal=True)
    invalid = replace(
        gold, score=None, gold_medal=False, any_medal=False, above_median=False,
        valid_submission=False,
    )  # fmt: skip
    return [gold, invalid, bronze, grade_csv(None, competition)]


def test_totals_count_what_they_say(graders: Registry) -> None:
    totals = aggregate_reports(some_reports(graders))
    reports = totals.pop("competition_reports")
    assert totals == TOTALS
    assert [report["score"] for report in reports] == [0.0, None, 1.5, None]


def test_totals_of_nothing_are_zero() -> None:
    totals = aggregate_reports([])
    assert set(map(str, totals.values())) == {"0", "[]"}


def test_report_file_is_named_by_its_time_and_holds_the_totals(
    graders: Registry, tmp_path: Path
) -> None:
    reports = some_reports(graders)
    path = write_grading_report(reports, tmp_path)
    assert path.name.endswith("_grading_report.json")
    assert json.loads(path.read_text(encoding="utf-8")) == aggregate_reports(reports)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["ünïcode \u2028.csv", "no text \udcff.csv"])
def test_report_file_is_indented_whatever_the_names_in_it(
    name: str, graders: Registry, tmp_path: Path
) -> None:
    reports = [replace(report, submission_path=name) for report in some_reports(graders)]
    expected = json.dumps(aggregate_reports(reports), indent=2)
    assert write_grading_report(reports, tmp_path).read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "graded"),
        ({"score": float("nan")}, "graded_nan"),
        ({"score": None, "valid_submission": False}, "invalid_submission"),
        (
            {"score": None, "valid_submission": False, "submission_exists": False},
            "no_submission",
        ),
    ],
)
def test_reports_of_the_original_get_a_status_and_can_be_written(
    changes: dict, status: str, graders: Registry, sample: Path, tmp_path: Path
) -> None:
    ours = grade_csv(sample, graders.get_competition("plain")).to_dict()
    theirs = {name: ours[name] for name in list(ours)[:16]} | changes
    report = CompetitionReport.from_dict(theirs)
    assert report.status == status
    written = write_grading_report([report], tmp_path)
    assert json.loads(written.read_text())["competition_reports"][0]["status"] == status


def test_reports_of_the_same_second_lie_side_by_side(tmp_path: Path) -> None:
    paths = {write_grading_report([], tmp_path) for _ in range(20)}
    assert len(paths) == len(list(tmp_path.iterdir())) == 20
    assert all(path.name.endswith("_grading_report.json") for path in paths)
