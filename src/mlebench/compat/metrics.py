"""Metrics under the names of the original."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mlebench.metrics.ranking import average_precision_at_k, mean_average_precision_at_k

__all__ = ["average_precision_at_k", "dice_coefficient", "mean_average_precision_at_k"]


def dice_coefficient(y_pred: npt.ArrayLike, y_true: npt.ArrayLike) -> float:
    """Twice the shared area over the sum of both, for painted masks; NaN if both are empty."""
    predicted, truth = np.asarray(y_pred, dtype=bool), np.asarray(y_true, dtype=bool)
    if predicted.shape != truth.shape:
        raise ValueError(f"masks of shapes {predicted.shape} and {truth.shape}")
    total = int(predicted.sum()) + int(truth.sum())
    return 2 * int((predicted & truth).sum()) / total if total else float("nan")
