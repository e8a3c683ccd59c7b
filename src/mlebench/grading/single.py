"""Grading one submission."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from mlebench.data.manifest import data_source, require_untouched
from mlebench.data.readiness import prepared_data, require_prepared
from mlebench.errors import GraderError, InvalidSubmissionError, shortened
from mlebench.grading.answers import AnswersShelf
from mlebench.grading.functions import Score, call_here, grade_with_function
from mlebench.grading.report import CompetitionReport, graded_status
from mlebench.grading.submitted import (
    DEFAULT_MOST_BYTES,
    Submitted,
    find_lack,
    is_submission,
    read_submitted,
)
from mlebench.registry.competition import Competition, require_competition
from mlebench.registry.grader import round_score
from mlebench.registry.leaderboard import NO_STANDING

NOTHING = str(None)
"""The path in reports where nothing was submitted."""

logger = logging.getLogger(__name__)


def grade_csv(
    path_to_submission: Path | str | None,
    competition: Competition,
    *,
    most_bytes: int = DEFAULT_MOST_BYTES,
    shelf: AnswersShelf | None = None,
    call: Callable[[Score], float] = call_here,
    on_read: Callable[[Submitted], None] | None = None,
) -> CompetitionReport:
    """Grade a submission and rank its score.

    A missing file is not an error: the report says so and carries the thresholds.

    Args:
        path_to_submission: The submitted csv.
        competition: What it was made for.
        most_bytes: The longest file that is looked at.
        shelf: Where answers are kept for the next submission.
        call: How to call a grader that is a mere function.
        on_read: Called with the content before it is graded; what it raises gets through.

    Raises:
        ConfigError: An id is given instead of a competition.
        NotPreparedError: The competition's data have not been prepared.
        DamagedAnswersError: They have, but the answers cannot be used.
        UnreadableFileError: The submission cannot be read.
    """
    require_competition(competition)
    with prepared_data(competition):
        return _grade(
            _named(path_to_submission),
            competition,
            most_bytes,
            shelf or AnswersShelf(),
            call,
            on_read,
        )


def _named(given: Path | str | None) -> Path | None:
    """The path that was given; a text None, as reports have it for nothing, is none."""
    return Path(given) if given and str(given) != NOTHING else None


def _grade(
    path: Path | None,
    competition: Competition,
    most_bytes: int,
    shelf: AnswersShelf,
    call: Callable[[Score], float],
    on_read: Callable[[Submitted], None] | None,
) -> CompetitionReport:
    require_prepared(competition)
    started = time.perf_counter()
    lack = find_lack(path)
    if path is None or lack:
        if path:
            logger.warning(
                "Invalid submission file: %s. Please check that it exists and is a CSV.", path
            )
        return make_report(
            competition,
            path,
            status="no_submission",
            submission_exists=False,
            error=lack.to_dict() if lack else None,
        )
    outcome: dict[str, Any] = {}
    try:
        submitted = read_submitted(path, competition, most_bytes)
        outcome["submission_sha256"] = submitted.sha256
        if on_read:
            on_read(submitted)
        score = _score(submitted.content, competition, shelf, call)
        outcome |= {"score": score, "status": graded_status(score)}
    except InvalidSubmissionError as error:
        require_untouched(competition)  # lest a submission be blamed for damaged answers
        logger.warning("Invalid submission: %s", error)
        outcome |= {"status": "invalid_submission", "error": error.to_dict()}
    except GraderError as error:
        logger.error("%s", error)
        logger.debug("Where it failed", exc_info=error.__cause__)
        outcome |= {"status": "grader_error", "error": describe_error("grader_error", error)}
    return make_report(
        competition,
        path,
        submission_exists=True,
        seconds=round(time.perf_counter() - started, 3),
        **outcome,
    )


def _score(
    content: bytes, competition: Competition, shelf: AnswersShelf, call: Callable[[Score], float]
) -> float:
    if task := competition.own_task:
        score = task.grade(*shelf.read(task, content, competition.answers))
    else:
        score = grade_with_function(content, competition, shelf, call)
    return round_score(score)


def make_report(
    competition: Competition,
    path: Path | str | None,
    *,
    status: str,
    submission_exists: bool,
    score: float | None = None,
    **details: Any,
) -> CompetitionReport:
    """A report on a known competition, with medals and thresholds if it has a leaderboard."""
    board = competition.load_leaderboard() if competition.has_leaderboard else None
    limits = board.thresholds if board else None
    standing = board.standing(score) if board else NO_STANDING
    return CompetitionReport(
        competition_id=competition.id,
        score=score,
        gold_threshold=limits.gold if limits else None,
        silver_threshold=limits.silver if limits else None,
        bronze_threshold=limits.bronze if limits else None,
        median_threshold=limits.median if limits else None,
        any_medal=standing.medal is not None,
        gold_medal=standing.gold_medal,
        silver_medal=standing.silver_medal,
        bronze_medal=standing.bronze_medal,
        above_median=standing.above_median,
        submission_exists=submission_exists,
        valid_submission=score is not None,
        is_lower_better=board.lower_is_better if board else competition.is_lower_better,
        created_at=datetime.now(),
        submission_path=str(path),
        status=status,
        percentile=standing.percentile,
        metric=competition.facts.metric,
        edition=competition.edition,
        data_source=data_source(competition),
        leaderboard_of=competition.facts.leaderboard_of if board else None,
        **details,
    )


def failed_report(
    competition_id: str, path: str | None, error: dict[str, Any], edition: str
) -> CompetitionReport:
    """A report on a submission that never reached a grader."""
    return CompetitionReport(
        competition_id=competition_id,
        score=None,
        gold_threshold=None,
        silver_threshold=None,
        bronze_threshold=None,
        median_threshold=None,
        any_medal=False,
        gold_medal=False,
        silver_medal=False,
        bronze_medal=False,
        above_median=False,
        submission_exists=bool(path) and is_submission(Path(str(path))),
        valid_submission=False,
        is_lower_better=None,
        created_at=datetime.now(),
        submission_path=str(path),
        status=error["code"],
        error=error,
        edition=edition,
    )


def describe_error(code: str, error: BaseException | str) -> dict[str, Any]:
    """What went wrong, in the form reports keep."""
    return {"code": code, "message": shortened(str(error)), "column": None, "rows": []}
