"""Columns whose cells are lists of boxes or points with declared fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.submission.columns import Trial
from mlebench.submission.refusals import refuse
from mlebench.submission.texts import Text
from mlebench.submission.tokens import (
    as_objects,
    floats,
    ragged,
    split_on_blank,
    split_on_space,
)

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Boxes(Text):
    """Any number of boxes, each a group of values in a declared order.

    A cell becomes a structured array: ``cell["confidence"]`` holds that field of all boxes.

    Attributes:
        fields: The values of a box, in the order in which they are written.
        words: Those of the fields that are words; the others are numbers.
        single_blanks: Values are separated by exactly one blank; else by any white space.
        may_be_empty: A cell may hold no box.
        may_be_missing: Such a cell may be empty altogether, else it holds white space.
        finite: Those of the numbers that must be finite.
        choices: What the first field may be, where there are few enough to be listed.
    """

    fields: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    single_blanks: bool = True
    may_be_empty: bool = True
    may_be_missing: bool = True
    finite: tuple[str, ...] = ()
    choices: tuple[str | int, ...] = ()

    noun: ClassVar[str] = "box"
    nouns: ClassVar[str] = "boxes"

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each cell as an array of boxes."""
        if not self.may_be_missing and (missing := cells.isna()).any():
            refuse("missing_value", f"every row needs a {self.noun}", self.name, cells, missing)
        texts = super().parse(cells, public)
        if self.single_blanks:
            tokens = split_on_blank(texts, blank_is_nothing=True)
        else:
            tokens = split_on_space(texts)
        if (odd := tokens.counts % len(self.fields) != 0).any():
            blanks = "single blanks" if self.single_blanks else "blanks"
            message = f"expected {len(self.fields)} values for each {self.noun}, separated by"
            refuse(self._code, f"{message} {blanks}", self.name, texts, odd)
        if not self.may_be_empty and (empty := tokens.counts == 0).any():
            refuse(self._code, f"every row needs a {self.noun}", self.name, texts, empty)
        boxes = np.empty(len(tokens.flat) // len(self.fields), self.dtype)
        for position, field in enumerate(self.fields):
            values = tokens.flat.take(np.arange(position, len(tokens.flat), len(self.fields)))
            if field in self.words:
                boxes[field] = values.to_numpy(zero_copy_only=False)
                continue
            boxes[field], bad = floats(values)
            self._refuse_marked(bad, f"{field} must be a number", texts, tokens.counts)
        self._check(boxes, texts, tokens.counts)
        return as_objects(ragged(boxes, tokens.counts // len(self.fields)), cells.index)

    def _check(self, boxes: Array, texts: pd.Series[Any], counts: Array) -> None:
        """Refuse values that are read but not allowed."""
        for field in self.finite:
            is_odd = ~np.isfinite(boxes[field])
            self._refuse_marked(is_odd, f"{field} must be finite", texts, counts)
        if self.choices:
            first = self.fields[0]
            is_unknown = ~pd.Series(boxes[first]).isin(self.choices).to_numpy()
            message = f"{first} must be one of {self._listed_choices}"
            self._refuse_marked(is_unknown, message, texts, counts)

    def _refuse_marked(
        self, bad: Array, message: str, texts: pd.Series[Any], counts: Array
    ) -> None:
        """Refuse the cells of boxes that are marked, if there are any."""
        if bad.any():
            rows = np.repeat(np.arange(len(texts)), counts // len(self.fields))
            refuse(self._code, message, self.name, texts, np.isin(np.arange(len(texts)), rows[bad]))

    @property
    def _listed_choices(self) -> str:
        return ", ".join(map(str, self.choices))

    @property
    def dtype(self) -> npt.DTypeLike:
        """The type of a parsed box."""
        return np.dtype(
            [(field, object if field in self.words else float) for field in self.fields]
        )

    @property
    def _code(self) -> str:
        return f"bad_{self.nouns}"

    @property
    def _takes_nothing(self) -> bool:
        return self.may_be_empty and self.may_be_missing

    def describe(self) -> str:
        """What a cell may hold."""
        blanks = "single blanks" if self.single_blanks else "blanks"
        empty = f"; empty for no {self.nouns}" if self._takes_nothing else "; never empty"
        among = f"; `{self.fields[0]}` is one of {self._listed_choices}" if self.choices else ""
        form = f"`{' '.join(self.fields)}` for each {self.noun}"
        return f"{form}, all separated by {blanks}{among}{empty}"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Up to three of them, with small positive numbers."""
        fewest = 0 if self._takes_nothing else 1
        counts = rng.integers(fewest, 4, len(public))
        return [" ".join(self._random(rng) for _ in range(count)) for count in counts]

    def _random(self, rng: np.random.Generator) -> str:
        values = [
            "thing" if field in self.words else str(round(float(rng.uniform(1, 5)), 3))
            for field in self.fields
        ]
        if self.choices:
            values[0] = str(self.choices[rng.integers(len(self.choices))])
        return " ".join(values)

    def trials(self) -> Iterator[Trial]:
        """Nothing, too few values, a word among the numbers, two blanks in a row."""
        one = ["1"] * len(self.fields)
        yield Trial("an empty cell", "", self._takes_nothing)
        yield Trial("a value too few", " ".join([*one, *one[1:]]), False)
        yield Trial("a value left over", " ".join([*one, "x"]), False)
        if self.single_blanks:
            yield Trial("a blank at the end", " ".join([*one, ""]), False)
        if len(self.fields) > len(self.words):
            words = ["1" if field in self.words else "x" for field in self.fields]
            yield Trial("words for numbers", " ".join(words), False)
        for field in self.finite:
            values = ["inf" if name == field else "1" for name in self.fields]
            if self.choices and field != self.fields[0]:
                values[0] = str(self.choices[0])
            yield Trial(f"an infinite {field}", " ".join(values), False)
        if self.choices:
            yield Trial(f"an unknown {self.fields[0]}", " ".join(["99", *one[1:]]), False)


def flattened(cells: pd.Series[Any]) -> tuple[Array, Array]:
    """All boxes of a column, one after the other, and for each the place of its cell."""
    arrays = [*cells]
    boxes = np.concatenate(arrays, dtype=arrays[0].dtype)  # told, because finding it out is slow
    return boxes, np.repeat(np.arange(len(arrays)), [*map(len, arrays)])


def refuse_boxes(column: str, message: str, cells: pd.Series[Any], bad: Array) -> None:
    """Refuse parsed boxes that are marked, if there are any, showing the first of each cell.

    Args:
        column: The column's name.
        message: What is wrong with them.
        cells: The parsed column; its index holds the row numbers of the submitted file.
        bad: A mark for each of the boxes that `flattened` gives.
    """
    if bad.any():
        boxes, places = flattened(cells)
        rows, first = np.unique(places[bad], return_index=True)
        shown = pd.Series([str(box) for box in boxes[bad][first].tolist()], index=cells.index[rows])
        refuse("bad_boxes", message, column, shown, np.ones(len(shown), bool))


@dataclass(frozen=True)
class Points(Boxes):
    """Any number of points, each a group of values in a declared order."""

    noun: ClassVar[str] = "point"
    nouns: ClassVar[str] = "points"
