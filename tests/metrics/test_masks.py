"""Masks as runs, against masks as sets of pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.compat.metrics import dice_coefficient
from mlebench.metrics.masks import (
    Masks,
    area,
    areas,
    dice,
    dices,
    iou,
    overlap,
    overlaps,
    stack,
    unions,
)

PIXELS = 60
pixel_sets = st.sets(st.integers(0, PIXELS - 1))


def runs_of(pixels: set[int]) -> np.ndarray:
    painted = [number in pixels for number in range(PIXELS)]
    edges = [
        number
        for number in range(PIXELS + 1)
        if (number > 0 and painted[number - 1]) != (number < PIXELS and painted[number])
    ]
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def split_in_touching_runs(runs: np.ndarray) -> np.ndarray:
    """The same pixels in runs of one pixel each: touching runs are allowed."""
    pixels = [pixel for start, end in runs for pixel in range(start, end)]
    return np.array([(pixel, pixel + 1) for pixel in pixels], dtype=np.int64).reshape(-1, 2)


@given(pixel_sets)
def test_area_counts_pixels(pixels: set[int]) -> None:
    assert area(runs_of(pixels)) == len(pixels)


@given(pixel_sets, pixel_sets)
def test_overlap_and_iou_equal_those_of_sets(first: set[int], second: set[int]) -> None:
    one, other = runs_of(first), runs_of(second)
    union = len(first | second)
    expected = len(first & second) / union if union else math.nan
    for left in (one, split_in_touching_runs(one)):
        for right in (other, split_in_touching_runs(other)):
            assert overlap(left, right) == len(first & second)
            assert iou(left, right) == pytest.approx(expected, nan_ok=True)


@given(pixel_sets, pixel_sets)
def test_dice_of_runs_equals_that_of_sets(first: set[int], second: set[int]) -> None:
    one, other = runs_of(first), runs_of(second)
    total = len(first) + len(second)
    expected = 2 * len(first & second) / total if total else 1.0
    assert dice(one, other) == dice(other, split_in_touching_runs(one)) == expected


def test_dice_of_empty_masks() -> None:
    empty, pixel = runs_of(set()), runs_of({3})
    assert dice(empty, empty) == 1
    assert dice(empty, pixel) == dice(pixel, empty) == 0


@given(pixel_sets, pixel_sets)
def test_dice_equals_that_of_sets(first: set[int], second: set[int]) -> None:
    one, other = (np.isin(np.arange(PIXELS), list(pixels)) for pixels in (first, second))
    total = len(first) + len(second)
    expected = 2 * len(first & second) / total if total else math.nan
    assert dice_coefficient(one, other) == pytest.approx(expected, nan_ok=True)


def test_dice_of_masks_of_different_shapes_is_refused() -> None:
    with pytest.raises(ValueError, match="shapes"):
        dice_coefficient(np.ones(4), np.ones(5))


columns = st.lists(st.tuples(pixel_sets, pixel_sets), max_size=6)


def stacked(masks: list[set[int]]) -> Masks:
    """A column of masks, every other one in runs of one pixel each."""
    runs = [runs_of(pixels) for pixels in masks]
    return stack([split_in_touching_runs(one) if row % 2 else one for row, one in enumerate(runs)])


@given(columns)
def test_columns_are_compared_row_by_row(pairs: list[tuple[set[int], set[int]]]) -> None:
    first, second = (stacked([pair[side] for pair in pairs]) for side in (0, 1))
    assert areas(first).tolist() == [len(one) for one, _ in pairs]
    assert overlaps(first, second).tolist() == [len(one & other) for one, other in pairs]
    expected = [
        2 * len(one & other) / (len(one) + len(other)) if one or other else math.nan
        for one, other in pairs
    ]
    assert dices(first, second).tolist() == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(pixel_sets, st.integers(0, 3)), max_size=8))
def test_masks_of_a_group_are_united(rows: list[tuple[set[int], int]]) -> None:
    masks = stacked([pixels for pixels, _ in rows])
    united = unions(masks, np.array([group for _, group in rows], np.int64), 4)
    expected = [
        set().union(*(pixels for pixels, own in rows if own == group)) for group in range(4)
    ]
    whole = stack([runs_of(pixels) for pixels in expected])
    assert united.row_count == 4
    assert [part.tolist() for part in united[:3]] == [part.tolist() for part in whole[:3]]


def test_masks_of_huge_pictures_are_told_apart() -> None:
    last = 40_000 * 50_000
    far = stack([np.array([[last - 3, last]]), np.array([[0, 2]])] * 2)
    near = stack([np.array([[0, 2]]), np.array([[0, 2]])] * 2)
    assert overlaps(far, near).tolist() == [0, 2, 0, 2]
    assert overlaps(far, far).tolist() == areas(far).tolist() == [3, 2, 3, 2]


def test_a_column_without_masks_has_no_areas() -> None:
    nothing = stack([])
    assert areas(nothing).tolist() == dices(nothing, nothing).tolist() == []
    assert unions(nothing, np.zeros(0, np.int64), 2).row_count == 2
