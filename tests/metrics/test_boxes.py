"""Boxes in space, against a slow version that compares them one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

from mlebench.metrics.boxes import (
    are_solid,
    average_precision,
    average_precisions,
    corners,
    iou,
)

THRESHOLDS = (0.1, 0.3, 0.5, 0.75, 0.95)

centre = st.sampled_from([0.0, 0.5, 1.0, 3.0, -2.25])
size = st.sampled_from([0.5, 1.0, 2.0, 4.5])
yaw = st.sampled_from([0.0, 0.3, math.pi / 4, math.pi / 2, -2.0])
boxes = st.tuples(centre, centre, centre, size, size, size, yaw)
some_boxes = st.lists(boxes, min_size=1, max_size=5)
detections = st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.9]), boxes), min_size=1, max_size=7)

Box = tuple[float, ...]


def ground(box: Box) -> Polygon:
    x, y, _, width, length, _, angle = box
    ahead = (math.cos(angle) * length / 2, math.sin(angle) * length / 2)
    left = (-math.sin(angle) * width / 2, math.cos(angle) * width / 2)
    signs = [(1, -1), (1, 1), (-1, 1), (-1, -1)]
    return Polygon(
        [(x + a * ahead[0] + b * left[0], y + a * ahead[1] + b * left[1]) for a, b in signs]
    )


def slow_iou(first: Box, second: Box) -> float:
    bottom = max(box[2] - box[5] / 2 for box in (first, second))
    top = min(box[2] + box[5] / 2 for box in (first, second))
    shared = ground(first).intersection(ground(second)).area * max(0.0, top - bottom)
    volumes = sum(math.prod(box[3:6]) for box in (first, second))
    return min(1.0, shared / (volumes - shared))


def slow_average_precision(truth: list[Box], found: list[tuple[float, Box]], limit: float) -> float:
    """Area below the precision envelope over recall, one detection at a time."""
    ranked = sorted(found, key=lambda detection: detection[0], reverse=True)
    used: set[int] = set()
    curve = []  # recall and precision after each detection
    for rank, (_, box) in enumerate(ranked, start=1):
        overlaps = [slow_iou(box, true) for true in truth]
        best = overlaps.index(max(overlaps))
        if overlaps[best] > limit and best not in used:
            used.add(best)
        curve.append((len(used) / len(truth), len(used) / rank))
    total, last_recall = 0.0, 0.0
    for position, (recall, _) in enumerate(curve):
        envelope = max(precision for _, precision in curve[position:])
        total += (recall - last_recall) * envelope
        last_recall = recall
    return total


@given(some_boxes, some_boxes)
def test_iou_equals_the_slow_version(first: list[Box], second: list[Box]) -> None:
    pairs = [(one, other) for one in first for other in second]
    expected = [slow_iou(*pair) for pair in pairs]
    ones, others = (np.array(side) for side in zip(*pairs, strict=True))
    assert iou(ones, others) == pytest.approx(np.array(expected), abs=1e-9)


@given(some_boxes, detections)
def test_average_precision_equals_the_slow_version(
    truth: list[Box], found: list[tuple[float, Box]]
) -> None:
    # Equally near true boxes, or an overlap at a limit, are decided by the last digit.
    for _, box in found:
        overlaps = sorted(slow_iou(box, true) for true in truth)
        if any(abs(overlap - limit) < 1e-9 for overlap in overlaps for limit in THRESHOLDS):
            return
        if len(overlaps) > 1 and 0 < overlaps[-1] - overlaps[-2] < 1e-9:
            return
    confidences = np.array([confidence for confidence, _ in found])
    ours = average_precision(
        np.array(truth), np.array([box for _, box in found]), confidences, THRESHOLDS
    )
    expected = [slow_average_precision(truth, found, limit) for limit in THRESHOLDS]
    assert ours == pytest.approx(np.array(expected), abs=1e-9)


@given(some_boxes)
def test_corners_go_round_the_box(given_boxes: list[Box]) -> None:
    for box, around in zip(given_boxes, corners(np.array(given_boxes)), strict=True):
        assert np.array(around) == pytest.approx(
            np.array(ground(box).exterior.coords)[:4], abs=1e-9
        )


@pytest.mark.parametrize(
    ("changed", "solid"),
    [
        ({}, True),
        ({3: 0.0}, False),
        ({4: -1.0}, False),
        ({5: math.nan}, False),
        ({0: math.inf}, False),
        ({6: math.nan}, False),
        ({6: math.inf}, False),
        ({0: 1e30}, False),
    ],
)
def test_flat_lost_and_distorted_boxes_are_not_solid(
    changed: dict[int, float], solid: bool
) -> None:
    box = [0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.5]
    for position, value in changed.items():
        box[position] = value
    assert are_solid(np.array([box])).tolist() == [solid]


def test_box_found_twice_counts_once() -> None:
    box = np.array([[0.0, 0, 0, 1, 1, 1, 0]])
    twice = np.vstack([box, box])
    assert average_precision(box, twice, np.array([0.9, 0.8]), [0.5]).tolist() == [1.0]
    apart = np.vstack([box, box + 5])
    assert average_precision(apart, box, np.array([0.9]), [0.5]).tolist() == [0.5]


confidence = st.sampled_from([0.2, 0.5, 0.9, math.nan])
groups = st.integers(0, 3)


@given(
    st.lists(st.tuples(boxes, groups), max_size=9),
    st.lists(st.tuples(boxes, groups, confidence), max_size=12),
)
def test_groups_do_not_see_each_other(
    truth: list[tuple[Box, int]], found: list[tuple[Box, int, float]]
) -> None:
    def table(listed: list[Box]) -> np.ndarray:
        return np.array(listed, float).reshape(-1, 7)

    together = average_precisions(
        table([box for box, _ in truth]),
        np.array([group for _, group in truth], int),
        table([box for box, *_ in found]),
        np.array([group for _, group, _ in found], int),
        np.array([score for *_, score in found], float),
        THRESHOLDS,
    )
    for group, precisions in enumerate(together):
        own = table([box for box, number in truth if number == group])
        theirs = [(box, score) for box, number, score in found if number == group]
        scores = np.array([score for _, score in theirs])
        alone = average_precision(own, table([box for box, _ in theirs]), scores, THRESHOLDS)
        assert precisions.tolist() == alone.tolist()
