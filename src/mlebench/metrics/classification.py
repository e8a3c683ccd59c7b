"""Scores for labels and class probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SMALL_LABELS = 100  # whole numbers below this are counted without a search for distinct ones


def accuracy(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The share of equal labels; True equals 1."""
    return float(np.mean(np.asarray(truth) == np.asarray(predicted)))


def log_loss(one_hot: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Mean negative log of the true class's probability.

    Probabilities are kept a machine epsilon away from 0 and 1 and are not rescaled.
    """
    epsilon = np.finfo(np.float64).eps
    clipped = np.clip(np.asarray(probabilities, dtype=np.float64), epsilon, 1 - epsilon)
    return float(-(np.asarray(one_hot) * np.log(clipped)).sum(axis=1).mean())


def quadratic_kappa(
    truth: npt.ArrayLike, predicted: npt.ArrayLike, labels: npt.ArrayLike | None = None
) -> float:
    """Cohen's kappa with quadratic weights.

    Weights grow with the distance of two labels in the sorted list of labels, not with
    their difference; without an explicit list, a grade that nobody uses does not count.
    NaN if only one label occurs.
    """
    observed = _crosstab(np.asarray(truth), np.asarray(predicted), labels)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = np.subtract.outer(np.arange(len(observed)), np.arange(len(observed))) ** 2
    disagreement = float((weights * expected).sum())
    return 1.0 - float((weights * observed).sum()) / disagreement if disagreement else float("nan")


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
    from pandas import factorize

    true_codes, true_labels = factorize(truth)
    codes, predicted_labels = factorize(predicted)
    seen = np.union1d(true_labels, predicted_labels) if labels is None else np.asarray(labels)
    row = np.searchsorted(seen, true_labels)[true_codes]
    column = np.searchsorted(seen, predicted_labels)[codes]
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


def roc_auc(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Area under the ROC curve of a binary truth: how often a positive outranks a negative.

    Ties count half. NaN if the truth holds one class only.
    """
    is_positive, values = np.asarray(truth, dtype=bool), np.asarray(scores)
    positives, negatives = np.sort(values[is_positive]), np.sort(values[~is_positive])
    pairs = float(len(positives)) * float(len(negatives))
    if not pairs:
        return float("nan")
    below = np.searchsorted(negatives, positives, side="left")
    tied = positives[negatives.take(below, mode="clip") == positives]
    ties = np.searchsorted(negatives, tied, "right") - np.searchsorted(negatives, tied, "left")
    return (float(below.sum()) + float(ties.sum()) / 2) / pairs
