"""Masks as sorted runs of pixels, compared without painting them.

A mask is an array of shape (runs, 2) with the first pixel and the one after the last of
each run, counted from 0; runs are sorted and do not overlap. Written as text, a run is its
first pixel, counted from 1, and its length.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Runs = npt.NDArray[np.int64]


def area(runs: Runs) -> int:
    """The number of pixels in a mask."""
    return int((runs[:, 1] - runs[:, 0]).sum())


def overlap(first: Runs, second: Runs) -> int:
    """The number of pixels in both masks."""
    if not len(first) or not len(second):
        return 0
    ends = _covered_before(first[:, 1], second)
    starts = _covered_before(first[:, 0], second)
    return int((ends - starts).sum())


def _covered_before(pixels: npt.NDArray[np.int64], runs: Runs) -> npt.NDArray[np.int64]:
    """For each pixel the number of smaller pixels that the runs cover."""
    lengths = runs[:, 1] - runs[:, 0]
    covered = np.concatenate([[0], np.cumsum(lengths)])
    run = np.searchsorted(runs[:, 0], pixels, side="right")
    inside = np.where(run > 0, pixels - runs[run - 1, 0], 0)
    return covered[run] - np.where(run > 0, np.maximum(lengths[run - 1] - inside, 0), 0)


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
