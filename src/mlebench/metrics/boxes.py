"""Upright boxes in space, and how well detected ones match true ones.

Boxes are rows of centre x, y, z, width, length, height and yaw; the length points where
the yaw does, the height is vertical.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

RIGHT_ANGLE = 1e-8  # tolerance for the product of two sides

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
    """Intersection over union of each solid box of one set with each of another."""
    from shapely import area, intersection, polygons

    reach = np.add.outer(_radius(first), _radius(second))
    distance = np.hypot(*(np.subtract.outer(first[:, k], second[:, k]) for k in (0, 1)))
    one, other = np.nonzero(distance <= reach)
    ground = area(intersection(polygons(corners(first))[one], polygons(corners(second))[other]))
    # A box infinitely high up and infinitely tall has no bottom; fmax looks past the NaN.
    bottom = np.fmax(_bottom(first)[one], _bottom(second)[other])
    top = np.fmin(_top(first)[one], _top(second)[other])
    shared = np.maximum(top - bottom, 0) * ground
    union = _volume(first)[one] + _volume(second)[other] - shared
    result = np.zeros(reach.shape)
    result[one, other] = np.clip(shared / union, 0, 1)
    return result


def _radius(boxes: Array) -> Array:
    return np.hypot(boxes[:, 3], boxes[:, 4]) / 2


def _bottom(boxes: Array) -> Array:
    return boxes[:, 2] - boxes[:, 5] / 2


def _top(boxes: Array) -> Array:
    return boxes[:, 2] + boxes[:, 5] / 2


def _volume(boxes: Array) -> Array:
    return boxes[:, 3] * boxes[:, 4] * boxes[:, 5]


def average_precision(
    truth: Array, boxes: Array, confidences: Array, thresholds: Sequence[float]
) -> Array:
    """The area under the precision-recall curve, for each overlap threshold.

    From the most confident box on, each goes to the true box it overlaps most; it is right
    if the overlap exceeds the threshold and no earlier box was right about the same one.
    """
    # Python's sort, because only it puts NaN where the original does.
    order = sorted(range(len(boxes)), key=confidences.tolist().__getitem__, reverse=True)
    overlaps = iou(boxes[order], truth)
    nearest, closeness = overlaps.argmax(axis=1).tolist(), overlaps.max(axis=1).tolist()
    areas = []
    for threshold in thresholds:
        found: dict[int, int] = {}
        for rank, (true_box, overlap) in enumerate(zip(nearest, closeness, strict=True), start=1):
            if overlap > threshold:
                found.setdefault(true_box, rank)
        precisions = [right / rank for right, rank in enumerate(found.values(), start=1)]
        areas.append(sum(accumulate(reversed(precisions), max)) / len(truth))
    return np.array(areas)
