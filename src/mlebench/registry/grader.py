"""What scores a table against the answers and ranks the score.

A grader is part of a competition, so it lies below grading, which makes reports of scores.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mlebench.errors import InvalidSubmissionError
from mlebench.registry.leaderboard import Leaderboard
from mlebench.registry.loader import import_function

if TYPE_CHECKING:
    import pandas as pd

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
        self.grade_fn: GradeFunction = (
            import_function(grade_fn) if isinstance(grade_fn, str) else grade_fn
        )

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
