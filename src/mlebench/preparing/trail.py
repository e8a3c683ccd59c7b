"""Which raw files were read last, for the message if they turn out to be wrong.

What is wrong with a table often shows only later, when a column is missed; by then nobody
knows any more which file it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

KEPT = 3  # files
NAMED = 8  # columns in a message; there may be thousands


@dataclass
class Trail:
    """The files that were read last, with the columns of those that are tables."""

    files: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def describe(self) -> str:
        """A sentence about them; nothing if no file was read."""
        told = [f"{path}{_told(columns)}" for path, columns in self.files.items()]
        return f"What was read last: {', '.join(told)}." if told else ""


def _told(columns: tuple[str, ...]) -> str:
    more = " …" if len(columns) > NAMED else ""
    return f" (columns {' '.join(columns[:NAMED])}{more})" if columns else ""


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


def tables_read() -> dict[str, tuple[str, ...]]:
    """The tables among the files that were read last, with their columns."""
    trail = _TRAIL.get()
    return {path: columns for path, columns in trail.files.items() if columns} if trail else {}


def note_file(path: str) -> None:
    """A raw file is going to be read."""
    trail = _TRAIL.get()
    if trail is None:
        return
    trail.files.pop(path, None)
    trail.files[path] = ()
    while len(trail.files) > KEPT:
        del trail.files[next(iter(trail.files))]


def note_columns(columns: Iterable[object]) -> None:
    """It is a table with these columns."""
    trail = _TRAIL.get()
    if trail is not None and trail.files:
        trail.files[next(reversed(trail.files))] = tuple(map(str, columns))
