"""What is known of the target of other rows, so that no row learns from its own.

Rows to learn from are told what those of other parts have, which are cut as rows are held out; rows
that are asked for are told what all rows to learn from have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..problem import Array

Codes = NDArray[np.int64]
PARTS = 5
SMOOTHING = 10.0
POWERS = (1.0, 4.0)


class Encoder(Protocol):
    """Makes features of rows from the target of others."""

    def __call__(
        self, known: Codes, asked: Codes, signal: Array, part_of: Codes
    ) -> tuple[Array, Array]:
        """Features of rows to learn from, and of those that are asked for.

        Args:
            known: The rows to learn from, by their place among all.
            asked: The others, likewise.
            signal: Of each row to learn from what it is told by.
            part_of: Of each row to learn from the part, whose rows are told nothing by each other.
        """


@dataclass(frozen=True)
class MeanTargets:
    """The mean target of rows with the same code.

    Attributes:
        codes: Of all rows, a column for each list of codes; below 0 where there is none.
    """

    codes: Codes

    def __call__(
        self, known: Codes, asked: Codes, signal: Array, part_of: Codes
    ) -> tuple[Array, Array]:
        """The means, drawn to that of all rows where few have the code."""
        if not signal.shape[1]:
            return np.zeros((len(known), 0)), np.zeros((len(asked), 0))
        usual = signal.mean(axis=0)  # the same for all parts, so that it does not tell which it is
        learned, wanted = [], []
        for column in self.codes.T:
            old, new = column[known] + 1, column[asked] + 1  # what is missing comes first
            size = int(column.max(initial=0)) + 2
            own = np.empty((len(old), signal.shape[1]))
            for part in np.unique(part_of):
                inside = part_of == part
                own[inside] = _means(old[~inside], signal[~inside], usual, size)[old[inside]]
            learned.append(own)
            wanted.append(_means(old, signal, usual, size)[new])
        return np.hstack(learned), np.hstack(wanted)


def _means(codes: Codes, signal: Array, usual: Array, size: int) -> Array:
    counts = np.bincount(codes, minlength=size)[:, None]
    sums = np.column_stack(
        [np.bincount(codes, signal[:, k], minlength=size) for k in range(signal.shape[1])]
    )
    return np.asarray((sums + SMOOTHING * usual) / (counts + SMOOTHING))


@dataclass(frozen=True)
class NeighbourTargets:
    """The target of rows with the same code whose text is alike, near ones counting more.

    Attributes:
        codes: Of all rows, a column for each list of codes.
        vectors: Of all rows, of length 1 and sparse.
    """

    codes: Codes
    vectors: Any

    def __call__(
        self, known: Codes, asked: Codes, signal: Array, part_of: Codes
    ) -> tuple[Array, Array]:
        """Weighted means, the target of the nearest row, and how near that is."""
        first = signal[:, 0]
        width = len(POWERS) + 2
        learned, wanted = [], []
        for column in self.codes.T:
            own, new = np.full((len(known), width), np.nan), np.full((len(asked), width), np.nan)
            for code, old_places, new_places in _groups(column[known], column[asked]):
                if code < 0 or not len(old_places):
                    continue
                old = self.vectors[known[old_places]]
                target, parts = first[old_places], part_of[old_places]
                alike = np.asarray((old @ old.T).todense())
                alike[parts[:, None] == parts] = -1.0  # of its own part a row knows nothing
                own[old_places] = _near(alike, target)
                if len(new_places):
                    others = self.vectors[asked[new_places]]
                    new[new_places] = _near(np.asarray((others @ old.T).todense()), target)
            learned.append(own)
            wanted.append(new)
        return np.hstack(learned), np.hstack(wanted)


def _groups(old: Codes, new: Codes) -> list[tuple[int, Codes, Codes]]:
    """For each code the places that have it."""
    by_old, by_new = np.argsort(old, kind="stable"), np.argsort(new, kind="stable")
    old_sorted, new_sorted = old[by_old], new[by_new]
    found = []
    for code in np.unique(old):
        low, high = np.searchsorted(old_sorted, [code, code + 1])
        start, end = np.searchsorted(new_sorted, [code, code + 1])
        found.append((int(code), by_old[low:high], by_new[start:end]))
    return found


def _near(alike: Array, target: Array) -> Array:
    """What the rows that are alike have; less than 0 stands for those that do not count."""
    counts = alike >= 0
    said = []
    for power in POWERS:
        weights = np.where(counts, np.maximum(alike, 0) + 0.02, 0.0) ** power
        total = weights.sum(axis=1)
        means = (weights @ target) / np.where(total > 0, total, np.nan)
        said.append(means)
    nearest = alike.argmax(axis=1)
    top = alike[np.arange(len(alike)), nearest]
    said += [np.where(top >= 0, target[nearest], np.nan), np.where(top >= 0, top, np.nan)]
    return np.column_stack(said)
