"""What a table holds, as digests: one for each column, whichever library wrote the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import msgspec

DIGITS = 16
# The only column of what has none: an array of numbers, a list of lists.
UNNAMED = "(values)"


class TableContent(msgspec.Struct, frozen=True):
    """The number of rows and a short digest of each column, in the order of the file."""

    rows: int
    columns: dict[str, str]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableContent):
            return NotImplemented
        return self._ordered() == other._ordered()

    def __hash__(self) -> int:
        return hash(self._ordered())

    def _ordered(self) -> tuple[int, tuple[tuple[str, str], ...]]:
        """The order of columns is a part of the content, which dicts do not compare."""
        return self.rows, tuple(self.columns.items())

    @property
    def digest(self) -> str:
        """One digest of all of it."""
        return hashlib.sha256(line_of([self.rows, [*self.columns.items()]])).hexdigest()


def line_of(value: Any) -> bytes:
    """A value of JSON in the one form that does not depend on spaces and the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def short_digest(*parts: str) -> str:
    """A digest of some texts, short enough to stand in a file for each column."""
    return hashlib.sha256(line_of(parts)).hexdigest()[:DIGITS]


def distinct(names: Iterable[str]) -> list[str]:
    """Names of columns, of which those that stood there before get a number."""
    taken: dict[str, int] = {}
    for name in names:
        free = name
        while free in taken:
            taken[name] += 1
            free = f"{name} ({taken[name]})"
        taken[free] = 1
    return [*taken]
