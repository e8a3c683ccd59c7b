"""Scores for numbers."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt


def rmse(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Root mean squared error."""
    difference = np.asarray(truth) - np.asarray(predicted)
    return float(np.sqrt(np.mean(difference**2)))


def rmsle(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Root mean squared error of the logarithms of one plus the value."""
    return rmse(np.log1p(truth), np.log1p(predicted))


def pearson(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Pearson's correlation; NaN if a side is constant, missing or infinite somewhere."""
    from scipy import stats

    pair = np.asarray(truth), np.asarray(predicted)
    for values in pair:
        lowest, highest = values.min(), values.max()  # NaN if one of them is
        if not np.isfinite([lowest, highest]).all() or lowest == highest:
            return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        with np.errstate(over="ignore", invalid="ignore"):
            return float(stats.pearsonr(*pair)[0])
