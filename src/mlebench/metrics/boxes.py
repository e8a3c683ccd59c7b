"""Upright boxes in space, and how well detected ones match true ones.

Boxes are rows of centre x, y, z, width, length, height and yaw; the length points where
the yaw does, the height is vertical.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.metrics.rectangles import pairs_within

Array = npt.NDArray[Any]

RIGHT_ANGLE = 1e-8  # tolerance for the product of two sides
ROUNDING = 1e-6  # far more than an upper bound can suffer from rounding
BLOCK = 2048  # boxes at a time, so that memory stays small however many there are

# Participants may write anything; infinities then take their course without a warning.
ABSURD_NUMBERS = np.errstate(invalid="ignore", over="ignore")


def corners(boxes: Array) -> Array:
    """The four ground corners of each box, going round; shape (boxes, 4, 2)."""
    x, y, _, width, length, _, yaw = boxes.T[:, :, None]
    # From half the angle, as a unit quaternion gives them, to agree in the last digit.
    half_cos, half_sin = np.cos(yaw / 2), np.sin(yaw / 2)
    cos, sin = half_cos**2 - half_sin**2, 2 * half_cos * half_sin
    ahead = length / 2 * np.array([1, 1, -1, -1])
    left = width / 2 * np.array([-1, 1, 1, -1])
    return np.stack([x + ahead * cos - left * sin, y + ahead * sin + left * cos], axis=-1)


@ABSURD_NUMBERS
def are_solid(boxes: Array) -> Array:
    """Whether each box has a place, sizes and, in floating point, right angles."""
    around = corners(boxes)
    to_next = np.roll(around, -1, axis=1) - around
    to_last = np.roll(around, 1, axis=1) - around
    right_angles = np.abs((to_next * to_last).sum(axis=2)) <= RIGHT_ANGLE
    is_sized = boxes[:, 3:6] > 0
    is_number = ~np.isnan(boxes)
    return np.asarray(np.hstack([right_angles, is_sized, is_number]).all(axis=1))


@ABSURD_NUMBERS
def iou(first: Array, second: Array) -> Array:
    """Intersection over union of each solid box with the one beside it."""
    from shapely import area, intersection, polygons

    ground = area(intersection(polygons(corners(first)), polygons(corners(second))))
    shared = _shared_height(first, second) * ground
    return np.asarray(np.clip(shared / (_volume(first) + _volume(second) - shared), 0, 1))


@ABSURD_NUMBERS
def nearest(
    boxes: Array,
    truth: Array,
    at_least: float,
    groups: Array | None = None,
    true_groups: Array | None = None,
) -> tuple[Array, Array]:
    """For each box the true box of its group that it overlaps most, and how much.

    Overlaps below ``at_least`` may be told as 0, of whatever true box. What a cheap upper
    bound shows to lie below it is not computed exactly, which leaves a few candidates of
    millions of pairs. Without groups every true box is a candidate.
    """
    groups, true_groups = _of_one(groups, boxes), _of_one(true_groups, truth)
    which, overlap = np.zeros(len(boxes), np.int64), np.zeros(len(boxes))
    around, rims = _rectangle(boxes), _rectangle(truth)
    for start in range(0, len(boxes), BLOCK):
        one, other = pairs_within(groups[start : start + BLOCK], true_groups)
        one += start
        most = _most_possible(boxes[one], around[one], truth[other], rims[other])
        one, other = one[~(most < at_least)], other[~(most < at_least)]
        overlaps = iou(boxes[one], truth[other])
        # NaN counts as the largest; of equal ones the first is taken.
        best_first = np.lexsort((-np.nan_to_num(overlaps, nan=np.inf), one))
        found, first = np.unique(one[best_first], return_index=True)
        which[found] = other[best_first[first]]
        overlap[found] = overlaps[best_first[first]]
    return which, overlap


def _of_one(groups: Array | None, boxes: Array) -> Array:
    return np.zeros(len(boxes), np.int64) if groups is None else groups


def _most_possible(first: Array, around: Array, second: Array, rim: Array) -> Array:
    """At least the overlap of each box with the one beside it.

    On the ground two boxes share no more than the upright rectangles around them do.
    """
    sides = np.minimum(around[:, 2:], rim[:, 2:]) - np.maximum(around[:, :2], rim[:, :2])
    shared = _shared_height(first, second) * np.maximum(sides, 0).prod(axis=-1)
    smaller = np.minimum(np.minimum(_volume(first), _volume(second)), shared)
    union = _volume(first) + _volume(second) - smaller
    return np.asarray(smaller / union * (1 + ROUNDING))


def _rectangle(boxes: Array) -> Array:
    around = corners(boxes)
    return np.hstack([around.min(axis=1), around.max(axis=1)])


def _shared_height(first: Array, second: Array) -> Array:
    # A box infinitely high up and infinitely tall has no bottom; fmax looks past the NaN.
    bottom = np.fmax(_bottom(first), _bottom(second))
    return np.asarray(np.maximum(np.fmin(_top(first), _top(second)) - bottom, 0))


def _bottom(boxes: Array) -> Array:
    return boxes[..., 2] - boxes[..., 5] / 2


def _top(boxes: Array) -> Array:
    return boxes[..., 2] + boxes[..., 5] / 2


def _volume(boxes: Array) -> Array:
    return np.asarray(boxes[..., 3:6].prod(axis=-1))


def average_precision(
    truth: Array, boxes: Array, confidences: Array, thresholds: Sequence[float]
) -> Array:
    """The area under the precision-recall curve, for each overlap threshold.

    From the most confident box on, each goes to the true box it overlaps most; it is right
    if the overlap exceeds the threshold and no earlier box was right about the same one.
    """
    groups, true_groups = _of_one(None, boxes), _of_one(None, truth)
    areas = average_precisions(truth, true_groups, boxes, groups, confidences, thresholds)
    return np.asarray(areas[0])


def average_precisions(
    truth: Array,
    true_groups: Array,
    boxes: Array,
    groups: Array,
    confidences: Array,
    thresholds: Sequence[float],
) -> Array:
    """The `average_precision` of many groups at once, in a row each and a column a threshold.

    Groups are numbered from 0; those without a true box have a precision of 0.
    """
    order = _by_confidence(groups, confidences)
    groups = groups[order]
    which, overlap = nearest(boxes[order], truth, min(thresholds), groups, true_groups)
    rank = np.arange(1, len(groups) + 1) - np.searchsorted(groups, groups)
    totals = np.bincount(true_groups, minlength=groups.max(initial=0) + 1)
    areas = np.zeros((len(totals), len(thresholds)))
    for column, threshold in enumerate(thresholds):
        hits = np.flatnonzero(overlap > threshold)
        right = np.sort(hits[np.unique(which[hits], return_index=True)[1]])
        own = groups[right]
        precision = (np.arange(1, len(right) + 1) - np.searchsorted(own, own)) / rank[right]
        highest = pd.Series(precision[::-1]).groupby(own[::-1]).cummax().to_numpy()[::-1]
        sums = np.bincount(own, highest, minlength=len(totals))
        areas[:, column] = sums / np.maximum(totals, 1)
    return areas


def _by_confidence(groups: Array, confidences: Array) -> Array:
    """The order of boxes by group and falling confidence."""
    order = np.lexsort((-confidences, groups))
    ranked = groups[order]
    for group in np.unique(groups[np.isnan(confidences)]):
        # Python's sort, because only it puts NaN where the original does.
        start, end = np.searchsorted(ranked, [group, group + 1])
        own = np.sort(order[start:end])
        values = confidences[own].tolist()
        order[start:end] = own[sorted(range(len(own)), key=values.__getitem__, reverse=True)]
    return order
