"""How oracles read a file: as pandas 2.2 did, and simple cells.

Nothing here or in the oracles uses `mlebench.submission` or `mlebench.metrics`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from tests import pandas22


class InvalidError(Exception):
    """The fact sheet says that there is no score."""


class DontCareError(Exception):
    """The fact sheets leave it open; the reason is a key of `judges.DONT_CARE`.

    With a score, only that score or no score at all will do.
    """

    def __init__(self, reason: str, score: float | None = None) -> None:
        super().__init__(reason)
        self.score = score


def read(path: Path) -> pd.DataFrame:
    """The file as the original's harness sees it."""
    try:
        return pandas22.read(path)
    except pandas22.UnreadableError as error:
        raise InvalidError("unreadable") from error


def require(condition: object, reason: str) -> None:
    """Invalid unless the condition holds."""
    if not condition:
        raise InvalidError(reason)


def require_columns(table: pd.DataFrame, *names: str) -> None:
    """Invalid unless all the columns are there."""
    for name in names:
        require(name in list(table.columns), f"no column {name}")


def by_id(table: pd.DataFrame, key: str, answers: pd.DataFrame) -> list[int]:
    """Where each answer's row is in the table; invalid unless ids are the same ones.

    Ids are texts, or numbers that are compared as such.
    """
    given, wanted = table[key].tolist(), answers[key].tolist()
    kind = str if isinstance(wanted[0], str) else (int, float)
    require(all(isinstance(cell, kind) for cell in given), "ids are of another type")
    require(not any(cell != cell for cell in given), "an id is missing")
    require(sorted(given) == sorted(wanted), "other ids")
    place = {one: row for row, one in reversed([*enumerate(given)])}
    return [place[one] for one in wanted]


def numbers(column: pd.Series[Any]) -> list[float]:
    """The cells as numbers; truth values count as 1 and 0; invalid if it is text."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return [int(cell) for cell in column.tolist()]
    require(pd.api.types.is_numeric_dtype(column.dtype), f"{column.name} is text")
    return column.tolist()


def texts(column: pd.Series[Any]) -> list[str]:
    """The cells as text with missing ones empty; invalid if any other is not text."""
    cells = ["" if pd.isna(cell) else cell for cell in column.tolist()]
    require(all(isinstance(cell, str) for cell in cells), f"{column.name} is not text")
    return cells
