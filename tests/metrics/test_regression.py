"""Scores for numbers, against versions too simple to be wrong."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.regression import (
    mae,
    mape,
    mean_columnwise_rmse,
    median_absolute_error,
    mse,
    pearson,
    r2,
    rmse,
    rmsle,
    spearman,
)

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


pairs_of_numbers = st.lists(st.tuples(numbers, numbers), min_size=1)


@given(pairs_of_numbers)
def test_mean_and_median_errors_equal_the_slow_version(pairs: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    errors = [abs(a - b) for a, b in pairs]
    assert mae(truth, predicted) == pytest.approx(math.fsum(errors) / len(errors))
    assert mse(truth, predicted) == pytest.approx(slow_rmse(pairs) ** 2)
    assert median_absolute_error(truth, predicted) == pytest.approx(statistics.median(errors))


@given(pairs_of_numbers)
def test_mape_equals_the_slow_version(pairs: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = math.fsum(abs(a - b) / max(abs(a), 2.0**-52) for a, b in pairs) / len(pairs)
    assert mape(truth, predicted) == pytest.approx(expected)
    metrics = pytest.importorskip("sklearn.metrics")
    expected = metrics.mean_absolute_percentage_error(truth, predicted)
    assert mape(truth, predicted) == pytest.approx(expected)


def test_unsigned_numbers_do_not_wrap_around() -> None:
    truth, predicted = np.array([1], dtype=np.uint8), np.array([2], dtype=np.uint8)
    assert mae(truth, predicted) == mae(predicted, truth) == rmse(truth, predicted) == 1


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=20))
def test_r2_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, predicted = zip(*pairs, strict=True)
    expected = metrics.r2_score(truth, predicted)
    assert r2(truth, predicted) == pytest.approx(expected)


def test_r2_of_constants_and_of_too_few() -> None:
    assert r2([0.1] * 3, [0.1] * 3) == 1
    assert r2([0.1] * 3, [0.1, 0.1, 0.2]) == 0
    assert math.isnan(r2([1.0], [1.0]))


def slow_ranks(values: tuple[int, ...]) -> list[float]:
    ordered = sorted(values)
    return [
        statistics.mean(place for place, other in enumerate(ordered) if other == value)
        for value in values
    ]


few = st.integers(-3, 3)


@given(st.lists(st.tuples(few, few), min_size=2, max_size=20))
def test_spearman_equals_the_slow_version_and_scipy(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    if len(set(truth)) == 1 or len(set(predicted)) == 1:
        assert math.isnan(spearman(truth, predicted))
        return
    ranks = [*zip(slow_ranks(truth), slow_ranks(predicted), strict=True)]
    assert spearman(truth, predicted) == pytest.approx(slow_pearson(ranks), abs=1e-9)
    stats = pytest.importorskip("scipy.stats")
    expected = stats.spearmanr(truth, predicted)[0]
    assert spearman(truth, predicted) == pytest.approx(expected, abs=1e-9)


def test_spearman_ranks_infinite_numbers() -> None:
    assert spearman([1.0, 2.0, 3.0], [-math.inf, 0.0, math.inf]) == pytest.approx(1)


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(st.tuples(numbers, numbers), min_size=width, max_size=width),
            min_size=1,
            max_size=9,
        )
    )
)
def test_columnwise_rmse_is_the_mean_over_columns(rows: list[list[tuple[float, float]]]) -> None:
    truth, predicted = np.array(rows)[:, :, 0], np.array(rows)[:, :, 1]
    each = [slow_rmse([row[column] for row in rows]) for column in range(len(rows[0]))]
    expected = sum(each) / len(each)
    assert mean_columnwise_rmse(truth, predicted) == pytest.approx(expected)


def test_columnwise_rmse_needs_columns() -> None:
    with pytest.raises(ValueError, match="rows and columns"):
        mean_columnwise_rmse([1, 2], [1, 2])
    assert math.isnan(mean_columnwise_rmse(np.empty((0, 2)), np.empty((0, 2))))
    assert math.isnan(mean_columnwise_rmse([[1.0, 2.0]], [[1.0, math.nan]]))


of_one_column: list[Callable[[Any, Any], float]] = [
    mae,
    mse,
    rmse,
    rmsle,
    median_absolute_error,
    mape,
    r2,
    spearman,
]


@pytest.mark.parametrize("score", [*of_one_column, pearson])
def test_scores_of_nothing_and_of_missing_numbers_are_undefined(
    score: Callable[[Any, Any], float],
) -> None:
    assert math.isnan(score([], []))
    assert math.isnan(score([1.0, 2.0, 3.0], [1.0, math.nan, 3.0]))
    assert math.isnan(score([1.0, math.nan, 3.0], [1.0, 2.0, 3.0]))
    assert math.isnan(score([2.0, 2.0], [2.0, math.nan]))


@pytest.mark.parametrize("score", of_one_column)
def test_columns_that_numpy_would_stretch_are_refused(score: Callable[[Any, Any], float]) -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\), but predicted ones of shape \(3, 1\)"):
        score([1, 2, 3], [[1], [2], [3]])


@pytest.mark.parametrize("huge", [1e200, 1e308, math.inf])
@pytest.mark.parametrize("score", [mae, mse, rmse, median_absolute_error, mape, r2, spearman])
def test_huge_numbers_warn_nobody(score: Callable[[Any, Any], float], huge: float) -> None:
    score([0.0, 1.0, -huge], [0.0, huge, huge])
    mean_columnwise_rmse([[0.0, huge]], [[huge, huge]])
