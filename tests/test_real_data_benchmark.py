"""The benchmark of the agent's estimates has faults to tell where there are any."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.real_data import Attempt, main, report

from mlebench.grading.report import CompetitionReport
from mlebench.registry import Registry


@pytest.fixture
def attempt() -> Attempt:
    competition = Registry().get_competition("spaceship-titanic")
    graded = CompetitionReport.from_dict(
        {
            "competition_id": competition.id,
            "score": 0.8,
            "gold_threshold": 0.82,
            "silver_threshold": 0.81,
            "bronze_threshold": 0.805,
            "median_threshold": 0.79,
            "any_medal": False,
            "gold_medal": False,
            "silver_medal": False,
            "bronze_medal": False,
            "above_median": True,
            "submission_exists": True,
            "valid_submission": True,
            "is_lower_better": False,
            "created_at": "2026-01-01T00:00:00",
            "submission_path": "submission.csv",
            "percentile": 90.0,
        }
    )
    return Attempt(competition, 0, 60.0, graded, 0.81, 0.01)


def test_what_holds_is_no_fault(attempt: Attempt) -> None:
    later = replace(attempt, seconds=300.0, estimate=0.812)
    assert report([attempt, later], is_mini=True) == 0


@pytest.mark.parametrize(
    "changes",
    [{"estimate": 0.83}, {"estimate": None}, {"error": None}],
)
def test_an_estimate_that_does_not_hold_is_a_fault(
    attempt: Attempt, changes: dict[str, float | None]
) -> None:
    assert report([replace(attempt, **changes)], is_mini=False) == 1


def test_expecting_less_in_more_time_is_a_fault(attempt: Attempt) -> None:
    again = Registry().get_competition("spaceship-titanic")  # another object each time
    later = replace(attempt, competition=again, seconds=300.0, estimate=0.80)
    other_seed = replace(later, seed=1)
    assert report([attempt, other_seed], is_mini=False) == 0
    assert report([attempt, later], is_mini=False) == 1


def test_an_estimate_after_there_was_none_is_no_fault(
    attempt: Attempt, capsys: pytest.CaptureFixture[str]
) -> None:
    without = replace(attempt, estimate=None)
    later = replace(attempt, seconds=300.0)
    assert report([without, later], is_mini=False) == 1
    assert "1 faults" in capsys.readouterr().out
    assert later.is_worse_than(attempt) is without.is_worse_than(without) is False
    assert without.is_worse_than(attempt)


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["real_data", "--raw", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit, match="there is no folder"):
        main()


def test_no_score_and_few_beaten_are_faults(attempt: Attempt) -> None:
    assert report([replace(attempt, report=replace(attempt.report, score=None))], is_mini=False)
    assert report([replace(attempt, report=replace(attempt.report, percentile=40.0))], is_mini=True)
