"""What the metrics under the original's names mean."""

from __future__ import annotations

import numpy as np
import pytest

from mlebench.metrics import average_precision_at_k, dice_coefficient, mean_average_precision_at_k


@pytest.mark.parametrize(
    ("actual", "predicted", "k", "score"),
    [
        (["a"], ["a"], 5, 1.0),
        (["a"], ["b", "c", "a"], 5, 1 / 3),
        (["a"], ["b", "c", "a"], 2, 0.0),
        (["a"], ["a", "a"], 5, 1.0),
        (["a", "b"], ["a", "a", "b"], 5, (1 + 2 / 3) / 2),
        (["a", "b", "c"], ["c", "a"], 2, 1.0),
        (["a", "a"], ["a"], 5, 0.5),
        (["a", "a"], ["a"], 1, 1.0),
        ({"a"}, ["", "a"], 5, 0.5),
        ([], ["a"], 5, 0.0),
        (["a"], [], 5, 0.0),
        (np.array([3, 4]), np.array([4, 3]), 2, 1.0),
        (np.array([]), np.array([4, 3]), 2, 0.0),
    ],
)
def test_average_precision(actual: list[str], predicted: list[str], k: int, score: float) -> None:
    assert average_precision_at_k(actual, predicted, k) == pytest.approx(score)
    assert average_precision_at_k(actual=actual, predicted=predicted, k=k) == pytest.approx(score)


def test_mean_average_precision() -> None:
    assert mean_average_precision_at_k([["a"], ["b"]], [["a"], ["a", "b"]], 5) == 0.75
    assert mean_average_precision_at_k(actual=[["a"]], predicted=[["a"]], k=5) == 1.0
    assert np.isnan(mean_average_precision_at_k([], [], 5))


@pytest.mark.parametrize(
    ("actual", "predicted"), [([["a"], ["b"]], [["a"]]), ([["a"]], [["a"], ["b"]])]
)
def test_the_mean_stops_at_the_shorter_list(
    actual: list[list[str]], predicted: list[list[str]]
) -> None:
    assert mean_average_precision_at_k(actual, predicted, 5) == 1.0


def test_dice() -> None:
    assert dice_coefficient(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])) == 2 / 3
    assert dice_coefficient(predicted_mask=[[True]], true_mask=[[True]]) == 1.0
    with pytest.raises(ValueError, match="shapes"):
        dice_coefficient(np.zeros(4), np.zeros((2, 2)))


def test_dice_takes_numbers_as_they_are() -> None:
    assert dice_coefficient([0.5, 0.5], [1, 0]) == pytest.approx(2 * 0.5 / 2)
    assert dice_coefficient([2, 0], [2, 0]) == 2.0
    loud = np.array([255, 0], dtype=np.uint8)
    assert dice_coefficient(loud, loud) == 255.0


def test_dice_of_two_empty_masks_is_what_the_caller_says() -> None:
    empty = np.zeros((2, 2))
    assert np.isnan(dice_coefficient(empty, empty))
    assert dice_coefficient(empty, empty, 1.0) == 1.0
    assert dice_coefficient(empty, empty, both_empty_value=0.0) == 0.0
    assert dice_coefficient(empty, np.ones((2, 2)), both_empty_value=1.0) == 0.0
