"""The mean target of rows with the same code, so that no row learns from its own target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..problem import Array

Codes = NDArray[np.int64]
PARTS = 5
SMOOTHING = 10.0


def mean_targets(known: Codes, asked: Codes, signal: Array, seed: int) -> tuple[Array, Array]:
    """Means for rows to learn from, each without its own part, and for rows that are asked for.

    Args:
        known: Codes of the rows to learn from, one column for each list of codes.
        asked: The same of the others.
        signal: What means are taken of.
        seed: Decides about the parts.
    """
    if not signal.shape[1]:
        return np.zeros((len(known), 0)), np.zeros((len(asked), 0))
    part_of = np.random.default_rng(seed).integers(0, PARTS, len(known))
    learned, wanted = [], []
    for column in range(known.shape[1]):
        old, new = known[:, column] + 1, asked[:, column] + 1  # what is missing comes first
        size = int(max(old.max(initial=0), new.max(initial=0))) + 1
        own = np.empty((len(old), signal.shape[1]))
        for part in range(PARTS):
            inside = part_of == part
            own[inside] = _means(old[~inside], signal[~inside], size)[old[inside]]
        learned.append(own)
        wanted.append(_means(old, signal, size)[new])
    return np.hstack(learned), np.hstack(wanted)


def _means(codes: Codes, signal: Array, size: int) -> Array:
    overall = signal.mean(axis=0) if len(signal) else np.zeros(signal.shape[1])
    counts = np.bincount(codes, minlength=size)[:, None]
    sums = np.column_stack(
        [np.bincount(codes, signal[:, k], minlength=size) for k in range(signal.shape[1])]
    )
    return (sums + SMOOTHING * overall) / (counts + SMOOTHING)
