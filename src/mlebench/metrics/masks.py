"""Masks as sorted runs of pixels, compared without painting them.

A mask is an array of shape (runs, 2) with the first pixel and the one after the last of
each run, counted from 0; runs are sorted and do not overlap. Written as text, a run is its
first pixel, counted from 1, and its length.

The masks of a whole column are `Masks`: all their runs in flat arrays, with which thousands
of rows are compared at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Runs = npt.NDArray[np.int64]

RUNS_AT_A_TIME = 50_000  # few enough that what is made of them stays in the cache


class Masks(NamedTuple):
    """The runs of many masks, one mask after the other."""

    starts: Integers
    """The first pixel of each run, in ascending order within a row."""
    ends: Integers
    """The one after the last."""
    rows: Integers
    """The row of each run, in ascending order."""
    row_count: int
    """How many rows there are, those without a run included."""


def area(runs: Runs) -> int:
    """The number of pixels in a mask."""
    return int((runs[:, 1] - runs[:, 0]).sum())


def overlap(first: Runs, second: Runs) -> int:
    """The number of pixels in both masks."""
    coverage = _Coverage.of(second)
    return int((coverage.before(first[:, 1]) - coverage.before(first[:, 0])).sum())


class _Coverage(NamedTuple):
    """How many pixels of a mask lie before any pixel."""

    runs: Runs
    covered: Integers
    """The number of pixels in the first 0, 1, 2, … runs."""

    @classmethod
    def of(cls, runs: Runs) -> _Coverage:
        """The coverage of a mask."""
        return cls(runs, np.concatenate([[0], np.cumsum(runs[:, 1] - runs[:, 0])]))

    def before(self, pixels: Integers) -> Integers:
        """For each pixel the number of smaller pixels that the mask has."""
        if not len(self.runs):
            return np.zeros(len(pixels), np.int64)
        run = np.searchsorted(self.runs[:, 0], pixels, side="right")
        # Of the run that begins last, all is counted but what comes from the pixel on.
        beyond = np.where(run > 0, self.runs[run - 1, 1] - pixels, 0)
        return np.asarray(self.covered[run] - np.maximum(beyond, 0))


def iou(first: Runs, second: Runs) -> float:
    """Intersection over union; NaN if both masks are empty."""
    shared = overlap(first, second)
    union = area(first) + area(second) - shared
    return shared / union if union else float("nan")


def dice(first: Runs, second: Runs) -> float:
    """Twice the intersection over the sum of both areas; 1 if both masks are empty."""
    total = area(first) + area(second)
    return 2 * overlap(first, second) / total if total else 1.0


def runs_of(painted: npt.NDArray[np.bool_]) -> Runs:
    """The runs of a painted mask, its pixels numbered along the last axis."""
    edges = np.flatnonzero(np.diff(painted.ravel(), prepend=False, append=False))
    return edges.reshape(-1, 2)


def paint(runs: Runs, pixels: int) -> npt.NDArray[np.bool_]:
    """A flat mask of so many pixels."""
    steps = np.zeros(pixels + 1, dtype=np.int8)
    steps[runs[:, 0]] += 1
    steps[runs[:, 1]] -= 1
    return np.cumsum(steps[:-1], dtype=np.int8).astype(bool)


def encode(runs: Runs) -> str:
    """The text of a mask."""
    return " ".join(f"{start + 1} {end - start}" for start, end in runs)


def stack(masks: Iterable[Runs]) -> Masks:
    """The masks of a column in flat arrays, to be compared all at once."""
    column = list(masks)
    counts = np.fromiter(map(len, column), np.int64, len(column))
    runs = np.concatenate([np.zeros((0, 2), np.int64), *column])
    return Masks(runs[:, 0], runs[:, 1], np.repeat(np.arange(len(column)), counts), len(column))


def areas(masks: Masks) -> Integers:
    """The number of pixels in each mask."""
    return _sums(masks, masks.ends - masks.starts)


def overlaps(first: Masks, second: Masks) -> Integers:
    """For each row the number of pixels in both masks."""
    # Laid out on one line, a column of masks is a single one.
    pixels = max(int(masks.ends.max(initial=0)) for masks in (first, second))
    coverage = _Coverage.of(_on_a_line(second, pixels))
    shared = np.empty(len(first.rows), np.int64)
    for begin in range(0, len(shared), RUNS_AT_A_TIME):
        part = slice(begin, begin + RUNS_AT_A_TIME)
        row_begins = first.rows[part] * pixels
        shared[part] = coverage.before(row_begins + first.ends[part])
        shared[part] -= coverage.before(row_begins + first.starts[part])
    return _sums(first, shared)


def dices(first: Masks, second: Masks) -> Floats:
    """For each row the Dice coefficient; NaN if both masks are empty."""
    total = areas(first) + areas(second)
    shared = 2 * overlaps(first, second)
    with np.errstate(invalid="ignore"):
        return np.asarray(shared / total)


def unions(masks: Masks, groups: Integers, count: int) -> Masks:
    """One mask for each of so many groups, with all pixels that its rows have.

    Args:
        masks: Any masks of one size.
        groups: For each row its group, counted from 0.
        count: How many groups there are.
    """
    pixels = int(masks.ends.max(initial=0)) + 1  # so that no run touches the next group
    line = _on_a_line(masks._replace(rows=groups[masks.rows]), pixels)
    starts, ends = line[np.argsort(line[:, 0], kind="stable")].T
    reached = np.maximum.accumulate(ends)
    is_first, is_last = np.ones(len(starts), bool), np.ones(len(starts), bool)
    is_first[1:] = is_last[:-1] = starts[1:] > reached[:-1]
    rows, begin = np.divmod(starts[is_first], pixels)
    return Masks(begin, reached[is_last] - rows * pixels, rows, count)


def _on_a_line(masks: Masks, pixels: int) -> Runs:
    """All runs as those of one mask, row after row."""
    before = masks.rows * pixels
    return np.stack([masks.starts + before, masks.ends + before], axis=1)


def _sums(masks: Masks, numbers: Integers) -> Integers:
    """The sum over the runs of each row."""
    # Of whole numbers, which floats hold exactly up to a size that no picture has.
    return np.bincount(masks.rows, numbers, masks.row_count).astype(np.int64)
