"""Every error mlebench raises on purpose, in one tree.

    MlebenchError
    ├── ConfigError                a file, option or folder of the user's is wrong
    │   ├── UnknownCompetitionError
    │   ├── TaskNotWrittenError    the facts are known, the functions are not written yet
    │   ├── TaskError              a function of a competition's folder failed
    │   └── DamagedStateError      nobody can go on with a run group
    ├── DataSourceError            raw data cannot be had
    │   ├── MissingRawFileError    they lack a file
    │   ├── ChecksumMismatchError  they are not the published ones
    │   ├── KaggleAuthError        there is no login, or Kaggle refuses it
    │   ├── RulesNotAcceptedError  Kaggle wants its rules accepted first
    │   ├── UnavailableError       a server does not answer, or not now
    │   └── NoLeaderboardError     there is neither a list of scores nor figures
    ├── NotPreparedError           the competition has no prepared data
    ├── DamagedAnswersError        it has, but the answers cannot be used
    │   └── UnfittingAnswersError  since they lack what the declaration names
    ├── BusyError                  another process is at work on the same data
    ├── UnwritableFolderError      results have no place: no rights, no room, no folder
    ├── UnreadableFileError        a file cannot be read, for no fault of what it holds
    ├── CannotStartError           no process can be started, whatever it is to do
    ├── ProcessLostError           a process ended before it had an answer
    ├── SandboxError               no room can be made for an agent, for no fault of its own
    ├── AgentFailedError           the agent of a run failed, by itself or at a limit
    ├── LedgerError                the record of a run group was changed, or cannot be kept
    ├── CallRefusedError           whoever called a service gets no verdict
    ├── InvalidSubmissionError     the submission cannot be graded: code, column, rows
    └── GraderError                our fault: a valid submission made the scoring fail

Each message says what is wrong, where, and what to do next; the command line prints
it without a traceback and leaves with the class's ``exit_code``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LONGEST_MESSAGE = 2000


def shortened(message: str) -> str:
    """A message that reports can keep: what is said in a library's megabytes is cut."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    return f"{message[:LONGEST_MESSAGE]}… ({len(message):,} characters in all)"


class MlebenchError(Exception):
    """Base of all errors that are meant to be read by people."""

    exit_code = 1


class ConfigError(MlebenchError):
    """Something the user wrote or chose does not fit."""

    exit_code = 2


class UnknownCompetitionError(ConfigError):
    """No competition has this id."""


class TaskNotWrittenError(ConfigError):
    """The competition is in the registry, but it cannot be prepared or graded yet."""


class TaskError(ConfigError):
    """A function of a competition's folder failed; the message names file and line."""


class DamagedStateError(ConfigError):
    """The state of a run group is gone or not what was written, so that nobody can go on."""


# The built-in types among the bases of the next classes are the ones programs written
# for the original catch.


class DataSourceError(MlebenchError):
    """The raw data of a competition are missing or unusable."""

    exit_code = 3


class MissingRawFileError(DataSourceError):
    """Raw data lack something.

    Attributes:
        path: Where it should be.
    """

    def __init__(self, message: str, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class ChecksumMismatchError(DataSourceError, ValueError):
    """Files differ from the published checksums."""


class KaggleAuthError(DataSourceError, PermissionError):
    """There is no Kaggle login, or Kaggle refuses it."""


class RulesNotAcceptedError(DataSourceError, RuntimeError):
    """Kaggle hands the data out only to people who accepted the competition's rules."""

    @classmethod
    def of(cls, competition_id: str) -> RulesNotAcceptedError:
        """The error for a competition; programs look for how its message begins."""
        page = f"https://www.kaggle.com/competitions/{competition_id}"
        return cls(
            "You must accept this competition's rules before its files can be downloaded: "
            f"{page}/rules (log in there and accept them; where the button is grey, as in old "
            f"competitions, {page}/data has one). Kaggle also says so to accounts without a "
            "verified phone number."
        )


class UnavailableError(DataSourceError):
    """A server does not answer, or not now; trying again later may help.

    Attributes:
        retry_after: How many seconds the server asks to wait, if it says so.
        is_final: It has been tried again as often as makes sense.
    """

    def __init__(
        self, message: str, retry_after: float | None = None, *, is_final: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.is_final = is_final


class NoLeaderboardError(DataSourceError, FileNotFoundError):
    """A competition has no leaderboard, neither in full nor as figures."""


class NotPreparedError(MlebenchError, ValueError):
    """The competition's data have not been prepared."""

    exit_code = 3


class DamagedAnswersError(MlebenchError):
    """The prepared answers are not what preparing writes; the message never quotes them."""

    exit_code = 3


class UnfittingAnswersError(DamagedAnswersError):
    """The answers lack what the declaration names: they are damaged, or it is wrong."""


def damaged_answers(competition_id: str, what: str) -> DamagedAnswersError:
    """The error for answers that have to be prepared again, whatever is wrong with them."""
    return DamagedAnswersError(f"The prepared answers of {competition_id} {what}.")


class BusyError(MlebenchError):
    """Another process is at work on the same data and did not finish in time."""

    exit_code = 3


class UnwritableFolderError(MlebenchError):
    """A folder that results go to cannot be written."""

    exit_code = 3


class UnreadableFileError(MlebenchError):
    """A file cannot be read: it may not be, it changed meanwhile, the disk failed."""

    exit_code = 3


class CannotStartError(MlebenchError):
    """No process can be started for jobs, whatever they are."""


class ProcessLostError(MlebenchError):
    """A process ended, or was ended, before it had an answer.

    Attributes:
        reason: ``crashed``, ``timeout`` or ``too_many_processes``.
    """

    def __init__(self, message: str, reason: str = "crashed") -> None:
        super().__init__(message)
        self.reason = reason


class SandboxError(MlebenchError):
    """A room for an agent cannot be made, or was lost, for no fault of the agent."""

    exit_code = 6


class AgentFailedError(MlebenchError):
    """An agent ended with an error, or used up memory, disk or processes that it was given."""

    exit_code = 8


class LedgerError(MlebenchError):
    """The record of a run group does not hold together, or cannot be kept."""

    exit_code = 7


class CallRefusedError(MlebenchError):
    """A call of a service that gets no verdict; its words are for the caller, and quote nothing.

    Attributes:
        status: The HTTP status of the answer.
        code: A stable word for programs.
        error: What the answer calls it, if not the usual.
        retry_after: After how many seconds the caller may come back.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 500,
        code: str = "failed",
        error: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.error = error
        self.retry_after = retry_after


class InvalidSubmissionError(MlebenchError):
    """The submission cannot be graded.

    Attributes:
        code: A stable word for programs, such as ``missing_column``.
        column: The column at fault, if it is one.
        rows: The first offending data rows, counted from 1 below the header.
    """

    exit_code = 4

    def __init__(
        self,
        message: str = "The submission is invalid.",
        *,
        code: str = "invalid",
        column: str | None = None,
        rows: Sequence[int] = (),
    ) -> None:
        super().__init__(message)
        self.code = str(code)
        self.column = None if column is None else str(column)  # authors give numpy's numbers, too
        self.rows = tuple(int(row) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """The error as it stands in reports."""
        return {
            "code": self.code,
            "message": shortened(str(self)),
            "column": self.column,
            "rows": list(self.rows),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (str(self), self.code, self.column, self.rows))


def _rebuild(
    message: str, code: str, column: str | None, rows: tuple[int, ...]
) -> InvalidSubmissionError:
    return InvalidSubmissionError(message, code=code, column=column, rows=rows)


class GraderError(MlebenchError):
    """Scoring failed on a submission that had passed all checks."""

    exit_code = 5
