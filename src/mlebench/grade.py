"""Grading and validation, under the import lines of the original."""

from __future__ import annotations

from pathlib import Path

from mlebench.competition import Competition
from mlebench.grade_helpers import CompetitionReport
from mlebench.grading.batch import grade_jsonl
from mlebench.grading.reports import aggregate_reports
from mlebench.grading.single import grade_csv

__all__ = [
    "CompetitionReport",
    "aggregate_reports",
    "grade_csv",
    "grade_jsonl",
    "validate_submission",
]


def validate_submission(submission: Path | str, competition: Competition) -> tuple[bool, str]:
    """Whether a submission can be graded, and a message for the participant."""
    from mlebench.validation import validate

    verdict = validate(Path(submission), competition)
    return verdict.is_valid, verdict.result
