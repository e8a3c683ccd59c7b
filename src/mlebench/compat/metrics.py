"""Metrics under the names and with the meaning of the original.

They are more lenient than ours in `mlebench.metrics.ranking`: repeated true items count in
the denominator, and lists of unequal length are compared as far as both go.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["average_precision_at_k", "dice_coefficient", "mean_average_precision_at_k"]


def average_precision_at_k(
    actual: Collection[Hashable], predicted: Sequence[Hashable], k: int
) -> float:
    """Average precision of the first ``k`` guesses; 0 without any true item.

    A repeated guess counts once. The sum is divided by ``len(actual)`` or ``k``, whichever
    is smaller.
    """
    if len(actual) == 0 or k < 1:
        return 0.0
    truth = set(actual)
    found: set[Hashable] = set()
    total = 0.0
    for rank, guess in enumerate(predicted[:k], start=1):
        if guess in truth and guess not in found:
            found.add(guess)
            total += len(found) / rank
    return total / min(len(actual), k)


def mean_average_precision_at_k(
    actual: Iterable[Collection[Hashable]], predicted: Iterable[Sequence[Hashable]], k: int
) -> float:
    """The mean of `average_precision_at_k` over pairs, as far as both lists go; NaN if none."""
    scores = [
        average_precision_at_k(truth, guesses, k)
        for truth, guesses in zip(actual, predicted, strict=False)
    ]
    return sum(scores) / len(scores) if scores else math.nan


def dice_coefficient(
    predicted_mask: npt.ArrayLike,
    true_mask: npt.ArrayLike,
    both_empty_value: float = math.nan,
) -> float:
    """Twice the sum of products over the sum of both masks, which may hold any numbers."""
    predicted = np.asarray(predicted_mask, dtype=np.float64)
    truth = np.asarray(true_mask, dtype=np.float64)
    if predicted.shape != truth.shape:
        raise ValueError(f"masks of shapes {predicted.shape} and {truth.shape}")
    total = float(predicted.sum() + truth.sum())
    if total == 0:
        return both_empty_value
    return float(2 * (predicted * truth).sum() / total)
