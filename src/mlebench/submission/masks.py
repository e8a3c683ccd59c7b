"""Run-length encoded masks as a submission column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mlebench.metrics.masks import Runs
from mlebench.submission.columns import Text, parse_each, quote


@dataclass(frozen=True)
class RunLengths(Text):
    """Pairs of start and length, pixels numbered from 1; empty text is an empty mask.

    Runs past the last pixel are cut. With ``odd_counts``, one lone number is an empty mask
    and a third number borrows the only length, as broadcasting makes it in the original.
    """

    pixels: int = 0
    odd_counts: bool = False

    def parse(self, cells: pd.Series[Any]) -> pd.Series[Any]:
        """Each mask as sorted half-open runs counted from 0."""
        return parse_each(self.name, "bad_mask", super().parse(cells), self.decode)

    def decode(self, text: str) -> Runs:
        """The runs behind one text.

        Raises:
            ValueError: The text is not a run-length encoding.
        """
        numbers = [_whole(token) for token in text.split()]
        starts, lengths = np.array(numbers[0::2], np.int64), np.array(numbers[1::2], np.int64)
        if (starts < 1).any() or (lengths < 1).any():
            raise ValueError("starts and lengths must be positive")
        if (np.diff(starts) < 0).any():
            raise ValueError("runs must be sorted by their start")
        if len(starts) != len(lengths):
            if not self.odd_counts or len(starts) > 2:
                raise ValueError("expected pairs of start and length")
            starts, lengths = np.broadcast_arrays(starts, lengths)
        begin = np.minimum(starts - 1, self.pixels)
        end = np.minimum(begin + np.minimum(lengths, self.pixels), self.pixels)
        if (begin[1:] < end[:-1]).any():
            raise ValueError("runs must not overlap")
        return np.stack([begin, end], axis=1)

    def describe(self) -> str:
        """What a cell may hold."""
        return (
            "a run-length encoded mask: `start length` pairs separated by blanks, sorted and "
            "not overlapping, pixels numbered from 1; empty for no mask"
        )

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Masks of zero to three runs."""
        return [self._random_mask(rng) for _ in range(rows)]

    def _random_mask(self, rng: np.random.Generator) -> str:
        edges = np.sort(rng.choice(self.pixels, 2 * rng.integers(0, 4), replace=False))
        return encode(edges.reshape(-1, 2))


def encode(runs: Runs) -> str:
    """The text of a mask."""
    return " ".join(f"{start + 1} {end - start}" for start, end in runs)


def _whole(token: str) -> int:
    try:
        return int(token)
    except ValueError as error:
        raise ValueError(f"{quote(token)} is not a whole number") from error
