"""Grading with a mere function, as folders in the original's format bring it.

Such a function checks and scores in one go, so there is no validating without it. What its
author says to participants (`InvalidSubmissionError`, the text of an assertion) is passed on;
of what a library says only the kind, because it may quote the answers.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from mlebench.errors import (
    ConfigError,
    DamagedAnswersError,
    GraderError,
    InvalidSubmissionError,
    MlebenchError,
    damaged_answers,
    shortened,
)
from mlebench.grading.answers import AnswersShelf
from mlebench.processes import run_apart
from mlebench.registry.competition import Competition
from mlebench.registry.plain_tables import load_answers, read_csv

logger = logging.getLogger(__name__)

Score = Callable[[], float]


def grade_with_function(
    content: bytes, competition: Competition, shelf: AnswersShelf, call: Callable[[Score], float]
) -> float:
    """The score that a competition's function gives the content of a submitted file.

    Args:
        content: The submitted file.
        competition: Whose function it is.
        shelf: Where answers are kept for the next submission.
        call: Calls the function, here or elsewhere; see `call_here` and `call_apart`.

    Raises:
        InvalidSubmissionError: The function refuses it, or it is no table.
        DamagedAnswersError: The answers cannot be read.
        GraderError: The function failed.
    """
    answers = shelf.get(competition.answers, "", partial(_read_answers, competition))
    try:
        submitted = read_csv(BytesIO(content))
    except (ValueError, OverflowError) as error:
        _require_memory(error)
        reason = " ".join(str(error).split())
        raise InvalidSubmissionError(
            f"The file cannot be read as a csv: {reason}", code="unreadable"
        ) from error
    if submitted.columns.empty:
        raise InvalidSubmissionError("The file is empty.", code="empty_file")
    return call(partial(_score, competition, submitted, answers))


def _score(competition: Competition, submitted: Any, answers: Any) -> float:
    try:
        return float(competition.grader.grade_fn(submitted, answers))
    except (MlebenchError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(error, AssertionError) and _is_said_by(error, competition.folder):
            raise InvalidSubmissionError(str(error), code="grader_refused") from error
        raise GraderError(
            f"The grader of {competition.id} failed on this submission "
            f"({type(error).__name__}; what it says may quote the answers, so only the log of "
            "grading has it, with the traceback if it is `mlebench --verbose`)."
        ) from error


def _is_said_by(error: BaseException, folder: Path) -> bool:
    """Whether an error was raised in a folder, rather than by a library called from there."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Path(frames[-1].f_code.co_filename).resolve().is_relative_to(folder.resolve())


def call_here(score: Score) -> float:
    """Call a function in this process, as programs expect that use the library."""
    return score()


def call_apart(score: Score) -> float:
    """Call a function in a copy of this process, so that it changes nothing here."""
    outcome = run_apart(partial(_outcome_of, score))
    try:
        if outcome["kind"] == "score":
            return float(outcome["score"])
        message, details = str(outcome["message"]), dict(outcome["details"])
        kind = RAISED_AGAIN[outcome["kind"]]
        error = kind(message, **details)
    except (KeyError, TypeError, ValueError, OverflowError) as wrong:
        raise GraderError("The grader's process gave an answer that is none.") from wrong
    raise error


RAISED_AGAIN: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        InvalidSubmissionError,
        DamagedAnswersError,
        ConfigError,
        MemoryError,
        GraderError,
    )
}


def _outcome_of(score: Score) -> dict[str, Any]:
    """A score or an error in a form that needs no trust: whoever reads it runs nothing."""
    try:
        return {"kind": "score", "score": score()}
    except BaseException as error:
        details = error.to_dict() if isinstance(error, InvalidSubmissionError) else {}
        details.pop("message", None)
        if not details:
            cause = error.__cause__ or error
            logger.error("A grader failed: %s", shortened(f"{type(cause).__name__}: {cause}"))
            logger.debug("Where it failed", exc_info=cause)
        kinds = (name for name, kind in RAISED_AGAIN.items() if isinstance(error, kind))
        message = shortened(str(error) or type(error).__name__)
        return {"kind": next(kinds, "GraderError"), "message": message, "details": details}


def _read_answers(competition: Competition) -> Any:
    try:
        return load_answers(competition.answers)
    except ValueError as error:
        _require_memory(error)
        raise damaged_answers(competition.id, "cannot be read") from None


def _require_memory(error: Exception) -> None:
    """Raise if pandas takes too little memory for an error in the file."""
    if "out of memory" in str(error):
        raise MemoryError(str(error)) from error
