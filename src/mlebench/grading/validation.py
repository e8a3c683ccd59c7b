"""Checking the form of a submission, without a score.

Validation is the first half of grading: what is valid gets a score. Messages name columns,
rows and ids of the submission, never answers. Only graders that are mere functions have no
first half: there, validating is grading with the score thrown away.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.data.readiness import prepared_data, require_prepared
from mlebench.errors import GraderError, InvalidSubmissionError
from mlebench.grading.answers import AnswersShelf
from mlebench.grading.functions import call_here, grade_with_function
from mlebench.grading.submitted import DEFAULT_MOST_BYTES, Submitted, find_lack, read_submitted
from mlebench.registry.competition import Competition, require_competition

if TYPE_CHECKING:
    from mlebench.registry.task import Task

logger = logging.getLogger(__name__)

VALID_MESSAGE = "Submission is valid."


@dataclass(frozen=True)
class Verdict:
    """Whether a submission can be graded, and if not why."""

    is_valid: bool
    result: str
    error: dict[str, Any] | None = None


def validate(
    path: Path | str,
    competition: Competition,
    *,
    most_bytes: int = DEFAULT_MOST_BYTES,
    shelf: AnswersShelf | None = None,
) -> Verdict:
    """Check a submission against a prepared competition.

    Args:
        path: The submission.
        competition: What it is submitted to.
        most_bytes: The longest file that is looked at.
        shelf: Where what is known of the answers is kept for the next submission; one that no
            grading uses, since validation keeps less.

    Raises:
        ConfigError: An id is given instead of a competition.
        NotPreparedError: The competition's data have not been prepared.
    """
    require_competition(competition)
    path = Path(path)
    if lack := find_lack(path):
        return Verdict(False, f"Submission invalid! {lack}", lack.to_dict())
    try:
        with prepared_data(competition):
            require_prepared(competition)
            submitted = read_submitted(path, competition, most_bytes)
            _check(submitted, competition, AnswersShelf() if shelf is None else shelf)
    except InvalidSubmissionError as error:
        return Verdict(False, _explain(error), error.to_dict())
    return Verdict(True, VALID_MESSAGE)


def _check(submitted: Submitted, competition: Competition, shelf: AnswersShelf) -> None:
    if task := competition.own_task:
        expected = shelf.get(competition.answers, task.edition, partial(_expect, task, competition))
        task.validate(task.read_submitted(submitted.content), expected)
        return
    try:
        grade_with_function(submitted.content, competition, shelf, call_here)
    except GraderError as error:
        logger.error("%s", error)
        logger.debug("Where it failed", exc_info=error)
        raise InvalidSubmissionError(str(error), code="grader_refused") from error


def _expect(task: Task, competition: Competition) -> Any:
    return task.expect(task.read_answers(competition.answers, only_public=True))


def _explain(error: InvalidSubmissionError) -> str:
    return (
        "Submission invalid! The attempt to grade the submission has resulted in the "
        f"following error message:\n{error}"
    )
