"""Why raw data cannot be prepared, said so that somebody who has them can mend it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.data.raw_layout import describe_layout
from mlebench.errors import ConfigError, DamagedAnswersError, DataSourceError
from mlebench.preparing.trail import followed
from mlebench.registry.competition import Competition

LONGEST_REASON = 300


@contextmanager
def faults_told(competition: Competition, raw: Path) -> Iterator[None]:
    """Prepare in here; where one of our own preparations fails, the raw data are to blame.

    Raises:
        DataSourceError: They are damaged, or not those of the contest.
    """
    with followed() as trail:
        try:
            yield
        except (ConfigError, DamagedAnswersError, DataSourceError) as error:
            if isinstance(error, DataSourceError):
                reason = f"{error}"
            else:
                reason = f"{_reason(error)} {trail.describe()}".strip()
            said = (
                f"The raw data of {competition.id} are damaged or not those of the contest. "
                f"{reason} {describe_layout(competition, raw)}"
            )
            raise DataSourceError(said.strip()) from error


def _reason(error: Exception) -> str:
    """What went wrong, as far as it is about data rather than about a line of a program."""
    cause = error.__cause__ if isinstance(error, ConfigError) else None
    match cause:
        case None:
            return str(error)
        case KeyError(args=(key, *_)):
            said = f"Preparing them needs {key!r}, which is not there."
        case OSError(filename=str(name), strerror=str(what)):
            said = f"{name}: {what}."
        case _:
            said = f"Preparing them failed ({type(cause).__name__}: {_short(cause)})."
    return said


def _short(cause: BaseException) -> str:
    line = next(iter(str(cause).splitlines()), "")
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}…"
