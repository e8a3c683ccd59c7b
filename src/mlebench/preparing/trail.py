"""Which raw files were read lately, for the message if they turn out to be wrong.

What is wrong with a table often shows only later, when a column is missed; by then nobody
knows any more which file it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

NAMED = 12  # columns in a message; there may be thousands


@dataclass
class Trail:
    """The file that was read last, and its columns if it is a table."""

    path: str = ""
    columns: tuple[str, ...] = ()

    def describe(self) -> str:
        """A sentence about it; nothing if no file was read."""
        if not self.path:
            return ""
        more = ", …" if len(self.columns) > NAMED else ""
        columns = f", with the columns {', '.join(self.columns[:NAMED])}{more}"
        return f"The file read last is {self.path}{columns if self.columns else ''}."


_TRAIL: ContextVar[Trail | None] = ContextVar("_TRAIL", default=None)


@contextmanager
def followed() -> Iterator[Trail]:
    """Keep in mind what is read in here."""
    trail = Trail()
    token = _TRAIL.set(trail)
    try:
        yield trail
    finally:
        _TRAIL.reset(token)


def note_file(path: str) -> None:
    """A raw file is going to be read."""
    trail = _TRAIL.get()
    if trail is not None:
        trail.path, trail.columns = path, ()


def note_columns(columns: Iterable[object]) -> None:
    """It is a table with these columns."""
    trail = _TRAIL.get()
    if trail is not None:
        trail.columns = tuple(map(str, columns))
