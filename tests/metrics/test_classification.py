"""Scores for labels and probabilities, against versions too simple to be wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.classification import accuracy, log_loss, quadratic_kappa, roc_auc

EPSILON = 2.0**-52

grades = st.integers(-2, 6)
pairs_of_grades = st.lists(st.tuples(grades, grades), min_size=1, max_size=40)
# Few distinct values, so that ties are common.
scored_truths = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6).map(lambda n: n / 4)), min_size=1, max_size=40
)


@given(st.lists(st.tuples(grades, grades), min_size=1))
def test_accuracy_counts_equal_labels(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = sum(a == b for a, b in pairs) / len(pairs)
    assert accuracy(truth, predicted) == pytest.approx(expected)


def test_true_counts_as_one() -> None:
    assert accuracy([True, False, True], [1, 0.0, 2]) == pytest.approx(2 / 3)


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


def slow_kappa(pairs: list[tuple[int, int]], labels: list[int]) -> float:
    """From the definition: one minus observed over expected squared disagreement."""
    place = {label: number for number, label in enumerate(labels)}
    observed = sum((place[a] - place[b]) ** 2 for a, b in pairs) / len(pairs)
    expected = sum((place[a] - place[b]) ** 2 for a, _ in pairs for _, b in pairs)
    expected /= len(pairs) ** 2
    return 1 - observed / expected if expected else math.nan


@given(pairs_of_grades)
def test_kappa_equals_the_slow_version(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    labels = sorted({*truth, *predicted})
    assert quadratic_kappa(truth, predicted) == pytest.approx(
        slow_kappa(pairs, labels), abs=1e-12, nan_ok=True
    )


@given(pairs_of_grades)
def test_kappa_with_labels_counts_grades_that_nobody_uses(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    labels = list(range(-2, 7))
    assert quadratic_kappa(truth, predicted, labels) == pytest.approx(
        slow_kappa(pairs, labels), abs=1e-12, nan_ok=True
    )


@given(pairs_of_grades)
def test_kappa_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    truth, predicted = zip(*pairs, strict=True)
    if len({*truth, *predicted}) == 1:
        return  # undefined; scikit-learn versions differ in what they say to it
    expected = metrics.cohen_kappa_score(truth, predicted, weights="quadratic")
    assert quadratic_kappa(truth, predicted) == pytest.approx(expected, abs=1e-12)


def test_kappa_of_a_single_label_is_undefined() -> None:
    assert math.isnan(quadratic_kappa([1, 1], [1, 1]))


def test_kappa_of_a_constant_guess_is_zero() -> None:
    assert quadratic_kappa([0, 1, 2, 4], [0, 0, 0, 0]) == 0


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


def test_auc_of_many_pairs_does_not_overflow() -> None:
    truth = np.arange(200_000) % 2
    assert roc_auc(truth, truth) == 1.0
    assert roc_auc(truth, np.zeros(200_000)) == 0.5
