"""Grading with a mere function, as folders in the original's format bring it.

Such a function checks and scores in one go, so there is no validating without it. What its
author says to participants (`InvalidSubmissionError`, the text of an assertion) is passed on;
of what a library says only the kind, because it may quote the answers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mlebench.errors import DamagedAnswersError, GraderError, InvalidSubmissionError, MlebenchError
from mlebench.registry.competition import Competition
from mlebench.registry.plain_tables import load_answers, read_csv


def grade_with_function(path: Path, competition: Competition) -> float:
    """The score that a competition's function gives a submitted file.

    Raises:
        InvalidSubmissionError: The function refuses it, or it is no table.
        DamagedAnswersError: The answers cannot be read.
        GraderError: The function failed.
    """
    answers = _read_answers(competition)
    try:
        submitted = read_csv(path)
    except (ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise InvalidSubmissionError(
            f"The file cannot be read as a csv: {reason}", code="unreadable"
        ) from error
    try:
        return float(competition.grader.grade_fn(submitted, answers))
    except MlebenchError:
        raise
    except AssertionError as error:
        raise InvalidSubmissionError(str(error), code="grader_refused") from error
    except Exception as error:
        raise GraderError(
            f"The grader of {competition.id} failed on this submission "
            f"({type(error).__name__}; what it says may quote the answers and is in the log only)."
        ) from error


def _read_answers(competition: Competition) -> Any:
    try:
        return load_answers(competition.answers)
    except ValueError:
        raise DamagedAnswersError(
            f"The prepared answers of {competition.id} cannot be read. Prepare them again: "
            f"mlebench prepare -c {competition.id} --force"
        ) from None
