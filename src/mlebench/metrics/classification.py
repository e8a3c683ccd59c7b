"""Scores for labels and class probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


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
    from pandas import factorize

    true_codes, true_labels = factorize(np.asarray(truth))
    codes, predicted_labels = factorize(np.asarray(predicted))
    seen = np.union1d(true_labels, predicted_labels) if labels is None else np.asarray(labels)
    size = len(seen)
    row = np.searchsorted(seen, true_labels)[true_codes]
    column = np.searchsorted(seen, predicted_labels)[codes]
    observed = np.bincount(row * size + column, minlength=size * size).reshape(size, size)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = np.subtract.outer(np.arange(size), np.arange(size)) ** 2
    disagreement = float((weights * expected).sum())
    return 1.0 - float((weights * observed).sum()) / disagreement if disagreement else float("nan")


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
