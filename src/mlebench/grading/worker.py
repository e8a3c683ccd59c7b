"""Grading as a job of `mlebench.processes`: one submission, in a process apart.

A grader that hangs, dies or changes its process harms no other submission.
"""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path
from typing import Any, NamedTuple

from mlebench.errors import (
    ConfigError,
    DamagedAnswersError,
    MlebenchError,
    NotPreparedError,
    ProcessLostError,
    TaskNotWrittenError,
    UnknownCompetitionError,
    UnreadableFileError,
    shortened,
)
from mlebench.grading.answers import AnswersShelf
from mlebench.grading.functions import call_apart
from mlebench.grading.identity import FolderState, folder_state, own_code, verdict_key
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import describe_error, failed_report, grade_csv, make_report
from mlebench.grading.submitted import Submitted, is_submission
from mlebench.grading.warming import Warmth
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)

# The process has run out of something that a new one may have.
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
EXHAUSTED_IN_WORDS = (*map(os.strerror, EXHAUSTED), "can't start new thread")

OUT_OF_MEMORY = "Grading needs more memory than a grading process may have."

STATUS_OF = {
    NotPreparedError: "not_prepared",
    DamagedAnswersError: "damaged_answers",
    TaskNotWrittenError: "not_written",
    UnknownCompetitionError: "unknown_competition",
    UnreadableFileError: "unreadable_file",
    ConfigError: "config_error",
}


class _UnchangedError(Exception):
    """The verdict is known already."""


class _Known(NamedTuple):
    """A competition, and the state of its files when it was built from them."""

    competition: Competition
    state: FolderState


class GradingHandler:
    """Grades the submissions of one registry."""

    def __init__(self, registry: dict[str, Any], most_bytes: int) -> None:
        self._registry = Registry(**registry)
        self._most_bytes = most_bytes
        self._shelf = AnswersShelf()
        self._known: dict[str, _Known] = {}
        self._warmth = Warmth(self._registry)
        own_code()  # done now, every forked process finds it done

    def get_ready(self, job: dict[str, Any]) -> None:
        """Import the libraries that the competition's own files import."""
        self._warmth.get_ready(job["competition_id"])

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """The report on a submission and the key of its verdict, whatever happens.

        A job whose ``known`` key is still that of the verdict gets none.
        """
        competition_id, path = job["competition_id"], job["submission_path"]
        key: str | None = None

        def compare(known: _Known, submitted: Submitted) -> None:
            nonlocal key
            key = verdict_key(submitted.sha256, known.competition, known.state)
            if key == job["known"]:
                raise _UnchangedError

        try:
            known = self._find(competition_id)
            report = grade_csv(
                path,
                known.competition,
                most_bytes=self._most_bytes,
                shelf=self._shelf,
                call=call_apart,
                on_read=lambda submitted: compare(known, submitted),
            )
        except _UnchangedError:
            return {"report": None, "key": key}
        except ProcessLostError:
            raise
        except BaseException as error:
            report = self._report_error(competition_id, path, error)
        return {"report": report.to_dict(), "key": key}

    def _find(self, competition_id: str) -> _Known:
        """The competition with this id.

        Raises:
            ProcessLostError: Its files have changed, and here the old ones are loaded.
        """
        folder = self._registry.folder_of(competition_id)
        state = folder_state(folder, self._registry.get_data_dir() / competition_id)
        known = self._known.get(competition_id)
        if known is None:
            known = _Known(self._registry.get_competition(competition_id), state)
            self._known[competition_id] = known
        elif known.state != state:
            raise ProcessLostError(f"The files of {competition_id} keep changing.")
        return known

    def _report_error(
        self, competition_id: str, path: str | None, error: BaseException
    ) -> CompetitionReport:
        if isinstance(error, MlebenchError):
            status, message = status_of(error), str(error)
        elif isinstance(error, MemoryError):
            status = "out_of_memory"
            message = OUT_OF_MEMORY
        elif _is_exhaustion(error):
            raise ProcessLostError(f"Its process cannot go on ({error}).") from error
        elif isinstance(error, OSError):
            status, message = "unreadable_file", str(error)
        else:
            status, message = "grader_error", f"{type(error).__name__}: {error}"
            logger.error("Grading failed: %s", shortened(message))
            logger.debug("Where it failed", exc_info=error)
        return report_failure(self._registry, competition_id, path, status, message)


def _is_exhaustion(error: BaseException) -> bool:
    """Whether the machine lacks something that it may have in a moment; nobody is to blame."""
    if isinstance(error, OSError):
        return error.errno in EXHAUSTED
    return any(words in str(error) for words in EXHAUSTED_IN_WORDS)


def lane_of(registry: Registry, competition_id: str) -> str | None:
    """Which submissions may share a process with those to this competition.

    Ours do, and so do graders that are mere functions, since these are called apart. A
    user's task gets a process of its own for each submission: even importing it runs its code.
    """
    try:
        if competition_id not in registry or registry.is_built_in(competition_id):
            return "built-in"
        return None if registry.has_task(competition_id) else "functions"
    except (MlebenchError, OSError):
        return "built-in"  # where it will be told what is wrong


def status_of(error: MlebenchError) -> str:
    """What reports call an error that kept a submission from being graded."""
    return next(
        (STATUS_OF[kind] for kind in type(error).mro() if kind in STATUS_OF), "grader_error"
    )


def report_failure(
    registry: Registry, competition_id: str, path: str | None, status: str, message: str
) -> CompetitionReport:
    """A report without a score, with thresholds if the competition has any."""
    error = describe_error(status, message)
    exists = bool(path) and is_submission(Path(str(path)))
    try:
        competition = registry.get_competition(competition_id)
        return make_report(competition, path, status=status, submission_exists=exists, error=error)
    except Exception as found:  # of a folder that may hold anything
        logger.debug("%s tells no thresholds: %s", competition_id, found)
        return failed_report(competition_id, path, error, registry.edition)
