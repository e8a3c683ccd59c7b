"""Scores for the probabilities of classes, and for any numbers that rank cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mlebench.metrics.pairs import Array, aligned, aligned_columns, mean
from mlebench.metrics.regression import mse


def log_loss(one_hot: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Mean negative log of the true class's probability; NaN without any rows.

    Probabilities are kept a machine epsilon away from 0 and 1 and are not rescaled.
    """
    epsilon = np.finfo(np.float64).eps
    clipped = np.clip(np.asarray(probabilities, dtype=np.float64), epsilon, 1 - epsilon)
    return mean(-(np.asarray(one_hot) * np.log(clipped)).sum(axis=1))


def binary_log_loss(truth: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """The log loss of a truth of 0 and 1 and the probabilities of 1.

    A truth of one class is as good as any other. NaN if a value is missing or there is none.
    """
    positive, chances = aligned(truth, probabilities, np.float64)
    one_hot = np.stack([1 - positive, positive], axis=1)
    return log_loss(one_hot, np.stack([1 - chances, chances], axis=1))


def brier_score(truth: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    """Mean squared distance of a truth of 0 and 1 from the probabilities of 1.

    NaN if a value is missing or there is none.
    """
    return mse(truth, probabilities)


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


def mean_columnwise_roc_auc(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """The mean over the columns of a table of each one's `roc_auc`.

    NaN if a column of the truth holds one class only, or if there is no column.
    """
    columns = zip(*(side.T for side in aligned_columns(truth, scores)), strict=True)
    return mean(np.array([roc_auc(column, guesses) for column, guesses in columns]))


def weighted_roc_auc(
    truth: npt.ArrayLike, scores: npt.ArrayLike, edges: Sequence[float], weights: Sequence[float]
) -> float:
    """Area under the ROC curve, bands of the true positive rate counting differently.

    ``edges`` are the rates where bands begin and end, from 0 to 1, and ``weights`` says what
    each band counts. A perfect ranking scores 1. NaN if the truth holds one class only.
    """
    right, values = aligned(truth, scores)
    is_positive = right.astype(bool)
    if is_positive.all() or not is_positive.any():
        return float("nan")
    false_rates, true_rates = _roc_curve(is_positive, values)
    between = np.setdiff1d(edges, true_rates)
    places = np.searchsorted(true_rates, between)
    false_rates = np.insert(false_rates, places, np.interp(between, true_rates, false_rates))
    true_rates = np.insert(true_rates, places, between)
    # To a band belongs what lies to the right of those steps of the curve that rise in it.
    to_the_right = 1 - (false_rates[1:] + false_rates[:-1]) / 2
    bands = np.searchsorted(edges, true_rates[1:]) - 1
    areas = np.diff(true_rates) * to_the_right * np.take(weights, bands)
    return float(areas.sum() / np.dot(weights, np.diff(edges)))


def _roc_curve(is_positive: Array, scores: Array) -> tuple[Array, Array]:
    """False and true positive rates with each distinct score in turn as the threshold."""
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    last_of_tie = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    found = np.cumsum(is_positive[order])[last_of_tie]
    alarms = last_of_tie + 1 - found
    false_rates, true_rates = (np.insert(part / part[-1], 0, 0.0) for part in (alarms, found))
    return false_rates, true_rates


def average_precision(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """The mean of the precision at each positive of a binary truth, by falling score.

    Equal scores form one step, and nothing is interpolated, as in scikit-learn. NaN without
    any positive.
    """
    is_positive, values = aligned(truth, scores)
    if not is_positive.any():
        return float("nan")
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    found = np.cumsum(is_positive[order].astype(bool))[last]
    return float((np.diff(found, prepend=0) * found / (last + 1)).sum() / found[-1])
