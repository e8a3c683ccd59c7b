"""Why raw data cannot be prepared, said so that somebody who has them can mend it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.data.named_files import is_filled
from mlebench.data.raw_layout import describe_layout, describe_whereabouts
from mlebench.errors import (
    ConfigError,
    DamagedAnswersError,
    DataSourceError,
    InvalidSubmissionError,
    MissingRawFileError,
    TaskError,
)
from mlebench.preparing.lacking_columns import describe_lacking_columns
from mlebench.preparing.trail import followed
from mlebench.registry.competition import Competition

LONGEST_REASON = 300
NAMED = 8  # columns in a message


@contextmanager
def faults_told(competition: Competition, raw: Path, archive: Path | None) -> Iterator[None]:
    """Prepare in here; where one of our own preparations fails, the raw data are to blame.

    Args:
        competition: The competition.
        raw: The folder of raw files.
        archive: What they were unpacked from, into a folder that will not stay.

    Raises:
        DataSourceError: They are damaged, or not those of the contest.
    """
    with followed() as trail:
        try:
            yield
        except (ConfigError, DamagedAnswersError, DataSourceError) as error:
            lack = describe_lacking_columns(error.__cause__)
            is_told = isinstance(error, DataSourceError) or lack is not None
            parts = [
                f"The raw data of {competition.id} in {raw} are damaged or not those of the "
                "contest.",
                _reason(error) if lack is None or isinstance(error, DataSourceError) else lack,
                "" if is_told else trail.describe(),
                describe_layout(competition, raw, is_unpacked=archive is not None),
            ]
            said = " ".join(filter(None, parts))
            raise DataSourceError(_of_archive(said, raw, archive)) from error


@contextmanager
def whereabouts_told(competition: Competition, raw: Path, archive: Path | None) -> Iterator[None]:
    """Prepare in here a competition of a user's, whose function may be to blame as well.

    Args:
        competition: The competition.
        raw: The folder of raw files.
        archive: What they were unpacked from, into a folder that will not stay.

    Raises:
        DataSourceError: The raw data lack a file or are damaged.
        TaskError: The function failed. Both say where a file is that was not found.
    """
    try:
        with followed():
            yield
    except (DataSourceError, TaskError) as error:
        kind = TaskError if isinstance(error, TaskError) else DataSourceError
        said, lost = str(error), _lost_file(error)
        if lost:
            is_unpacked = archive is not None
            said += describe_whereabouts(competition, raw, lost, is_unpacked=is_unpacked)
        told = kind(_of_archive(said, raw, archive))
        # With the way through the author's files, whose line others name.
        raise told.with_traceback(error.__traceback__) from error


def _of_archive(said: str, raw: Path, archive: Path | None) -> str:
    """The same about the archive, where the folder is one that nobody will find."""
    return said.replace(str(raw), str(archive)) if archive else said


def _lost_file(error: DataSourceError | TaskError) -> Path | None:
    """The file that was looked for in vain, if that is what went wrong."""
    if isinstance(error, MissingRawFileError):
        return Path(error.path) if error.path else None
    cause = error.__cause__
    name = cause.filename if isinstance(cause, FileNotFoundError) else None
    return Path(name) if isinstance(name, str) else None


def _reason(error: Exception) -> str:
    """What went wrong, as far as it is about data rather than about a line of a program."""
    match error.__cause__ if isinstance(error, ConfigError) else None:
        case None:
            return str(error)
        case KeyError(args=(key, *_)):
            return f"Preparing them needs {key!r}, which is not there."
        case OSError(filename=str(name), strerror=str(what)):
            return f"{name}: {what}."
        case cause:
            return f"Preparing them failed ({type(cause).__name__}: {_short(cause)})."


def _short(cause: BaseException) -> str:
    line = next(iter(str(cause).splitlines()), "")
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}…"


def require_usable(competition: Competition, prepared: Path) -> None:
    """Raise unless answers and sample submission are there and can be read.

    Raises:
        DamagedAnswersError: The answers are not, or lack rows or columns.
        DataSourceError: The sample submission is not.
    """
    task, facts = competition.task, competition.facts
    if task is None:
        return
    task.public(task.read_answers(prepared / facts.answers, only_public=True))
    columns = _columns(prepared / facts.answers)
    if columns and (lacking := [name for name in task.answer_names if name not in columns]):
        raise DamagedAnswersError(
            f"They give answers without {lacking[0]!r}, but with {', '.join(columns[:NAMED])}."
        )
    sample = prepared / facts.sample_submission
    if not is_filled(sample):
        raise DataSourceError(f"They give no sample submission ({facts.sample_submission}).")
    try:
        task.read_submitted(sample)
    except InvalidSubmissionError as error:
        raise DataSourceError(
            f"The sample submission that they give ({facts.sample_submission}) cannot be read: "
            f"{error}"
        ) from error


def _columns(table: Path) -> list[str]:
    """The columns of a table that preparing wrote; none if it is no csv."""
    if table.suffix != ".csv":
        return []
    with table.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file), [])
