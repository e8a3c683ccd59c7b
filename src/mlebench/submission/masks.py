"""Run-length encoded masks as a submission column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import ConfigError
from mlebench.metrics.masks import encode
from mlebench.submission.columns import Trial
from mlebench.submission.refusals import refuse
from mlebench.submission.texts import Text
from mlebench.submission.tokens import as_objects, ragged, split_numbers

FAR = 10**12
"""A number of pixels that no picture has."""

Integers = npt.NDArray[np.int64]
Cells = npt.NDArray[np.int32]


@dataclass(frozen=True)
class RunLengths(Text):
    """Pairs of start and length, pixels numbered from 1; runs past the last pixel are cut.

    Attributes:
        pixels: The size of every image, where it is the same for all.
        size: The public columns whose product is the size of a row's image.
        empty: The text of an empty mask.
        may_be_missing: An empty cell is an empty mask, too.
        odd_counts: One lone number is an empty mask and a third number borrows the only
            length, as broadcasting makes it in the original.
        must_fit: Runs past the last pixel are refused, not cut.
    """

    pixels: int = 0
    size: tuple[str, ...] = ()
    empty: str = ""
    may_be_missing: bool = True
    odd_counts: bool = False
    must_fit: bool = False

    def __post_init__(self) -> None:
        if bool(self.size) == bool(self.pixels):
            raise ConfigError(f"RunLengths({self.name!r}): give either pixels or size.")

    @property
    def public_columns(self) -> tuple[str, ...]:
        """Those that tell the size of an image."""
        return self.size

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """Each mask as sorted half-open runs counted from 0."""
        if not self.may_be_missing and (missing := cells.isna()).any():
            refuse("missing_value", self._hint, self.name, cells, missing)
        # What Arrow holds is text; to make Python objects of it would only cost time.
        is_known = isinstance(cells.dtype, pd.ArrowDtype)
        texts = cells if is_known else super().parse(cells, public)
        numbers, counts, bad = split_numbers(
            texts.where(texts != self.empty, "") if self.empty else texts
        )
        self._refuse(texts, bad, "they must be whole numbers")
        self._check(texts, _cells(counts), numbers < 1, "they must be positive")
        numbers, counts = self._without_odd_counts(texts, numbers, counts)
        runs = self._runs(texts, numbers.reshape(-1, 2), _cells(counts // 2), public)
        return as_objects(ragged(runs, counts // 2), cells.index)

    def _without_odd_counts(
        self, texts: pd.Series[Any], numbers: Integers, counts: Integers
    ) -> tuple[Integers, Integers]:
        """The same numbers in pairs, where that has a meaning."""
        odd = counts % 2 == 1
        self._refuse(texts, odd & (counts > (3 if self.odd_counts else 0)), "expected pairs")
        if not odd.any():
            return numbers, counts
        cells = [
            (cell[:0] if len(cell) == 1 else cell[[0, 1, 2, 1]]) if len(cell) % 2 else cell
            for cell in ragged(numbers, counts)
        ]
        return np.concatenate(cells), np.array([len(cell) for cell in cells])

    def _runs(
        self, texts: pd.Series[Any], pairs: Integers, cell: Cells, public: pd.DataFrame
    ) -> Integers:
        """The first pixel and the one after the last of each run, counted from 0."""
        # In place, because a picture may have millions of runs.
        starts, lengths = pairs[:, 0], pairs[:, 1]
        is_next = cell[1:] == cell[:-1]
        falls = is_next & (starts[1:] < starts[:-1])
        self._check(texts, cell[1:], falls, "runs must be sorted")
        pixels = self._sizes(public)[cell] if self.size else self.pixels
        starts -= 1
        np.minimum(starts, pixels, out=starts)
        room = pixels - starts
        if self.must_fit:
            self._check(texts, cell, lengths > room, "runs must not go past the last pixel")
        np.minimum(lengths, room, out=lengths)
        ends = np.add(starts, lengths, out=lengths)
        overlaps = is_next & (starts[1:] < ends[:-1])
        self._check(texts, cell[1:], overlaps, "runs must not overlap")
        return pairs

    def _sizes(self, public: pd.DataFrame) -> npt.NDArray[np.int64]:
        if self.size:
            return public[list(self.size)].prod(axis=1).to_numpy(dtype=np.int64)
        return np.full(len(public), self.pixels)

    def _check(
        self, texts: pd.Series[Any], cell: Cells, bad: npt.NDArray[np.bool_], reason: str
    ) -> None:
        """Refuse the cells of which some number or run is marked bad."""
        if bad.any():
            marked = np.zeros(len(texts), bool)
            marked[cell[bad]] = True
            self._refuse(texts, marked, reason)

    def _refuse(self, texts: pd.Series[Any], bad: npt.NDArray[np.bool_], reason: str) -> None:
        if bad.any():
            message = f"expected pairs of start and length, but {reason}"
            refuse("bad_mask", message, self.name, texts, bad)

    @property
    def _hint(self) -> str:
        return f"an empty mask is `{self.empty}`" if self.empty else "every row needs a mask"

    def describe(self) -> str:
        """What a cell may hold."""
        size = f", on an image of `{' × '.join(self.size)}` pixels" if self.size else ""
        empty = f"`{self.empty}`" if self.empty else "empty"
        nothing = f"{empty} for no mask" if self._has_empty else "never empty"
        fitting = ", none of them past the last pixel" if self.must_fit else ""
        return (
            "a run-length encoded mask: `start length` pairs separated by blanks, sorted and "
            f"not overlapping, pixels numbered from 1{size}{fitting}; {nothing}"
        )

    @property
    def _has_empty(self) -> bool:
        """Whether there is a way to write an empty mask."""
        return bool(self.empty) or self.may_be_missing

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Masks of up to three runs."""
        return [self._random_mask(rng, int(pixels)) for pixels in self._sizes(public)]

    def _random_mask(self, rng: np.random.Generator, pixels: int) -> str:
        fewest, most = int(not self._has_empty), min((pixels + 1) // 2, 3)
        runs = int(rng.integers(fewest, most + 1))
        edges = np.sort(rng.choice(pixels + 1, 2 * runs, replace=False))
        return encode(edges.reshape(-1, 2)) or self.empty

    def trials(self) -> Iterator[Trial]:
        """Nothing, and every rule broken once."""
        yield Trial("an empty cell", "", self.may_be_missing)
        yield Trial("runs out of order", "5 1 1 1", False)
        yield Trial("runs that overlap", "1 5 3 5", False)
        yield Trial("a start of zero", "0 5 7 1", False)
        yield Trial("a length of zero", "1 0 7 1", False)
        yield Trial("a fraction", "1.0 2 7 1", False)
        yield Trial("five numbers", "1 1 3 1 5", False)
        yield Trial("three numbers", "1 1 3", self.odd_counts)
        if self.must_fit:
            yield Trial("a run past the end", f"1 {FAR}", False)


def _cells(counts: Integers) -> Cells:
    """For each of so many values the position of its cell."""
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)
