"""Predictions of rows by models that did not see them, and the mean of those models for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..folds import Folds
from ..problem import Array, Prediction, Problem

Index = NDArray[np.int64]
Fit = Callable[[Any, Array, Any, int], Array]
"""Learns from rows and their target, and predicts others; the last argument is the part's place."""


def hold_out(problem: Problem, folds: Folds, train: Any, test: Any, fit: Fit) -> Prediction:
    """Predict each part of the rows from the others, and the rows to predict from all of them.

    Args:
        problem: Says what is to be predicted.
        folds: The parts.
        train: Features of the rows to learn from; a matrix of any kind.
        test: The same of the rows to predict.
        fit: Called with features and target to learn from, and features to predict.

    Raises:
        ValueError: What was predicted are no numbers.
    """
    rows, target = len(problem.target), problem.target
    held_out = np.full((rows, problem.columns), np.nan)
    total = np.zeros((test.shape[0], problem.columns))
    # Models that see the same rows are one.
    parts = [folds.seen] if folds.is_at_once else folds.parts
    for place, part in enumerate(parts):
        known = folds.learned_from(place, rows)
        # Asked for both at once, so that a model is made only once.
        asked = _stacked(train[part], test)
        predicted = fit(train[known], target[known], asked, place)
        held_out[part] = predicted[: len(part)]
        total += predicted[len(part) :]
    asked_for = total / len(parts)
    if folds.is_in_time:  # what comes later is best told by who knows all that was before
        known = folds.all_learned_from(rows)
        asked_for = fit(train[known], target[known], test, len(parts))
    if not np.isfinite(held_out[folds.seen]).all() or not np.isfinite(asked_for).all():
        raise ValueError("it predicted what are no numbers")
    return Prediction(held_out, asked_for)


def _stacked(one: Any, other: Any) -> Any:
    if isinstance(one, np.ndarray):
        return np.concatenate([one, other])
    from scipy.sparse import vstack

    return vstack([one, other], format="csr")
