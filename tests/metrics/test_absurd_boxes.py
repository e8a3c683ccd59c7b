"""Boxes of any size and place: leaving out hopeless pairs, block by block, changes nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import boxes as module
from mlebench.metrics.boxes import are_solid, average_precision, iou, nearest

THRESHOLDS = (0.1, 0.5, 0.75)

Box = tuple[float, ...]

centre = st.sampled_from([0.0, 0.5, 1.0, -2.25, 1e-300, 1e5, -1e15, 1e200, -1e308, math.inf])
height = st.sampled_from([0.0, 1.0, 3.0, 1e15, -1e308, math.inf, -math.inf])
size = st.sampled_from([0.5, 1.0, 2.0, 1e-300, 1e-9, 1e10, 1e155, 1e308, math.inf])
yaw = st.sampled_from([0.0, 0.0, 0.3, math.pi / 2, 1e9])
plain = st.sampled_from([0.0, 0.5, 1.0, 2.0])
plain_size = st.sampled_from([0.5, 1.0, 2.0])

absurd_boxes = st.tuples(centre, centre, height, size, size, size, yaw)
plain_boxes = st.tuples(plain, plain, plain, plain_size, plain_size, plain_size, yaw)
odd_boxes = st.tuples(plain, plain, height, plain_size, plain_size, size, yaw)
many_boxes = st.lists(plain_boxes | odd_boxes | absurd_boxes, min_size=1, max_size=8)
true_boxes = st.lists(plain_boxes | odd_boxes, min_size=1, max_size=4)


def solid(listed: list[Box]) -> np.ndarray:
    table = np.array(listed)
    return table[are_solid(table)]


def every_overlap(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """One pair after the other."""
    return np.array([[iou(box[None], true[None])[0] for true in truth] for box in found])


def with_blocks(size: int, function: Any, *arguments: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", size)
        return function(*arguments)


@pytest.mark.parametrize("block", [1, 3, 2048])
@given(many_boxes, true_boxes, st.sampled_from([0.05, 0.5, 0.9]))
def test_the_nearest_box_is_that_of_all_pairs(
    block: int, found: list[Box], listed: list[Box], at_least: float
) -> None:
    boxes, truth = solid(found), solid(listed)
    if not len(boxes) or not len(truth):
        return
    which, overlap = with_blocks(block, nearest, boxes, truth, at_least)
    overlaps = every_overlap(boxes, truth)
    for row, (place, most) in enumerate(zip(which, overlap, strict=True)):
        best = overlaps[row].max()
        if math.isnan(best) or best >= at_least:
            assert place == overlaps[row].argmax()
            assert most == pytest.approx(best, nan_ok=True, abs=1e-12)
        else:
            assert most < at_least


def slow_average_precision(
    truth: np.ndarray, boxes: np.ndarray, confidences: list[float], limit: float
) -> float:
    """Area below the precision envelope over recall, one detection at a time."""
    ranked = sorted(range(len(boxes)), key=confidences.__getitem__, reverse=True)
    overlaps = every_overlap(boxes, truth)
    used: set[int] = set()
    curve = []
    for rank, row in enumerate(ranked, start=1):
        best = int(overlaps[row].argmax())
        if overlaps[row][best] > limit:
            used.add(best)
        curve.append((len(used) / len(truth), len(used) / rank))
    total, last_recall = 0.0, 0.0
    for position, (recall, _) in enumerate(curve):
        total += (recall - last_recall) * max(precision for _, precision in curve[position:])
        last_recall = recall
    return total


confidences = st.sampled_from([0.2, 0.5, 0.9, -1.0, 1e308, math.inf, -math.inf, math.nan])


@pytest.mark.parametrize("block", [3, 2048])
@given(
    st.lists(
        st.tuples(confidences, plain_boxes | odd_boxes | absurd_boxes), min_size=1, max_size=8
    ),
    true_boxes,
)
def test_average_precision_is_that_of_all_pairs(
    block: int, found: list[tuple[float, Box]], listed: list[Box]
) -> None:
    truth = solid(listed)
    found = [(confidence, box) for confidence, box in found if len(solid([box]))]
    if not found or not len(truth):
        return
    boxes, scores = np.array([box for _, box in found]), [score for score, _ in found]
    ours = with_blocks(block, average_precision, truth, boxes, np.array(scores), THRESHOLDS)
    expected = [slow_average_precision(truth, boxes, scores, limit) for limit in THRESHOLDS]
    assert ours.tolist() == pytest.approx(expected, abs=1e-9)


@given(st.lists(plain_boxes, min_size=7, max_size=20), true_boxes)
def test_blocks_change_nothing(found: list[Box], listed: list[Box]) -> None:
    boxes, truth = np.array(found), solid(listed)
    if not len(truth):
        return
    whole = with_blocks(2048, nearest, boxes, truth, 0.3)
    for size in (1, 3, 7):
        parts = with_blocks(size, nearest, boxes, truth, 0.3)
        assert parts[0].tolist() == whole[0].tolist()
        assert parts[1].tolist() == whole[1].tolist()
