"""Ranked guesses, against the definitions of their scores."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mlebench.metrics.ranking import (
    average_precision_at_k,
    inversions,
    kendall_tau,
    label_ranking_precision,
    mean_average_precision_at_k,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    precision_recall_area,
    recall_at_k,
    reciprocal_rank,
)

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


cases = st.lists(st.tuples(st.sets(items), st.lists(items, max_size=12)), min_size=1, max_size=9)


@given(cases, st.integers(0, 12))
def test_all_cases_at_once_give_the_mean_of_each(
    cases: list[tuple[set[int], list[int]]], k: int
) -> None:
    actual, predicted = zip(*cases, strict=True)
    each = [average_precision_at_k(*case, k) for case in cases]
    expected = pytest.approx(sum(each) / len(each))
    assert mean_average_precision_at_k(actual, predicted, k) == expected
    texts = [
        pd.Series(
            [[str(item) for item in own] for own in side],
            index=range(7, 7 + len(side)),
            dtype=pd.ArrowDtype(pa.large_list(pa.large_string())),
        )
        for side in (actual, predicted)
    ]
    assert mean_average_precision_at_k(*texts, k) == expected
    assert mean_average_precision_at_k([*texts[0]], texts[1], k) == expected


def test_items_of_all_sorts_are_compared_as_python_does() -> None:
    actual = [[("a", 1)], [None], ["7"], [7]]
    assert mean_average_precision_at_k(actual, [[("a", 1)], [None], [7], [7.0]], 1) == 0.75


def test_mean_is_taken_over_cases() -> None:
    assert mean_average_precision_at_k([[1], [2]], [[1], [3, 2]], 5) == pytest.approx(0.75)
    assert math.isnan(mean_average_precision_at_k([], [], 5))


def test_unequal_numbers_of_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="1 true cases"):
        mean_average_precision_at_k([[1]], [], 5)


@given(st.sets(items), st.lists(items, max_size=12), st.integers(1, 12))
def test_precision_and_recall_count_distinct_right_guesses(
    actual: set[int], predicted: list[int], k: int
) -> None:
    right = sum(item in predicted[:k] for item in actual)
    assert precision_at_k(actual, predicted, k) == pytest.approx(right / k)
    expected = right / len(actual) if actual else 0.0
    assert recall_at_k([*actual, *actual], predicted, k) == pytest.approx(expected)


@pytest.mark.parametrize("k", [0, -1])
def test_no_guesses_earn_nothing(k: int) -> None:
    assert precision_at_k([1], [1, 2], k) == 0
    assert recall_at_k([1], [1, 2], k) == 0
    assert ndcg_at_k({1: 1.0}, [1, 2], k) == 0


@given(st.sets(items), st.lists(items, max_size=12))
def test_reciprocal_rank_is_that_of_the_first_right_guess(
    actual: set[int], predicted: list[int]
) -> None:
    ranks = [rank for rank, guess in enumerate(predicted, start=1) if guess in actual]
    expected = 1 / min(ranks) if ranks else 0.0
    assert reciprocal_rank(actual, predicted) == expected


def test_mean_reciprocal_rank_is_taken_over_cases() -> None:
    assert mean_reciprocal_rank([["a"], ["b"]], [["a"], ["c", "b"]]) == pytest.approx(0.75)
    assert math.isnan(mean_reciprocal_rank([], []))
    with pytest.raises(ValueError, match="1 true cases"):
        mean_reciprocal_rank([["a"]], [])


gains_by_item = st.dictionaries(items, st.integers(0, 5))


@given(gains_by_item, st.lists(items, max_size=12), st.integers(1, 12))
def test_ndcg_equals_the_slow_version(gains: dict[int, int], predicted: list[int], k: int) -> None:
    earned = 0.0
    for rank, guess in enumerate(predicted[:k], start=1):
        if guess not in predicted[: rank - 1]:
            earned += gains.get(guess, 0) / math.log2(rank + 1)
    ideal = sorted(gains.values(), reverse=True)[:k]
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal, start=1))
    assert ndcg_at_k(gains, predicted, k) == pytest.approx(earned / best if best else 0.0)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=9), st.data())
def test_ndcg_equals_scikit_learn(gains: list[int], data: st.DataObject) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    order = data.draw(st.permutations(range(len(gains))))
    k = data.draw(st.integers(1, len(gains)))
    scores = np.empty(len(gains))
    scores[order] = np.arange(len(gains))[::-1]  # the first guess has the highest score
    expected = metrics.ndcg_score([gains], [scores], k=k)
    assert ndcg_at_k(dict(enumerate(gains)), order, k) == pytest.approx(expected)


def test_negative_gains_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        ndcg_at_k({"a": -1.0}, ["a"], 1)


orders = st.integers(0, 40).flatmap(lambda size: st.permutations(range(size)))


@given(st.lists(orders, max_size=5))
def test_inversions_are_pairs_that_are_the_wrong_way_round(lists: list[list[int]]) -> None:
    pairs = [pair for order in lists for pair in combinations(order, 2)]
    wrong = sum(first > second for first, second in pairs)
    assert inversions([np.array(order, np.int64) for order in lists]) == wrong
    expected = 1 - 2 * wrong / len(pairs) if pairs else math.nan
    assert kendall_tau(lists) == pytest.approx(expected, nan_ok=True)


def test_kendall_tau_equals_that_of_scipy() -> None:
    order = np.random.default_rng(0).permutation(1000)
    assert kendall_tau([order]) == pytest.approx(stats.kendalltau(range(1000), order).statistic)


def test_kendall_tau_counts_pairs_not_lists() -> None:
    assert kendall_tau([[0, 1, 2, 3], [1, 0], [0]]) == pytest.approx(1 - 2 / 7)
    assert kendall_tau([[2, 1, 0]]) == -1


@given(st.lists(st.booleans(), max_size=12), st.integers(0, 5))
def test_the_area_below_precision_equals_the_slow_version(rights: list[bool], missed: int) -> None:
    total = sum(rights) + missed
    if not total:
        return
    precisions = [sum(rights[:rank]) / rank for rank in range(1, len(rights) + 1)]
    area = sum(max(precisions[place:]) / total for place, right in enumerate(rights) if right)
    ranks = [rank for rank, right in enumerate(rights, start=1) if right]
    assert precision_recall_area(ranks, total) == pytest.approx(area)


labels_and_scores = st.lists(
    st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=4, max_size=4),
    min_size=1,
    max_size=6,
).map(lambda rows: np.moveaxis(np.array(rows, float), 2, 0))


@given(labels_and_scores)
def test_label_ranking_equals_the_slow_version(sides: np.ndarray) -> None:
    precisions = []
    for truth, scores in zip(*sides, strict=True):
        for own in scores[truth == 1]:
            as_high = scores >= own
            precisions.append((as_high & (truth == 1)).sum() / as_high.sum())
    score = label_ranking_precision(*sides)
    assert score == pytest.approx(np.mean(precisions) if precisions else math.nan, nan_ok=True)


@given(labels_and_scores)
def test_label_ranking_equals_scikit_learn(sides: np.ndarray) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, scores = sides
    weights = truth.sum(axis=1)
    if weights.any():
        expected = metrics.label_ranking_average_precision_score(
            truth, scores, sample_weight=weights
        )
        assert label_ranking_precision(truth, scores) == pytest.approx(expected)
