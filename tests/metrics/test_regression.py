"""Scores for numbers, against versions too simple to be wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.regression import pearson, rmse, rmsle

numbers = st.floats(-1e6, 1e6)
amounts = st.floats(0, 1e6)


def slow_rmse(pairs: list[tuple[float, float]]) -> float:
    return math.sqrt(math.fsum((a - b) ** 2 for a, b in pairs) / len(pairs))


@given(st.lists(st.tuples(numbers, numbers), min_size=1))
def test_rmse_equals_the_slow_version(pairs: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    assert rmse(truth, predicted) == pytest.approx(slow_rmse(pairs), rel=1e-12, abs=1e-150)


@given(st.lists(st.tuples(amounts, amounts), min_size=1))
def test_rmsle_equals_the_slow_version(pairs: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    logs = [(math.log1p(a), math.log1p(b)) for a, b in pairs]
    assert rmsle(truth, predicted) == pytest.approx(slow_rmse(logs), rel=1e-9, abs=1e-12)


def slow_pearson(pairs: list[tuple[int, int]]) -> float:
    count = len(pairs)
    mean_a, mean_b = (math.fsum(column) / count for column in zip(*pairs, strict=True))
    covariance = math.fsum((a - mean_a) * (b - mean_b) for a, b in pairs)
    spread_a = math.fsum((a - mean_a) ** 2 for a, _ in pairs)
    spread_b = math.fsum((b - mean_b) ** 2 for _, b in pairs)
    return covariance / math.sqrt(spread_a * spread_b)


whole = st.integers(-1000, 1000)


@given(st.lists(st.tuples(whole, whole), min_size=3))  # scipy < 1.15 calls two points 0
def test_pearson_equals_the_slow_version(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = ([float(value) for value in column] for column in zip(*pairs, strict=True))
    if len(set(truth)) == 1 or len(set(predicted)) == 1:
        assert math.isnan(pearson(truth, predicted))
    else:
        assert pearson(truth, predicted) == pytest.approx(slow_pearson(pairs), abs=1e-9)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_pearson_is_undefined_for_missing_and_infinite_numbers(odd: float) -> None:
    assert math.isnan(pearson([0.0, 1.0, 2.0], [0.0, 1.0, odd]))


@pytest.mark.parametrize("huge", [1e200, 1e308])
def test_pearson_of_huge_numbers_warns_nobody(huge: float) -> None:
    pearson([0.0, 1.0, 2.0], [0.0, huge, -huge])
