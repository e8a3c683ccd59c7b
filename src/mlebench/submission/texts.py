"""Columns of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.submission.columns import Trial, choose
from mlebench.submission.refusals import SHOWN_REASON, is_text, refuse, shorten


@dataclass(frozen=True)
class Text:
    """Free text; an empty cell is the empty text.

    A column whose filled cells are all numbers, or all truth values, is not text: that is
    how the original's reader saw it.

    Attributes:
        name: The column's name.
        may_be_missing: Empty cells are graded.
    """

    name: str
    may_be_missing: bool = True

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The public columns of the answers that its cells are checked against."""
        return ()

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The cells as Python strings."""
        self._check_missing(cells)
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

    def _check_missing(self, cells: pd.Series[Any]) -> None:
        if not self.may_be_missing and (missing := cells.isna()).any():
            refuse("missing_value", "every row needs a text", self.name, cells, missing)

    def describe(self) -> str:
        """What a cell may hold."""
        return "text, may be empty" if self.may_be_missing else "text, never empty"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Short made-up words."""
        letters = rng.integers(ord("a"), ord("z") + 1, (len(public), 6), dtype=np.uint8)
        return [bytes(word).decode() for word in letters]

    def trials(self) -> Iterator[Trial]:
        """Nothing at all."""
        yield Trial("an empty cell", "", self.may_be_missing)


@dataclass(frozen=True)
class CastText(Text):
    """Text that may look like numbers: whatever was read is turned into text, as pandas 2 does.

    A column of whole numbers loses leading zeros and gains ``.0`` where a cell is empty; a
    column of truth values reads ``True`` and ``False``.

    Attributes:
        missing: What an empty cell becomes.
    """

    missing: str = "nan"

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The cells as text, in Arrow's memory if they are there."""
        self._check_missing(cells)
        if isinstance(cells.dtype, pd.ArrowDtype):
            return cells.fillna(self.missing)
        values = cells.astype(object)
        return values.map(str).where(cells.notna(), self.missing)

    def describe(self) -> str:
        """What a cell may hold."""
        empty = "" if self.missing == "" else f"; an empty cell counts as `{self.missing}`"
        return f"text, compared as it is{empty}"


@dataclass(frozen=True)
class TextLabel(Text):
    """One of a few words; another word is simply wrong.

    Attributes:
        choices: The words.
        missing: What an empty cell counts as; none refuses empty cells.
        may_all_be_missing: Whether a column of nothing but empty cells is graded.
        numbers_are_wrong: Whether a column of whole numbers or truth values is graded, as
            matching no word, instead of being refused.
    """

    choices: tuple[str, ...] = ()
    missing: str | None = ""
    may_all_be_missing: bool = True
    numbers_are_wrong: bool = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The cells as Python strings."""
        absent = cells.isna()
        if self.missing is None and absent.any():
            refuse("missing_value", "every row needs a word", self.name, cells, absent)
        if not self.may_all_be_missing and absent.all():
            refuse("missing_value", "no row has a word", self.name, cells, absent)
        if not absent.all() and not _holds_words(cells):
            self._check_numbers(cells)
        return cells.astype(object).map(str).where(~absent, self.missing or "")

    def _check_numbers(self, cells: pd.Series[Any]) -> None:
        if not self.numbers_are_wrong or _are_fractions(cells.to_numpy()):
            message = f"expected {self.describe()}, but the whole column reads as numbers"
            refuse("not_text", message, self.name, cells, cells.notna())

    def describe(self) -> str:
        """What a cell may hold."""
        return "one of " + ", ".join(f"`{choice}`" for choice in self.choices)

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Choices at random."""
        return choose(self.name, self.choices, rng, len(public))

    def trials(self) -> Iterator[Trial]:
        """Nothing, and a word that is not on the list."""
        yield Trial("an empty cell", "", self.missing is not None)
        yield Trial("an unknown word", "no such word", True)


def _holds_words(cells: pd.Series[Any]) -> bool:
    """Whether there is a word among the cells; truth values with gaps are objects, too."""
    if cells.dtype != object:
        return is_text(cells)
    return bool(cells.map(lambda cell: isinstance(cell, str)).any())


def _are_fractions(values: npt.NDArray[Any]) -> bool:
    """Whether numbers without gaps are no class labels: some are broken, infinite or huge."""
    if values.dtype.kind != "f" or np.isnan(values).any():
        return False
    return bool(((values != np.floor(values)) | (np.abs(values) >= 2.0**63)).any())


class Parser(Protocol):
    """Turns the text of one cell into a value."""

    def __call__(self, text: str, /) -> Any:
        """The value; a `ValueError` says what is wrong with the text."""


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
