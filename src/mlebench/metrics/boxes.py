"""Upright boxes in space, and how well detected ones match true ones.

Boxes are rows of centre x, y, z, width, length, height and yaw; the length points where
the yaw does, the height is vertical.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mlebench.metrics.ranking import precision_recall_area

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
def nearest(boxes: Array, truth: Array, at_least: float) -> tuple[Array, Array]:
    """For each box the true box that it overlaps most, and how much.

    Overlaps below ``at_least`` may be told as 0. Whatever a cheap upper bound shows to lie
    below it is not computed exactly, which leaves a few candidates of millions of pairs.
    """
    which, overlap = np.zeros(len(boxes), np.int64), np.zeros(len(boxes))
    for start in range(0, len(boxes), BLOCK):
        block = boxes[start : start + BLOCK]
        one, other = np.nonzero(~(_most_possible(block, truth) < at_least))
        overlaps = np.zeros((len(block), len(truth)))
        overlaps[one, other] = iou(block[one], truth[other])
        which[start : start + BLOCK] = overlaps.argmax(axis=1)
        overlap[start : start + BLOCK] = overlaps.max(axis=1)
    return which, overlap


def _most_possible(first: Array, second: Array) -> Array:
    """At least the overlap of each box of one set with each of another.

    On the ground two boxes share no more than the upright rectangles around them do.
    """
    one, other = first[:, None], second[None, :]
    around, rim = _rectangle(first)[:, None], _rectangle(second)[None, :]
    sides = np.minimum(around[..., 2:], rim[..., 2:]) - np.maximum(around[..., :2], rim[..., :2])
    shared = _shared_height(one, other) * np.maximum(sides, 0).prod(axis=-1)
    smaller = np.minimum(np.minimum(_volume(one), _volume(other)), shared)
    union = _volume(one) + _volume(other) - smaller
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
    # Python's sort, because only it puts NaN where the original does.
    order = sorted(range(len(boxes)), key=confidences.tolist().__getitem__, reverse=True)
    which, overlap = nearest(boxes[order], truth, at_least=min(thresholds))
    areas = []
    for threshold in thresholds:
        hits = np.flatnonzero(overlap > threshold)
        first = np.unique(which[hits], return_index=True)[1]
        areas.append(precision_recall_area(np.sort(hits[first]) + 1, len(truth)))
    return np.array(areas)
