"""Flat boxes in pictures, and how well detected ones match true ones.

Boxes are rows of x_min, y_min, x_max and y_max. Those of all pictures and classes stand in one
table; a number for each says to which group (a class in a picture) it belongs, and only boxes
of the same group are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Participants may write anything; infinities then take their course without a warning.
ABSURD_NUMBERS = np.errstate(invalid="ignore", over="ignore", divide="ignore")


@ABSURD_NUMBERS
def area(boxes: Array) -> Array:
    """The area of each box; negative if one pair of sides is exchanged."""
    return np.asarray((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]))


@ABSURD_NUMBERS
def iou(first: Array, second: Array) -> Array:
    """Intersection over union of each box with the one beside it.

    It is 0 where the union is not positive, and NaN where corners are no finite numbers.
    """
    near = np.maximum(first[:, :2], second[:, :2])
    far = np.minimum(first[:, 2:], second[:, 2:])
    shared = np.maximum(far - near, 0).prod(axis=1)
    union = area(first) + area(second) - shared
    return np.asarray(np.where(union <= 0, 0, shared / union))


def pairs_within(groups: Array, others: Array) -> tuple[Array, Array]:
    """All pairs of one item and another of the same group, as two lists of places.

    They come in the order of the items, and for each of them in that of the others.
    """
    by_group = np.argsort(others, kind="stable")
    start = np.searchsorted(others[by_group], groups, "left")
    counts = np.searchsorted(others[by_group], groups, "right") - start
    skipped = np.cumsum(counts) - counts
    place = np.arange(counts.sum()) + np.repeat(start - skipped, counts)
    return np.repeat(np.arange(len(groups)), counts), by_group[place]


def first_come(one: Array, other: Array) -> Array:
    """Which of some pairs are made if the first comes first and everybody has one partner."""
    taken: set[int] = set()
    given: set[int] = set()
    made = np.zeros(len(one), bool)
    for position, (left, right) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        if left not in taken and right not in given:
            taken.add(left)
            given.add(right)
            made[position] = True
    return made


def are_right(
    boxes: Array,
    groups: Array,
    confidences: Array,
    truth: Array,
    true_groups: Array,
    above: float,
) -> Array:
    """Which of the boxes find a true one.

    From the most confident on, equal ones in their order, each takes the free true box that
    it overlaps most (of several the first), if the overlap is above a threshold.
    """
    order = np.argsort(-confidences, kind="stable")
    rank, true = pairs_within(groups[order], true_groups)
    overlap = iou(boxes[order[rank]], truth[true])
    near = np.flatnonzero(overlap > above)
    best_first = near[np.lexsort((-overlap[near], rank[near]))]
    made = best_first[first_come(rank[best_first], true[best_first])]
    right = np.zeros(len(boxes), bool)
    right[order[rank[made]]] = True
    return right
