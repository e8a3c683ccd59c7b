"""Masks as runs, against masks as sets of pixels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.compat.metrics import dice_coefficient
from mlebench.metrics.masks import area, dice, iou, overlap

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
