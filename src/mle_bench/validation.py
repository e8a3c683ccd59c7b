"""Validation with a score and a medal: a facade over `mlebench.grade.grade_csv`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mlebench.grade import grade_csv
from mlebench.registry import Registry
from mlebench.registry import registry as default_registry
from mlebench.registry.leaderboard import Medal

__all__ = ["ValidationResult", "validate_submission"]


@dataclass(frozen=True)
class ValidationResult:
    """The outcome of a validation.

    Attributes:
        valid: Whether the submission can be graded.
        score: Its score; none if it is invalid.
        medal_tier: The medal the score would have won, if any.
        message: What is wrong with an invalid submission.
    """

    valid: bool
    score: float | None
    medal_tier: Medal | None
    message: str | None = None


def validate_submission(
    submission_path: Path | str,
    competition_id: str,
    registry: Registry = default_registry,
) -> ValidationResult:
    """Grade a submission to a prepared competition; a missing or broken file is invalid."""
    report = grade_csv(submission_path, registry.get_competition(competition_id))
    message = None
    if report.error:
        message = str(report.error["message"])
    elif not report.submission_exists:
        message = f"{report.submission_path} is not an existing csv file."
    return ValidationResult(
        valid=report.valid_submission,
        score=report.score,
        medal_tier=report.medal,
        message=message,
    )
