"""Columns whose cells are lists: ranked labels, sets of labels, sequences, permutations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mlebench.submission.columns import Trial
from mlebench.submission.keys import KeyColumns, KeyTable
from mlebench.submission.refusals import refuse
from mlebench.submission.texts import CastText, Text
from mlebench.submission.tokens import (
    Tokens,
    as_objects,
    ragged,
    split_on_blank,
    split_on_space,
    token_lists,
    whole_numbers,
)


@dataclass(frozen=True)
class TokenList(CastText):
    """Guesses separated by single blanks, best first; those beyond the maximum do not count.

    Two blanks in a row leave an empty guess between them, which takes up a rank.

    Attributes:
        most: How many guesses count; none lets all of them count.
        single_blanks: Guesses are separated by exactly one blank; else by any white space.
        stays_whole: Whole numbers are read as such even where a gap in the column makes
            fractions of them.
    """

    most: int | None = 1
    single_blanks: bool = True
    stays_whole: bool = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each cell as a list of at most as many guesses as count."""
        texts = self._texts(cells, public)
        tokens = split_on_blank(texts) if self.single_blanks else split_on_space(texts)
        return token_lists(tokens, cells.index, self.most)

    def _texts(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        if isinstance(cells.dtype, pd.ArrowDtype):  # texts already; there may be millions
            return cells.fillna(self.missing)
        return super().parse(_whole(cells) if self.stays_whole else cells, public)

    def describe(self) -> str:
        """What a cell may hold."""
        blanks = "single blanks" if self.single_blanks else "blanks"
        limit = "" if self.most is None else f"; only the first {self.most} count"
        return f"labels separated by {blanks}, best first{limit}"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """As many made-up words as count, or three."""
        words = [super(TokenList, self).example(rng, public) for _ in range(self.most or 3)]
        return [" ".join(guesses) for guesses in zip(*words, strict=True)]


def _whole(cells: pd.Series[Any]) -> pd.Series[Any]:
    """The cells with whole numbers as texts, if gaps among them have made fractions of them."""
    if cells.dtype.kind != "f":
        return cells
    numbers = [str(int(cell)) if cell.is_integer() else cell for cell in cells.tolist()]
    return pd.Series(numbers, index=cells.index, dtype=object)


@dataclass(frozen=True)
class LabelSet(Text):
    """Labels separated by white space; their order and repetitions do not matter."""

    choices: tuple[str, ...] = ()

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each cell as the list of its words; metrics of tags count a repeated one once."""
        return split_on_space(super().parse(cells, public)).as_lists(cells.index)

    def describe(self) -> str:
        """What a cell may hold."""
        among = ": " + ", ".join(f"`{choice}`" for choice in self.choices) if self.choices else ""
        return f"any number of labels separated by blanks, may be empty{among}"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """One to three of the choices, or made-up words."""
        choices = self.choices or tuple(super().example(rng, public))
        picks = rng.integers(0, len(choices), (len(public), 3))
        counts = rng.integers(1, 4, len(public))
        counts[:1] = 3  # so that the column is text even where labels are numbers
        return [
            " ".join(choices[pick] for pick in row[:count])
            for row, count in zip(picks, counts, strict=True)
        ]


@dataclass(frozen=True)
class WholeNumbers(CastText):
    """A sequence of whole numbers separated by white space.

    An empty cell is refused, unless it is told to count as the empty text.

    Attributes:
        stays_whole: Single numbers are read as whole ones even where a gap in the column
            makes fractions of them.
    """

    stays_whole: bool = False

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each cell as an array of numbers."""
        texts = super().parse(_whole(cells) if self.stays_whole else cells, public)
        tokens = split_on_space(texts)
        numbers, bad = whole_numbers(tokens.flat)
        if bad.any():
            message = "expected whole numbers separated by blanks"
            refuse("bad_sequence", message, self.name, cells, tokens.cells_with(bad))
        return as_objects(ragged(numbers, tokens.counts), cells.index)

    @property
    def _takes_nothing(self) -> bool:
        return not self.missing

    def describe(self) -> str:
        """What a cell may hold."""
        fewest = "may be empty" if self._takes_nothing else "at least one"
        return f"whole numbers separated by blanks, {fewest}"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """One to five small numbers."""
        numbers, counts = rng.integers(1, 21, (len(public), 5)), rng.integers(1, 6, len(public))
        return [" ".join(map(str, row[:count])) for row, count in zip(numbers, counts, strict=True)]

    def trials(self) -> Iterator[Trial]:
        """Nothing, a word, a fraction."""
        yield Trial("an empty cell", "", self._takes_nothing)
        yield Trial("a word", "1 two 3", False)
        yield Trial("a fraction", "1 2.5 3", False)


@dataclass(frozen=True)
class Permutation(CastText):
    """All items of a row in some order, separated by white space.

    Attributes:
        of: The public column that lists the items of each row.
    """

    of: str = ""

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The one that lists the items."""
        return (self.of,)

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each cell as the positions that its items have in the public list."""
        given = split_on_space(super().parse(cells, public))
        listed = split_on_space(public[self.of].reset_index(drop=True))
        keys = KeyColumns(KeyTable.of(_items(given)), KeyTable.of(_items(listed)))
        pairs = keys.pair()
        wrong = np.zeros(len(cells), bool)
        wrong[given.cells[np.concatenate([pairs.unknown, pairs.repeated])]] = True
        wrong[listed.cells[pairs.missing]] = True
        if wrong.any():
            message = "expected every item of the row exactly once"
            refuse("bad_permutation", message, self.name, cells, wrong)
        position = np.arange(len(listed.cells)) - np.repeat(_starts(listed), listed.counts)
        order = np.empty(len(given.cells), np.int64)
        order[pairs.given] = position[pairs.wanted]
        return as_objects(ragged(order, given.counts), cells.index)

    def describe(self) -> str:
        """What a cell may hold."""
        return f"all items of the row (`{self.of}`) in the predicted order, separated by blanks"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """The items of each row, shuffled."""
        return [" ".join(rng.permutation(items.split())) for items in public[self.of]]

    def trials(self) -> Iterator[Trial]:
        """Nothing, and items that are not the row's."""
        yield Trial("an empty cell", "", False)
        yield Trial("unknown items", "no such item", False)


def _items(tokens: Tokens) -> pd.DataFrame:
    texts = pd.Series(tokens.flat, dtype=pd.ArrowDtype(tokens.flat.type))
    return pd.DataFrame({"cell": tokens.cells, "item": texts})


def _starts(tokens: Tokens) -> Any:
    return np.cumsum(tokens.counts) - tokens.counts
