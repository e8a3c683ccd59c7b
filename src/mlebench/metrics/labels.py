"""Scores for labels, which are numbers or texts.

Without any rows every score is NaN. A missing label is refused, and so are texts on one
side and numbers on the other; only `accuracy` calls them wrong.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mlebench.metrics.pairs import Array, aligned, mean

SMALL_LABELS = 100  # whole numbers below this are counted without a search for distinct ones

Average = Literal["binary", "macro", "micro", "weighted"]


def accuracy(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The share of equal labels; True equals 1."""
    return mean(np.asarray(np.asarray(truth) == np.asarray(predicted)))


def balanced_accuracy(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The mean over all true labels of the share of their rows that are met."""
    tally = _tally(truth, predicted)
    occurs = tally.true > 0
    return mean(tally.hits[occurs] / tally.true[occurs])


def f1(
    truth: npt.ArrayLike,
    predicted: npt.ArrayLike,
    average: Average = "binary",
    positive: Hashable = 1,
) -> float:
    """The harmonic mean of precision and recall; `f_score` has the averages."""
    return f_score(truth, predicted, average, positive=positive)


def f_score(
    truth: npt.ArrayLike,
    predicted: npt.ArrayLike,
    average: Average = "binary",
    beta: float = 1.0,
    positive: Hashable = 1,
) -> float:
    """The harmonic mean of precision and recall, recall being ``beta`` times as important.

    ``binary`` sets the label ``positive`` against all others and is 0 if it is neither true
    nor predicted. ``macro`` is the mean over the labels seen on either side, ``weighted``
    the same with each label as heavy as it is often true. ``micro`` takes all rows at once,
    which makes it the accuracy.
    """
    tally = _tally(truth, predicted)
    if not len(tally.labels):
        return float("nan")
    if average == "binary":
        return float(_f_of(tally.only(positive), beta)[0])
    if average == "micro":
        return float(tally.hits.sum() / tally.true.sum())
    if average == "macro":
        return mean(_f_of(tally, beta))
    if average == "weighted":
        return float(np.average(_f_of(tally, beta), weights=tally.true))
    raise ValueError(f"there is no average {average!r}; choose binary, macro, micro or weighted")


def matthews_correlation(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The correlation of two sides of any number of labels; 0 if a side holds one only."""
    tally = _tally(truth, predicted)
    if not len(tally.labels):
        return float("nan")
    # As floats, because products of four counts may be too large for whole numbers.
    true, predicted_counts = tally.true.astype(np.float64), tally.predicted.astype(np.float64)
    rows = true.sum()
    shared = tally.hits.sum() * rows - true @ predicted_counts
    spread = (rows**2 - true @ true) * (rows**2 - predicted_counts @ predicted_counts)
    return float(shared / np.sqrt(spread)) if spread else 0.0


def kappa(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Cohen's kappa: agreement beyond chance, as a share of what chance leaves open.

    NaN if only one label occurs.
    """
    tally = _tally(truth, predicted)
    rows, by_chance = int(tally.true.sum()), int(tally.true @ tally.predicted)
    open_to_skill = rows**2 - by_chance
    beyond = int(tally.hits.sum()) * rows - by_chance
    return beyond / open_to_skill if open_to_skill else float("nan")


class _Tally(NamedTuple):
    """How often each label is true, predicted, and both at once."""

    labels: Array
    true: Array
    predicted: Array
    hits: Array

    def only(self, label: Hashable) -> _Tally:
        """The counts of one label, 0 if it does not occur."""
        place = np.flatnonzero(self.labels == label)
        if not len(place) and np.count_nonzero(self.true) > 1:
            raise ValueError(f"the positive label {label!r} is none of the true ones")
        counts = (side[place].sum(keepdims=True) for side in self[1:])
        return _Tally(np.array([label]), *counts)


def _tally(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> _Tally:
    row, column, labels = _places(*aligned(truth, predicted))
    counts = (
        np.bincount(side, minlength=len(labels)) for side in (row, column, row[row == column])
    )
    return _Tally(labels, *counts)


def _f_of(tally: _Tally, beta: float) -> Array:
    """The F score of each label."""
    weight = beta**2
    most = weight * tally.true + tally.predicted
    return np.asarray((1 + weight) * tally.hits / np.where(most > 0, most, 1))


def quadratic_kappa(
    truth: npt.ArrayLike,
    predicted: npt.ArrayLike,
    labels: npt.ArrayLike | None = None,
    undefined: float = float("nan"),
) -> float:
    """Cohen's kappa with quadratic weights.

    Weights grow with the distance of two labels in the sorted list of labels, not with
    their difference; without an explicit list, a grade that nobody uses does not count.
    Where only one label occurs kappa is ``undefined``.
    """
    observed = _crosstab(np.asarray(truth), np.asarray(predicted), labels)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = np.subtract.outer(np.arange(len(observed)), np.arange(len(observed))) ** 2
    disagreement = float((weights * expected).sum())
    return 1.0 - float((weights * observed).sum()) / disagreement if disagreement else undefined


def _crosstab(truth: Array, predicted: Array, labels: npt.ArrayLike | None) -> Array:
    """How often each pair of labels occurs, by default of all labels seen, in their order."""
    if _are_small(truth) and _are_small(predicted):
        pairs = np.bincount(
            truth.astype(np.int64) * SMALL_LABELS + predicted.astype(np.int64),
            minlength=SMALL_LABELS**2,
        ).reshape(SMALL_LABELS, SMALL_LABELS)
        is_seen = pairs.any(axis=0) | pairs.any(axis=1)
        seen = np.flatnonzero(is_seen) if labels is None else np.asarray(labels)
        return np.asarray(pairs[np.ix_(seen, seen)])
    row, column, seen = _places(truth, predicted, labels)
    size = len(seen)
    return np.bincount(row * size + column, minlength=size * size).reshape(size, size)


def _are_small(values: Array) -> bool:
    """Whether all are whole numbers that can be counted without a search for distinct ones."""
    return (
        values.dtype.kind in "fiu"
        and len(values) > 0
        and 0 <= values.min() <= values.max() < SMALL_LABELS
        and bool((values == np.floor(values)).all())
    )


def _places(
    truth: Array, predicted: Array, labels: npt.ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """For each row the places of both labels in the sorted list of labels, and that list."""
    from pandas import factorize

    true_codes, true_labels = factorize(truth)
    codes, predicted_labels = factorize(predicted)
    if min(true_codes.min(initial=0), codes.min(initial=0)) < 0:
        raise ValueError("a label is missing")
    seen = _union(true_labels, predicted_labels) if labels is None else np.asarray(labels)
    row = np.searchsorted(seen, true_labels)[true_codes]
    return row, np.searchsorted(seen, predicted_labels)[codes], seen


def _union(first: Array, second: Array) -> Array:
    """All labels, sorted."""
    # As objects, because numpy would join numbers to texts by writing them out.
    sides = (side.astype(object) if side.dtype.kind in "US" else side for side in (first, second))
    try:
        return np.union1d(*sides)
    except TypeError as error:
        raise ValueError("labels are either numbers or texts, not both") from error
