"""The oracle's score of one sample of boxes, in plain loops around shapely's polygons."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from shapely import Polygon

from tests.fuzz.reading import DontCareError, InvalidError, require

THRESHOLDS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
EPSILON = 2.220446049250313e-16


class Box(NamedTuple):
    """One box of a prediction string."""

    confidence: float
    x: float
    y: float
    z: float
    width: float
    length: float
    height: float
    yaw: float
    name: str


@lru_cache(maxsize=4096)
def mean_average_precision(guess: str, truth: str) -> float:
    """The mean over thresholds and the truth's classes."""
    guesses, truths = _boxes(guess), _boxes(truth)
    classes = sorted({box.name for box in truths})
    pairs = []
    for name in classes:
        right = [box for box in truths if box.name == name]
        found = [box for box in guesses if box.name == name]
        for box in found:
            _check(box)
        found.sort(key=lambda box: box.confidence, reverse=True)
        pairs.append((right, [[_iou(box, other) for other in right] for box in found]))
    values = [_precision(len(right), overlaps, t) for t in THRESHOLDS for right, overlaps in pairs]
    return sum(values) / len(values)


def _boxes(text: str) -> list[Box]:
    if not text.strip():
        return []
    tokens = text.split(" ")
    require(len(tokens) % 9 == 0, "nine tokens a box")
    try:
        return [
            Box(*(float(token) for token in tokens[at : at + 8]), tokens[at + 8])
            for at in range(0, len(tokens), 9)
        ]
    except ValueError as error:
        raise InvalidError("not a number") from error


def _check(box: Box) -> None:
    place, sizes = (box.x, box.y, box.z, box.yaw), (box.width, box.length, box.height)
    require(not any(math.isnan(value) for value in place + sizes), "NaN in a box")
    require(all(size > 0 for size in sizes), "size")
    if math.isinf(box.z) or max(map(abs, place + sizes)) > 1e5 or min(sizes) < 1e-3:
        raise DontCareError("extreme box")


def _ground(box: Box) -> Polygon:
    cos, sin = math.cos(box.yaw), math.sin(box.yaw)
    return Polygon(
        [
            (
                box.x + ahead * box.length / 2 * cos - left * box.width / 2 * sin,
                box.y + ahead * box.length / 2 * sin + left * box.width / 2 * cos,
            )
            for ahead, left in ((1, -1), (1, 1), (-1, 1), (-1, -1))
        ]
    )


def _iou(first: Box, second: Box) -> float:
    ground = _ground(first).intersection(_ground(second)).area
    top = min(box.z + box.height / 2 for box in (first, second))
    bottom = max(box.z - box.height / 2 for box in (first, second))
    shared = ground * max(0.0, top - bottom)
    volumes = [box.width * box.length * box.height for box in (first, second)]
    return min(max(shared / (sum(volumes) - shared), 0.0), 1.0)


def _precision(count: int, overlaps: list[list[float]], threshold: float) -> float:
    """Average precision of a class; one row of overlaps for each box found."""
    taken: set[int] = set()
    recalls, precisions = [0.0], [0.0]
    for number, row in enumerate(overlaps, start=1):
        best = row.index(max(row))
        if row[best] > threshold:
            taken.add(best)
        recalls.append(len(taken) / count)
        precisions.append(len(taken) / max(number, EPSILON))
    if not overlaps:
        return 0.0
    recalls.append(1.0)
    precisions.append(0.0)
    for at in range(len(precisions) - 2, -1, -1):
        precisions[at] = max(precisions[at], precisions[at + 1])
    return sum((recalls[at] - recalls[at - 1]) * precisions[at] for at in range(1, len(recalls)))
