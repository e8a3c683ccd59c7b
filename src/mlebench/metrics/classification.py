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
    seen = np.unique(np.concatenate([truth, predicted])) if labels is None else np.asarray(labels)
    size = len(seen)
    cells = np.searchsorted(seen, truth) * size + np.searchsorted(seen, predicted)
    observed = np.bincount(cells, minlength=size * size).reshape(size, size)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = np.subtract.outer(np.arange(size), np.arange(size)) ** 2
    disagreement = float((weights * expected).sum())
    return 1.0 - float((weights * observed).sum()) / disagreement if disagreement else float("nan")


def roc_auc(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Area under the ROC curve of a binary truth; ties count half.

    NaN if the truth holds one class only.
    """
    values = np.asarray(scores)
    order = np.argsort(values)
    ranked, positive = values[order], np.asarray(truth, dtype=bool)[order]
    last_of_tie = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    positives = np.cumsum(positive)[last_of_tie]
    negatives = last_of_tie + 1 - positives
    pairs = float(positives[-1]) * float(negatives[-1])
    if not pairs:
        return float("nan")
    # For each group of ties: its positives beat all earlier negatives and half its own.
    earlier = np.concatenate([[0], negatives[:-1]])
    gained = np.diff(positives, prepend=0)
    return float((gained * (earlier + negatives) / 2).sum()) / pairs
