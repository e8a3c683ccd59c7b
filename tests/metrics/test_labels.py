"""Scores for labels, against versions too simple to be wrong."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import classification
from mlebench.metrics.labels import (
    Average,
    accuracy,
    balanced_accuracy,
    f1,
    f_score,
    kappa,
    matthews_correlation,
    quadratic_kappa,
)

grades = st.integers(-2, 6)
pairs_of_grades = st.lists(st.tuples(grades, grades), min_size=1, max_size=40)


@given(st.lists(st.tuples(grades, grades), min_size=1))
def test_accuracy_counts_equal_labels(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = sum(a == b for a, b in pairs) / len(pairs)
    assert accuracy(truth, predicted) == pytest.approx(expected)


def test_true_counts_as_one() -> None:
    assert accuracy([True, False, True], [1, 0.0, 2]) == pytest.approx(2 / 3)


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
    assert quadratic_kappa([1, 1], [1, 1], labels=[0, 1], undefined=1.0) == 1.0


def test_kappa_of_a_constant_guess_is_zero() -> None:
    assert quadratic_kappa([0, 1, 2, 4], [0, 0, 0, 0]) == 0


def test_kappa_of_missing_grades_is_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        quadratic_kappa([1.0, math.nan], [1.0, 2.0])


# Labels of each kind; few, so that they meet, and some that only one side has.
words = st.sampled_from(["cat", "dog", "äöü", "", "10", "9"])
large = st.sampled_from([7, 1000, -3, 2**40])
pairs_of_labels = st.one_of(
    *(
        st.lists(st.tuples(label, label), min_size=1, max_size=30)
        for label in (grades, words, large, st.booleans(), st.just("same"))
    )
)
averages: list[Average] = ["macro", "micro", "weighted"]
betas = st.sampled_from([0.0, 0.5, 1.0, 2.0])


def of_scikit_learn(name: str, *sides: Any, **options: Any) -> float:
    """Its opinion, without its warnings about cases that ours define."""
    function = getattr(pytest.importorskip("sklearn.metrics"), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*map(list, sides), **options))


def slow_f(pairs: list[tuple[Any, Any]], label: Any, beta: float) -> float:
    hits = sum(a == b == label for a, b in pairs)
    missed = sum(a == label != b for a, b in pairs)
    false_alarms = sum(a != label == b for a, b in pairs)
    total = (1 + beta**2) * hits + beta**2 * missed + false_alarms
    return (1 + beta**2) * hits / total if total else 0.0


@given(pairs_of_labels, betas)
def test_f_score_equals_the_slow_version(pairs: list[tuple[Any, Any]], beta: float) -> None:
    truth, predicted = zip(*pairs, strict=True)
    labels = {*truth, *predicted}
    each = {label: slow_f(pairs, label, beta) for label in labels}
    expected = sum(each.values()) / len(each)
    assert f_score(truth, predicted, "macro", beta) == pytest.approx(expected)
    expected = sum(each[label] for label in truth) / len(truth)
    assert f_score(truth, predicted, "weighted", beta) == pytest.approx(expected)
    expected = sum(a == b for a, b in pairs) / len(pairs)
    assert f_score(truth, predicted, "micro", beta) == pytest.approx(expected)
    for label in set(truth):
        ours = f_score(truth, predicted, "binary", beta, positive=label)
        assert ours == pytest.approx(each[label])


@pytest.mark.parametrize("average", averages)
@given(pairs_of_labels, betas.filter(bool))
def test_f_score_equals_scikit_learn(
    average: Average, pairs: list[tuple[Any, Any]], beta: float
) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = of_scikit_learn("fbeta_score", truth, predicted, average=average, beta=beta)
    assert f_score(truth, predicted, average, beta) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=20))
def test_f1_of_two_classes_equals_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = of_scikit_learn("f1_score", truth, predicted)
    assert f1(truth, predicted) == pytest.approx(expected)


def test_f1_without_positives_is_zero() -> None:
    assert f1([0, 0], [0, 0]) == 0
    assert f1([1, 1], [0, 0]) == 0
    assert f1([0, 0], [1, 1]) == 0


def test_f1_sets_one_label_against_all_others() -> None:
    assert f1(["ham", "spam", "spam"], ["eggs", "spam", "ham"], positive="spam") == (
        pytest.approx(2 / 3)
    )
    assert f1([True, False], [1, 0]) == 1


def test_positive_label_that_is_never_true_is_refused() -> None:
    with pytest.raises(ValueError, match="positive label 1 is none"):
        f1(["ham", "spam"], ["ham", "spam"])


def test_unknown_average_is_refused() -> None:
    with pytest.raises(ValueError, match="no average 'median'"):
        f1([0, 1], [0, 1], average="median")  # type: ignore[arg-type]


@given(pairs_of_labels)
def test_balanced_accuracy_equals_the_slow_version(pairs: list[tuple[Any, Any]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    recalls = []
    for label in set(truth):
        guesses = [b for a, b in pairs if a == label]
        recalls.append(sum(guess == label for guess in guesses) / len(guesses))
    expected = sum(recalls) / len(recalls)
    assert balanced_accuracy(truth, predicted) == pytest.approx(expected)
    expected = of_scikit_learn("balanced_accuracy_score", truth, predicted)
    assert balanced_accuracy(truth, predicted) == pytest.approx(expected)


@given(pairs_of_labels)
def test_matthews_correlation_equals_scikit_learn(pairs: list[tuple[Any, Any]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    expected = of_scikit_learn("matthews_corrcoef", truth, predicted)
    assert matthews_correlation(truth, predicted) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_matthews_correlation_of_two_classes_is_that_of_numbers(
    pairs: list[tuple[bool, bool]],
) -> None:
    truth, predicted = zip(*pairs, strict=True)
    if len(set(truth)) == 1 or len(set(predicted)) == 1:
        assert matthews_correlation(truth, predicted) == 0
    else:
        expected = np.corrcoef(truth, predicted)[0, 1]
        assert matthews_correlation(truth, predicted) == pytest.approx(expected, abs=1e-12)


@given(pairs_of_labels)
def test_unweighted_kappa_equals_the_slow_version(pairs: list[tuple[Any, Any]]) -> None:
    truth, predicted = zip(*pairs, strict=True)
    agreement = sum(a == b for a, b in pairs) / len(pairs)
    by_chance = sum(a == b for a in truth for b in predicted) / len(pairs) ** 2
    expected = (agreement - by_chance) / (1 - by_chance) if by_chance < 1 else math.nan
    assert kappa(truth, predicted) == pytest.approx(expected, nan_ok=True, abs=1e-12)
    if by_chance < 1:
        expected = of_scikit_learn("cohen_kappa_score", truth, predicted)
        assert kappa(truth, predicted) == pytest.approx(expected, abs=1e-12)


def test_many_rows_do_not_overflow() -> None:
    truth = np.arange(2_000_000) % 2
    assert matthews_correlation(truth, truth) == pytest.approx(1)
    assert kappa(truth, truth) == 1


by_label: list[Callable[[Any, Any], float]] = [
    balanced_accuracy,
    f1,
    matthews_correlation,
    kappa,
]


@pytest.mark.parametrize("score", [accuracy, quadratic_kappa, *by_label])
def test_scores_of_nothing_are_undefined(score: Callable[[Any, Any], float]) -> None:
    assert math.isnan(score([], []))


@pytest.mark.parametrize("score", by_label)
def test_labels_that_cannot_be_compared_are_refused(score: Callable[[Any, Any], float]) -> None:
    with pytest.raises(ValueError, match="not both"):
        score([1, 2], ["1", "2"])
    with pytest.raises(ValueError, match="not both"):
        score(np.array(["1", "2"], dtype=object), [1, 2])
    with pytest.raises(ValueError, match="missing"):
        score([1.0, 0.0], [1.0, math.nan])
    with pytest.raises(ValueError, match="missing"):
        score(np.array(["a", None]), ["a", "b"])
    with pytest.raises(ValueError, match="shape"):
        score([1, 2], [1])


def test_all_scores_for_classes_have_one_address() -> None:
    for name in classification.__all__:
        assert callable(getattr(classification, name))
