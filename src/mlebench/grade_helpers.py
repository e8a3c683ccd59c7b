"""Graders and reports, under the import line of the original."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mlebench.errors import GraderError, InvalidSubmissionError
from mlebench.leaderboard import Leaderboard, Medal, medal_won

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CompetitionReport", "Grader", "GraderError", "InvalidSubmissionError"]

logger = logging.getLogger(__name__)

DECIMALS = 5

GradeFunction = Callable[["pd.DataFrame", Any], float]


class Grader:
    """Scores a submission and ranks the score.

    Attributes:
        name: The metric.
        grade_fn: Gives the exact score of a table against the answers; raises for an
            invalid submission.
    """

    def __init__(self, name: str, grade_fn: str | GradeFunction) -> None:
        """Make a grader from a metric's name and a function or its import string."""
        if not name:
            raise ValueError("A grader needs a name.")
        self.name = name
        if isinstance(grade_fn, str):
            from mlebench.utils import import_fn

            grade_fn = import_fn(grade_fn)
        self.grade_fn: GradeFunction = grade_fn

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Grader:
        """A grader from the ``grader`` section of a config."""
        return Grader(**data)

    def __call__(self, submission: pd.DataFrame, answers: Any) -> float | None:
        """The score rounded to five decimals, or nothing if there is none."""
        try:
            return round_score(self.grade_fn(submission, answers))
        except InvalidSubmissionError as error:
            logger.warning("Invalid submission: %s", error)
        except Exception:
            logger.exception("Unexpected error while grading with %s", self.name)
        return None

    def is_lower_better(self, leaderboard: pd.DataFrame) -> bool:
        """The direction of the metric, read off a leaderboard in rank order."""
        scores = leaderboard["score"]
        return bool(scores.iloc[0] < scores.iloc[-1])

    def rank_score(self, score: float | None, leaderboard: pd.DataFrame) -> dict[str, Any]:
        """Medals and thresholds of a score on a leaderboard in rank order."""
        board = Leaderboard.from_scores(leaderboard["score"].to_numpy())
        standing = board.standing(None if score is None else float(score))
        return {
            "gold_medal": standing.gold_medal,
            "silver_medal": standing.silver_medal,
            "bronze_medal": standing.bronze_medal,
            "above_median": standing.above_median,
            "gold_threshold": board.thresholds.gold,
            "silver_threshold": board.thresholds.silver,
            "bronze_threshold": board.thresholds.bronze,
            "median_threshold": board.thresholds.median,
        }


def round_score(score: float) -> float:
    """The published precision of a score."""
    return round(float(score), DECIMALS)


@dataclass(frozen=True)
class CompetitionReport:
    """The result of one graded submission.

    The first sixteen fields are those of the original, in its order.

    Attributes:
        status: ``graded``, ``no_submission``, ``invalid_submission``, ``not_prepared``,
            ``grader_error``, ``timeout``, ``crashed``, ``bad_line``,
            ``unknown_competition`` or ``not_written``.
        error: Code, message, column and rows of what went wrong.
        percentile: The share of teams, in percent, that did no better.
        edition: ``v1`` reproduces the original, ``v2`` corrects it.
        data_source: ``kaggle`` for real data, ``fixture`` for made-up data, ``unknown``
            for data that mlebench did not prepare.
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
    submission_sha256: str | None = None
    seconds: float | None = None

    @property
    def medal(self) -> Medal | None:
        """The medal won, if any."""
        return medal_won(self.gold_medal, self.silver_medal, self.bronze_medal)

    def to_dict(self) -> dict[str, Any]:
        """The report as it stands in JSON."""
        return asdict(self) | {"created_at": self.created_at.isoformat()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CompetitionReport:
        """A report from JSON, ours or the original's; unknown keys are dropped."""
        known = {entry.name for entry in fields(cls)}
        values = {key: value for key, value in data.items() if key in known}
        created = datetime.fromisoformat(values["created_at"])
        return cls(**values | {"created_at": created})
