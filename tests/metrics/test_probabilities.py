"""Scores for probabilities, against versions too simple to be wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.probabilities import (
    average_precision,
    binary_log_loss,
    brier_score,
    log_loss,
    mean_columnwise_roc_auc,
    roc_auc,
    weighted_roc_auc,
)

EPSILON = 2.0**-52

# Few distinct values, so that ties are common.
scored_truths = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6).map(lambda n: n / 4)), min_size=1, max_size=40
)


def slow_log_loss(classes: list[int], rows: list[tuple[float, ...]]) -> float:
    losses = []
    for true_class, row in zip(classes, rows, strict=True):
        losses.append(-math.log(min(max(row[true_class], EPSILON), 1 - EPSILON)))
    return sum(losses) / len(losses)


probability = st.floats(0, 1)
classes_and_rows = st.lists(
    st.tuples(st.integers(0, 2), st.tuples(probability, probability, probability)), min_size=1
)


@given(classes_and_rows)
def test_log_loss_equals_the_slow_version(cases: list) -> None:
    classes, rows = zip(*cases, strict=True)
    expected = slow_log_loss(classes, rows)
    assert log_loss(np.eye(3)[list(classes)], rows) == pytest.approx(expected, abs=1e-12)


@given(classes_and_rows)
def test_log_loss_equals_scikit_learn_on_distributions(cases: list) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    classes = [true_class for true_class, _ in cases]
    rows = np.array([row for _, row in cases]) + 0.1
    rows /= rows.sum(axis=1, keepdims=True)
    expected = metrics.log_loss(classes, rows, labels=[0, 1, 2])
    assert log_loss(np.eye(3)[classes], rows) == pytest.approx(expected, rel=1e-9)


def test_certain_and_wrong_costs_a_finite_amount() -> None:
    assert log_loss([[1, 0]], [[0, 1]]) == pytest.approx(-math.log(EPSILON))


truths_and_chances = st.lists(st.tuples(st.integers(0, 1), probability), min_size=1)


@given(truths_and_chances)
def test_binary_log_loss_equals_the_slow_version(cases: list[tuple[int, float]]) -> None:
    truth, chances = zip(*cases, strict=True)
    expected = slow_log_loss(list(truth), [(1 - chance, chance) for chance in chances])
    assert binary_log_loss(truth, chances) == pytest.approx(expected, abs=1e-12)
    metrics = pytest.importorskip("sklearn.metrics")
    expected = metrics.log_loss(truth, np.array(chances), labels=[0, 1])
    assert binary_log_loss(truth, chances) == pytest.approx(expected, abs=1e-12)


@given(truths_and_chances)
def test_brier_score_equals_the_slow_version(cases: list[tuple[int, float]]) -> None:
    truth, chances = zip(*cases, strict=True)
    expected = math.fsum((a - b) ** 2 for a, b in cases) / len(cases)
    assert brier_score(truth, chances) == pytest.approx(expected)
    metrics = pytest.importorskip("sklearn.metrics")
    if len(set(truth)) == 2:
        assert brier_score(truth, chances) == pytest.approx(
            metrics.brier_score_loss(truth, chances)
        )


def test_truth_may_be_boolean_or_of_one_class() -> None:
    assert brier_score([True, True], [1, 0.5]) == pytest.approx(0.125)
    assert binary_log_loss([False, False], [0.5, 0.5]) == pytest.approx(math.log(2))


def slow_auc(cases: list[tuple[bool, float]]) -> float:
    """The share of pairs of a positive and a negative in the right order; ties count half."""
    positives = [score for is_positive, score in cases if is_positive]
    negatives = [score for is_positive, score in cases if not is_positive]
    won = sum((p > n) + (p == n) / 2 for p in positives for n in negatives)
    pairs = len(positives) * len(negatives)
    return won / pairs if pairs else math.nan


@given(scored_truths)
def test_auc_equals_the_slow_version(cases: list[tuple[bool, float]]) -> None:
    truth, scores = zip(*cases, strict=True)
    assert roc_auc(truth, scores) == pytest.approx(slow_auc(cases), abs=1e-12, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=2))
def test_auc_equals_scikit_learn(cases: list[tuple[int, float]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, scores = zip(*cases, strict=True)
    if len(set(truth)) == 2:
        expected = metrics.roc_auc_score(truth, scores)
        assert roc_auc(truth, scores) == pytest.approx(expected, abs=1e-12)


def test_auc_of_one_class_is_undefined() -> None:
    assert math.isnan(roc_auc([1, 1], [0.1, 0.2]))
    assert math.isnan(roc_auc([0, 0], [0.1, 0.2]))
    assert math.isnan(weighted_roc_auc([1, 1], [0.1, 0.2], (0, 1), (1,)))


def test_auc_of_many_pairs_does_not_overflow() -> None:
    truth = np.arange(200_000) % 2
    assert roc_auc(truth, truth) == 1.0
    assert roc_auc(truth, np.zeros(200_000)) == 0.5


tables = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=width, max_size=width),
        min_size=1,
        max_size=12,
    )
)


@given(tables)
def test_columnwise_auc_is_the_mean_over_columns(rows: list[list[tuple[bool, int]]]) -> None:
    truth, scores = np.array(rows)[:, :, 0].astype(bool), np.array(rows)[:, :, 1]
    each = [slow_auc([row[column] for row in rows]) for column in range(len(rows[0]))]
    expected = sum(each) / len(each)
    ours = mean_columnwise_roc_auc(truth, scores)
    assert ours == pytest.approx(expected, nan_ok=True, abs=1e-12)
    if not math.isnan(expected):
        metrics = pytest.importorskip("sklearn.metrics")
        expected = metrics.roc_auc_score(truth, scores, average="macro")
        assert ours == pytest.approx(expected, abs=1e-12)


def test_columnwise_auc_needs_columns() -> None:
    with pytest.raises(ValueError, match="rows and columns"):
        mean_columnwise_roc_auc([0, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="shape"):
        mean_columnwise_roc_auc([[0, 1]], [[0.1]])


BANDS = ((0, 0.4, 1), (2, 1))


def slow_weighted_auc(cases: list[tuple[bool, float]]) -> float:
    """Band by band, by the trapezoid rule over points that scikit-learn finds."""
    metrics = pytest.importorskip("sklearn.metrics")
    false_rates, true_rates, _ = metrics.roc_curve(*zip(*cases, strict=True))
    curve = list(zip(false_rates, true_rates, strict=True))
    if 0.4 not in true_rates:
        above = next(place for place, point in enumerate(curve) if point[1] > 0.4)
        (x0, y0), (x1, y1) = curve[above - 1 : above + 1]
        curve.insert(above, (x0 + (x1 - x0) * (0.4 - y0) / (y1 - y0), 0.4))
    total = 0.0
    for low, high, weight in ((0, 0.4, 2), (0.4, 1, 1)):
        points = [(x, y - low) for x, y in curve if low <= y <= high] + [(1, high - low)]
        pieces = [(x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points)]
        total += weight * sum(pieces)
    return total / 1.4


@given(scored_truths)
def test_weighted_auc_equals_the_slow_version(cases: list[tuple[bool, float]]) -> None:
    truth, scores = zip(*cases, strict=True)
    if len(set(truth)) == 2:
        expected = slow_weighted_auc(cases)
        assert weighted_roc_auc(truth, scores, *BANDS) == pytest.approx(expected, abs=1e-12)


@given(scored_truths)
def test_auc_with_equal_weights_is_the_usual_one(cases: list[tuple[bool, float]]) -> None:
    truth, scores = zip(*cases, strict=True)
    ours = weighted_roc_auc(truth, scores, edges=(0, 0.1, 0.55, 1), weights=(3, 3, 3))
    assert ours == pytest.approx(slow_auc(cases), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([0, 0, 1, 1], 1.0), ([1, 1, 0, 0], 0.0), ([3, 3, 3, 3], 0.82 / 1.4)],
)
def test_weighted_auc_of_simple_rankings(scores: list[float], expected: float) -> None:
    assert weighted_roc_auc([0, 0, 1, 1], scores, *BANDS) == pytest.approx(expected)
    are_true = [score > 0 for score in scores]
    assert weighted_roc_auc([0, 0, 1, 1], are_true, *BANDS) == pytest.approx(expected)


def test_scores_of_nothing_are_undefined() -> None:
    assert math.isnan(log_loss(np.empty((0, 3)), np.empty((0, 3))))
    assert math.isnan(mean_columnwise_roc_auc(np.empty((0, 3)), np.empty((0, 3))))
    assert math.isnan(mean_columnwise_roc_auc(np.empty((3, 0)), np.empty((3, 0))))


@pytest.mark.parametrize("score", [binary_log_loss, brier_score])
def test_scores_of_chances_at_the_edges(score: Callable[[Any, Any], float]) -> None:
    assert math.isnan(score([], []))
    assert math.isnan(score([0, 1], [0.5, math.nan]))
    with pytest.raises(ValueError, match="shape"):
        score([0, 1], [[0.5], [0.5]])


@given(scored_truths)
def test_average_precision_equals_the_slow_version(cases: list[tuple[bool, float]]) -> None:
    truth, scores = zip(*cases, strict=True)
    total, found = 0.0, 0
    for score in sorted(set(scores), reverse=True):
        above = [true for true, own in cases if own >= score]
        total += (sum(above) - found) * sum(above) / len(above)
        found = sum(above)
    expected = total / found if found else math.nan
    assert average_precision(truth, scores) == pytest.approx(expected, nan_ok=True)


@given(scored_truths)
def test_average_precision_equals_scikit_learn(cases: list[tuple[bool, float]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, scores = zip(*cases, strict=True)
    if any(truth):
        expected = metrics.average_precision_score(truth, scores)
        assert average_precision(truth, scores) == pytest.approx(expected)


def test_average_precision_of_nothing_is_undefined() -> None:
    assert math.isnan(average_precision([], []))
    assert math.isnan(average_precision([0, 0], [0.1, 0.2]))
