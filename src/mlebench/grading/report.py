"""The report on one graded submission."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from typing import Any

from mlebench.registry.facts import LeaderboardOf
from mlebench.registry.leaderboard import Medal, medal_won

# Scores that JSON has no number for: they are null there, and the status tells which it was.
SCORE_OF_STATUS = {
    "graded_nan": math.nan,
    "graded_inf": math.inf,
    "graded_minus_inf": -math.inf,
}
GRADED_STATUSES = frozenset({"graded", *SCORE_OF_STATUS})
NOT_A_REPORT = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a report from anything else may raise."""


def _status_told_by(report: Mapping[str, Any]) -> str:
    """The status of a report of the original's, which has none."""
    if not report.get("submission_exists", True):
        return "no_submission"
    return "graded" if report.get("valid_submission", True) else "invalid_submission"


def graded_status(score: float) -> str:
    """The status of a graded submission."""
    if math.isnan(score):
        return "graded_nan"
    if math.isinf(score):
        return "graded_inf" if score > 0 else "graded_minus_inf"
    return "graded"


@dataclass(frozen=True)
class CompetitionReport:
    """The result of one graded submission.

    The first sixteen fields are those of the original, in its order.

    Attributes:
        status: ``graded`` (or ``graded_nan``, ``graded_inf``, ``graded_minus_inf``),
            ``no_submission``, ``invalid_submission``, ``unreadable_file``, ``not_prepared``,
            ``damaged_answers``, ``grader_error``, ``timeout``, ``out_of_memory``,
            ``too_many_processes``, ``crashed``, ``bad_line``, ``unknown_competition``,
            ``not_written`` or ``config_error``.
        error: Code, message, column and rows of what went wrong.
        percentile: The share of teams, in percent, that did no better.
        edition: ``v1`` reproduces the original, ``v2`` corrects it.
        data_source: ``kaggle`` for published data, ``bundled`` for those that come with
            mlebench, ``local`` for unverified ones, ``fixture`` for made-up data, ``unknown``
            for data that mlebench did not prepare.
        leaderboard_of: Whose scores decide about medals: those of ``teams``, or of
            ``reference solutions``; None without a leaderboard, or where a report does not tell.
        line: The line of the submissions file.
        extra: Further fields of that line, as they stand there.
    """

    competition_id: str
    score: float | None
    gold_threshold: float | None
    silver_threshold: float | None
    bronze_threshold: float | None
    median_threshold: float | None
    any_medal: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    submission_exists: bool
    valid_submission: bool
    is_lower_better: bool | None
    created_at: datetime
    submission_path: str
    status: str = "graded"
    error: dict[str, Any] | None = None
    percentile: float | None = None
    metric: str | None = None
    edition: str = "v1"
    data_source: str = "unknown"
    leaderboard_of: LeaderboardOf | None = None
    submission_sha256: str | None = None
    seconds: float | None = None
    line: int | None = None
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def medal(self) -> Medal | None:
        """The medal won, if any."""
        return medal_won(self.gold_medal, self.silver_medal, self.bronze_medal)

    def to_dict(self) -> dict[str, Any]:
        """The report as it stands in JSON."""
        has_number = self.score is not None and math.isfinite(self.score)
        # Not by `dataclasses.asdict`, which copies every value and takes ten times as long.
        return {name: getattr(self, name) for name in _names()} | {
            "score": self.score if has_number else None,
            "created_at": self.created_at.isoformat(),
            "error": dict(self.error) if self.error else None,
            "medal": self.medal,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CompetitionReport:
        """A report from JSON, ours or the original's; unknown keys are dropped."""
        values = {name: data[name] for name in _names() if name in data}
        values["extra"] = dict(values.get("extra") or {})
        values["error"] = dict(values["error"]) if values.get("error") else None
        created = datetime.fromisoformat(values["created_at"])
        score = SCORE_OF_STATUS.get(values.get("status", ""), values.get("score"))
        status = values.get("status") or _status_told_by(values)
        if status == "graded" and score is not None:
            status = graded_status(score)
        return cls(**values | {"score": score, "status": status, "created_at": created})


@cache
def _names() -> tuple[str, ...]:
    return tuple(entry.name for entry in fields(CompetitionReport))
