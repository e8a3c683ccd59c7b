"""Columns of numbers that may come as text, where a word elsewhere in the column made them so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mlebench.submission.columns import Label, Number, Trial
from mlebench.submission.refusals import is_text, refuse
from mlebench.submission.tokens import Mask, floats, whole_numbers


@dataclass(frozen=True)
class CastNumber(Number):
    """A number that may look like text: whatever was read is turned into a float.

    A column with a word in it is read cell by cell as Python's ``float`` reads text, which
    takes whole numbers of any length.
    """

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The numbers as floats."""
        if not is_text(cells):
            return super().parse(cells.astype(np.float64), public)
        texts = cells.astype(object).where(cells.notna(), "nan").map(str)
        return super().parse(_read(texts, floats, self.name, f"expected {self._noun}"), public)


@dataclass(frozen=True)
class NumberWhere(Number):
    """A number in the rows that a public column marks; in the others anything passes.

    A word there makes the whole column text; its marked cells are then read as Python's
    ``float`` reads them. What is not marked comes back as missing.

    Attributes:
        where: The public column, and what it holds in the marked rows.
    """

    where: tuple[str, int | bool] = ("", True)

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The one that marks rows."""
        return self.where[:1]

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The numbers of the marked rows."""
        marked = self.marked(cells, public)
        chosen = cells[marked]
        numbers = super().parse(self._read_texts(chosen) if is_text(cells) else chosen, public)
        values = np.full(len(cells), np.nan)
        values[marked] = numbers.to_numpy()
        return pd.Series(values, index=cells.index)

    def marked(self, cells: pd.Series[Any], public: pd.DataFrame) -> npt.NDArray[np.bool_]:
        """Which cells are looked at."""
        column, value = self.where
        return np.asarray(public[column] == value)

    def _read_texts(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        _refuse_missing(cells, self.name)
        if all(isinstance(cell, bool) for cell in cells):
            return cells.astype(np.float64)  # truth values with a gap elsewhere
        return _read(cells.astype(str), floats, self.name, f"expected {self._noun}")

    def describe(self) -> str:
        """What a cell may hold."""
        column, value = self.where
        return f"{super().describe()} where `{column}` is {value}; elsewhere anything"

    def trials(self) -> Iterator[Trial]:
        """None: whether a cell is valid depends on its row."""
        return iter(())


@dataclass(frozen=True)
class CutLabel(Label):
    """A whole number that names a class; fractions are cut towards zero.

    A column with a word in it is read cell by cell as Python's ``int`` reads text.
    """

    whole: bool = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The numbers without their fractions."""
        if is_text(cells):
            _refuse_missing(cells, self.name)
            expected = f"expected {self.describe()}"
            return _read(cells.astype(str), whole_numbers, self.name, expected, "not_a_label")
        numbers = super().parse(cells, public).to_numpy().astype(np.float64)
        if (huge := np.abs(numbers) >= 2.0**63).any():
            refuse("not_a_label", "expected numbers of at most 64 bits", self.name, cells, huge)
        return pd.Series(np.trunc(numbers), index=cells.index)

    def trials(self) -> Iterator[Trial]:
        """Those of labels; a fraction passes."""
        yield from super().trials()
        yield Trial("a fraction", "0.5", True)


def _refuse_missing(cells: pd.Series[Any], column: str) -> None:
    if (missing := cells.isna()).any():
        refuse("missing_value", "every row needs a value", column, cells, missing)


def _read(
    texts: pd.Series[Any],
    convert: Callable[[pa.Array], tuple[npt.NDArray[Any], Mask]],
    column: str,
    expected: str,
    code: str = "not_a_number",
) -> pd.Series[Any]:
    """The numbers behind texts, all of which must be some."""
    numbers, bad = convert(pa.array(texts, pa.large_string()))
    if bad.any():
        refuse(code, expected, column, texts, bad)
    return pd.Series(numbers, index=texts.index)
