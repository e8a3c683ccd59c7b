"""The kinds of columns a submission is made of.

A column checks and converts its cells, says in a sentence what it expects, and can make
up valid cells. Cells arrive aligned with the answers; their index holds the row numbers
of the submitted file, so that every refusal can name the first offending rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import InvalidSubmissionError

SHOWN_ROWS = 5
SHOWN_CHARACTERS = 60
SHOWN_REASON = 200
LONGEST_NUMBER = 300

TRUE_WORDS = ("True", "TRUE", "true")
FALSE_WORDS = ("False", "FALSE", "false")


class Column(Protocol):
    """What a `Submission` needs of a column."""

    @property
    def name(self) -> str:
        """The column's name in the csv."""

    def parse(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        """The values behind the cells; refuses what cannot be graded."""

    def describe(self) -> str:
        """What a cell may hold, for the documentation."""

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Random valid cells."""


def refuse(
    code: str, message: str, column: str, cells: pd.Series[Any], bad: npt.ArrayLike
) -> NoReturn:
    """Raise for the cells marked bad, showing the first of them."""
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


@dataclass(frozen=True)
class Number:
    """A number; ``True`` and ``False`` count as 1 and 0, as they do for pandas."""

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    may_be_missing: bool = False
    may_be_infinite: bool = False

    def parse(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        """The column as it was read, once every cell is an admissible number."""
        if is_text(cells):
            self._refuse_text(cells)
        values = cells.to_numpy()
        if values.dtype.kind == "f":
            self._check_finite(cells, values)
        below = values < self.low if self.low is not None else False
        above = values > self.high if self.high is not None else False
        if (outside := np.asarray(below | above)).any():
            refuse("out_of_range", f"values must {self._range()}", self.name, cells, outside)
        if self.whole and values.dtype.kind == "f" and (part := values != np.floor(values)).any():
            refuse("not_whole", f"expected {self._noun}", self.name, cells, part)
        return cells

    def _refuse_text(self, cells: pd.Series[Any]) -> NoReturn:
        """Name the cells that keep the column from being one of numbers."""
        missing, texts = cells.isna(), cells.astype(str)
        booleans = texts.isin([*TRUE_WORDS, *FALSE_WORDS])
        # Whole numbers beyond 64 bits are text to pandas, and beyond floats an error.
        values = pd.to_numeric(texts.where(texts.str.len() < LONGEST_NUMBER), errors="coerce")
        numeric = values.notna() & (values.abs() < 2.0**63)
        if (words := ~(missing | numeric | booleans)).any():
            refuse("not_a_number", f"expected {self._noun}", self.name, cells, words)
        if missing.any():
            refuse("missing_value", "every row needs a value", self.name, cells, missing)
        if not booleans.any():
            refuse("not_a_number", f"expected {self._noun}", self.name, cells, ~missing)
        refuse("mixed_types", "numbers and truth values are mixed", self.name, cells, booleans)

    @property
    def _noun(self) -> str:
        return "whole numbers" if self.whole else "numbers"

    def _check_finite(self, cells: pd.Series[Any], values: npt.NDArray[Any]) -> None:
        if not self.may_be_missing and (missing := np.isnan(values)).any():
            refuse("missing_value", "every row needs a value", self.name, cells, missing)
        if not self.may_be_infinite and (infinite := np.isinf(values)).any():
            refuse("infinite_value", "values must be finite", self.name, cells, infinite)

    def _range(self) -> str:
        if self.low is None:
            return f"not exceed {self.high:g}"
        if self.high is None:
            return f"be at least {self.low:g}"
        return f"lie between {self.low:g} and {self.high:g}"

    def describe(self) -> str:
        """What a cell may hold."""
        kind = "a whole number" if self.whole else "a number"
        bounded = self.low is not None or self.high is not None
        return f"{kind}; values must {self._range()}" if bounded else kind

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Numbers spread over the range, or around zero where there is none."""
        low = self.low if self.low is not None else (-3.0 if self.high is None else self.high - 6)
        high = self.high if self.high is not None else low + 6
        if self.whole:
            return [int(value) for value in rng.integers(int(low), int(high) + 1, rows)]
        return [float(value) for value in rng.uniform(low, high, rows)]


@dataclass(frozen=True)
class Label(Number):
    """One of a few numbers or truth values; a number outside the list is simply wrong."""

    whole: bool = True
    choices: tuple[int | bool, ...] = ()

    @property
    def _noun(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """What a cell may hold."""
        return "one of " + ", ".join(f"`{choice}`" for choice in self.choices)

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Choices at random."""
        return [self.choices[index] for index in rng.integers(0, len(self.choices), rows)]


@dataclass(frozen=True)
class Text:
    """Free text; an empty cell is the empty text.

    A column whose filled cells are all numbers, or all truth values, is not text: that is
    how the original's reader saw it.
    """

    name: str

    def parse(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        """The cells as Python strings."""
        present = cells.notna()
        if not is_text(cells) and present.any():
            refuse(
                "not_text",
                "expected text, but the whole column reads as numbers",
                self.name,
                cells,
                present,
            )
        texts = cells.astype(object).where(present, "")
        if cells.dtype == object:
            strings = texts.map(lambda cell: isinstance(cell, str))
            if not strings.all():
                refuse("not_text", "expected text", self.name, cells, ~strings)
        return texts

    def describe(self) -> str:
        """What a cell may hold."""
        return "text, may be empty"

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Short made-up words."""
        letters = rng.integers(ord("a"), ord("z") + 1, (rows, 6), dtype=np.uint8)
        return [bytes(word).decode() for word in letters]


def parse_each(column: str, code: str, texts: pd.Series[Any], parse: Parser) -> pd.Series[Any]:
    """Apply a parser to every text; a `ValueError` refuses the row with its message."""
    values = np.empty(len(texts), dtype=object)
    for position, text in enumerate(texts):
        try:
            values[position] = parse(text)
        except (ValueError, OverflowError) as error:
            bad = np.arange(len(texts)) == position
            refuse(code, shorten(str(error), SHOWN_REASON), column, texts, bad)
    return pd.Series(values, index=texts.index)


class Parser(Protocol):
    """Turns the text of one cell into a value."""

    def __call__(self, text: str, /) -> Any:
        """The value; a `ValueError` says what is wrong with the text."""
