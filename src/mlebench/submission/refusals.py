"""Refusing a submission: what is wrong, in which column, and the first rows where."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import InvalidSubmissionError

SHOWN_ROWS = 5
SHOWN_CHARACTERS = 60
SHOWN_REASON = 200


def refuse(
    code: str, message: str, column: str, cells: pd.Series[Any], bad: npt.ArrayLike
) -> NoReturn:
    """Raise for the cells marked bad, showing the first of them.

    The index of the cells holds the row numbers of the submitted file.
    """
    offending = cells[np.asarray(bad, dtype=bool)]
    rows = [int(row) + 1 for row in offending.index[:SHOWN_ROWS]]
    shown = [
        f"row {row}: {quote(cell)}"
        for row, cell in zip(rows, offending.iloc[:SHOWN_ROWS], strict=True)
    ]
    more = f" and {len(offending) - SHOWN_ROWS} more" if len(offending) > SHOWN_ROWS else ""
    raise InvalidSubmissionError(
        f"Column {column!r}: {message} ({', '.join(shown)}{more}).",
        code=code,
        column=column,
        rows=rows,
    )


def quote(cell: Any) -> str:
    """A cell, name or id for a message, cut if it is long."""
    if pd.api.types.is_scalar(cell) and pd.isna(cell):
        return "empty"
    return repr(shorten(str(cell)))


def shorten(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """The text as far as a message should show it."""
    return text if len(text) <= limit else text[:limit] + "…"


def is_text(cells: pd.Series[Any]) -> bool:
    """Whether the reader took the column for text."""
    return not (pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells))
