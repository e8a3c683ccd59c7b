"""Ranked guesses, against the definition of average precision."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.ranking import average_precision_at_k, mean_average_precision_at_k

items = st.integers(0, 8)


def slow_average_precision(actual: set[int], predicted: list[int], k: int) -> float:
    if not actual:
        return 0.0
    total = 0.0
    for rank in range(1, min(k, len(predicted)) + 1):
        guess = predicted[rank - 1]
        if guess in actual and guess not in predicted[: rank - 1]:
            total += len(actual & set(predicted[:rank])) / rank
    return total / min(len(actual), k)


@given(st.sets(items), st.lists(items, max_size=12), st.integers(1, 12))
def test_average_precision_equals_the_slow_version(
    actual: set[int], predicted: list[int], k: int
) -> None:
    expected = slow_average_precision(actual, predicted, k)
    assert average_precision_at_k(actual, predicted, k) == pytest.approx(expected)


def test_mean_is_taken_over_cases() -> None:
    assert mean_average_precision_at_k([[1], [2]], [[1], [3, 2]], 5) == pytest.approx(0.75)
    assert math.isnan(mean_average_precision_at_k([], [], 5))


def test_unequal_numbers_of_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="1 true lists"):
        mean_average_precision_at_k([[1]], [], 5)
