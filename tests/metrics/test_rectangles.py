"""Flat boxes, against slow versions that compare them one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.rectangles import are_right, area, first_come, iou, pairs_within

corner = st.sampled_from([0.0, 1.0, 1.5, 2.0, 4.0, -3.0])
boxes = st.tuples(corner, corner, corner, corner)
grouped_boxes = st.lists(st.tuples(boxes, st.integers(0, 2)), max_size=6)
found_boxes = st.lists(
    st.tuples(boxes, st.integers(0, 2), st.sampled_from([0.2, 0.5, 0.9])), max_size=9
)

Box = tuple[float, ...]


def slow_iou(one: Box, other: Box) -> float:
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    union = sum(areas) - width * height
    return width * height / union if union > 0 else 0.0


def columns(rows: list[tuple[Box, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] for row in rows]).reshape(-1, 4), np.array([row[1] for row in rows])


@given(st.lists(st.tuples(boxes, boxes), min_size=1))
def test_iou_equals_the_slow_version(pairs: list[tuple[Box, Box]]) -> None:
    ones, others = (np.array(side) for side in zip(*pairs, strict=True))
    assert iou(ones, others) == pytest.approx(np.array([slow_iou(*pair) for pair in pairs]))


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(4))
def test_a_box_without_bounds_is_near_nothing(odd: float, place: int) -> None:
    box = np.array([[0.0, 0.0, 2.0, 2.0]])
    absurd = box.copy()
    absurd[0, place] = odd
    for overlap in (*iou(absurd, box), *iou(absurd, absurd)):
        assert not overlap > 0.3


def test_exchanged_corners_make_the_area_negative() -> None:
    upright, turned = (0, 0, 2, 3), (2, 0, 0, 3)
    assert area(np.array([upright, turned])).tolist() == [6, -6]


@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(0, 4), max_size=8))
def test_pairs_are_those_of_two_loops(groups: list[int], others: list[int]) -> None:
    expected = [
        (left, right)
        for left, group in enumerate(groups)
        for right, other in enumerate(others)
        if group == other
    ]
    one, other = pairs_within(np.array(groups, int), np.array(others, int))
    assert [*zip(one.tolist(), other.tolist(), strict=True)] == expected


def test_who_comes_first_takes_the_partner() -> None:
    one, other = np.array([0, 0, 1, 1, 2]), np.array([5, 6, 5, 6, 6])
    assert first_come(one, other).tolist() == [True, False, False, True, False]


@given(found_boxes, grouped_boxes, st.sampled_from([0.0, 0.3, 0.5]))
def test_right_boxes_are_those_of_the_slow_version(
    found: list[tuple[Box, int, float]], truth: list[tuple[Box, int]], above: float
) -> None:
    expected, used = [False] * len(found), set()
    for number in sorted(range(len(found)), key=lambda number: -found[number][2]):
        box, group, _ = found[number]
        free = [k for k, (_, own) in enumerate(truth) if own == group and k not in used]
        overlaps = [slow_iou(box, truth[k][0]) for k in free]
        if overlaps and max(overlaps) > above:
            used.add(free[overlaps.index(max(overlaps))])
            expected[number] = True
    given_boxes, groups = columns([(box, group) for box, group, _ in found])
    confidences = np.array([confidence for *_, confidence in found])
    right = are_right(given_boxes, groups, confidences, *columns(truth), above)
    assert right.tolist() == expected
