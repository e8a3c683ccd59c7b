"""Columns of numbers that may come as text, where a word elsewhere in the column made them so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mlebench.submission.columns import Label, Number, Trial
from mlebench.submission.refusals import is_text, refuse
from mlebench.submission.tokens import LARGEST, floats, split_on_space, whole_numbers


@dataclass(frozen=True)
class CastNumber(Number):
    """A number that may look like text: whatever was read is turned into a float.

    A column with a word in it is read cell by cell as Python's ``float`` reads text, which
    takes whole numbers of any length.

    Attributes:
        words_are_missing: A cell that is no number counts as missing, instead of being
            refused for what it is.
    """

    words_are_missing: bool = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The numbers as floats."""
        if not is_text(cells) or _are_truth_values(cells):
            return super().parse(cells.astype(np.float64), public)
        texts = cells.astype(object).where(cells.notna(), "nan").map(str)
        return super().parse(_read_floats(texts, self.name, self.words_are_missing), public)

    def trials(self) -> Iterator[Trial]:
        """Those of numbers; a word may be let pass."""
        for trial in super().trials():
            may_pass = trial.name == "a word" and self.words_are_missing and self.may_be_missing
            yield trial._replace(is_valid=trial.is_valid or may_pass)


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
        if _are_truth_values(cells):
            return cells.astype(np.float64)
        return _read_floats(cells.astype(str), self.name)

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

    # Floats cannot tell the largest whole number of 64 bits from the first one beyond.
    is_read_as_floats: ClassVar[bool] = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The numbers without their fractions."""
        if is_text(cells):
            _refuse_missing(cells, self.name)
            return _read_labels(cells.astype(str), self)
        return _cut(super().parse(cells, public))

    def trials(self) -> Iterator[Trial]:
        """Those of labels; a fraction passes."""
        yield from super().trials()
        yield Trial("a fraction", "0.5", True)


@dataclass(frozen=True)
class FirstLabel(Label):
    """Whole numbers that name classes, best first; only the first of a cell counts.

    Whatever stands after it may be anything. A decimal point makes a whole column one of
    broken numbers, which is refused.
    """

    is_read_as_floats: ClassVar[bool] = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The first number of each cell."""
        _refuse_missing(cells, self.name)
        if is_text(cells):
            return _read_labels(self._first_words(cells), self)
        if cells.dtype.kind == "f":
            message = f"expected {self.describe()}, written without a decimal point"
            refuse("not_a_label", message, self.name, cells, np.ones(len(cells), bool))
        return _cut(super().parse(cells, public))

    def _first_words(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        tokens = split_on_space(cells)
        if (blank := tokens.counts == 0).any():
            refuse("missing_value", "every row needs a value", self.name, cells, blank)
        starts = np.cumsum(tokens.counts) - tokens.counts
        words = tokens.flat.take(starts).to_numpy(zero_copy_only=False)
        return pd.Series(words, index=cells.index, name=self.name)

    def describe(self) -> str:
        """What a cell may hold."""
        return "whole numbers that name classes, separated by blanks; only the first counts"

    def trials(self) -> Iterator[Trial]:
        """Those of labels; several pass."""
        yield from super().trials()
        yield Trial("several labels", "3 1 4", True)
        yield Trial("a word after the first label", "3 cats", True)


def _refuse_missing(cells: pd.Series[Any], column: str) -> None:
    if (missing := cells.isna()).any():
        refuse("missing_value", "every row needs a value", column, cells, missing)


def _are_truth_values(cells: pd.Series[Any]) -> bool:
    """Whether a column is no text only because of gaps among its truth values."""
    return pd.api.types.infer_dtype(cells, skipna=True) == "boolean"


def _read_floats(
    texts: pd.Series[Any], column: str, words_are_missing: bool = False
) -> pd.Series[Any]:
    """The numbers behind texts, as Python's ``float`` reads them."""
    numbers, bad = floats(pa.array(texts, pa.large_string()))
    if bad.any() and not words_are_missing:
        refuse("not_a_number", "expected numbers", column, texts, bad)
    return pd.Series(np.where(bad, np.nan, numbers), index=texts.index)


def _read_labels(texts: pd.Series[Any], column: Label) -> pd.Series[Any]:
    """The labels behind texts, as Python's ``int`` reads them."""
    numbers, bad = whole_numbers(pa.array(texts, pa.large_string()))
    if bad.any():
        refuse("not_a_label", f"expected {column.describe()}", column.name, texts, bad)
    if (cut := np.abs(numbers) >= LARGEST).any():
        exact = texts[cut].map(int)
        beyond = exact[(exact < -(2**63)) | (exact >= 2**63)]
        if len(beyond):
            _refuse_beyond(texts, texts.index.isin(beyond.index))
        numbers[cut] = exact
    return pd.Series(numbers, index=texts.index, name=column.name)


def _cut(labels: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers without their fractions."""
    numbers = labels.to_numpy()
    if numbers.dtype.kind in "uf" and (beyond := np.abs(numbers) >= 2.0**63).any():
        _refuse_beyond(labels, beyond)
    return pd.Series(numbers.astype(np.int64), index=labels.index)


def _refuse_beyond(labels: pd.Series[Any], beyond: npt.NDArray[np.bool_]) -> NoReturn:
    name = str(labels.name)
    refuse("not_a_label", "expected numbers of at most 64 bits", name, labels, beyond)
