"""Scores for numbers.

A missing number on either side makes every score NaN, and so does empty input.
"""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from mlebench.metrics.pairs import Array, aligned, aligned_columns, mean

# Participants may write anything; infinities then take their course without a warning.
ABSURD_NUMBERS = np.errstate(invalid="ignore", over="ignore")

# No sum of squares of such errors is infinite, however many there are.
FAR_TOO_MUCH = 1e100


@ABSURD_NUMBERS
def mae(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean absolute error."""
    return mean(np.abs(_errors(truth, predicted)))


@ABSURD_NUMBERS
def mse(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean squared error."""
    return mean(_errors(truth, predicted) ** 2)


def rmse(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Root mean squared error."""
    return float(np.sqrt(mse(truth, predicted)))


def rmsle(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Root mean squared error of the logarithms of one plus the value."""
    return rmse(np.log1p(truth), np.log1p(predicted))


@ABSURD_NUMBERS
def mean_columnwise_rmse(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The mean over the columns of a table of each one's root mean squared error."""
    errors = np.subtract(*aligned_columns(truth, predicted, np.float64))
    return mean(np.sqrt(np.mean(errors**2, axis=0))) if errors.size else float("nan")


@ABSURD_NUMBERS
def median_absolute_error(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The median of the absolute errors; of an even number, the mean of the middle two."""
    errors = np.abs(_errors(truth, predicted))
    return float(np.median(errors)) if errors.size else float("nan")


@ABSURD_NUMBERS
def mape(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean absolute error as a share of the true value: 0.1 is ten per cent.

    A true value of 0 counts as a machine epsilon, so that missing it costs a great deal.
    """
    sizes = np.maximum(np.abs(np.asarray(truth, np.float64)), np.finfo(np.float64).eps)
    return mean(np.abs(_errors(truth, predicted)) / sizes)


@ABSURD_NUMBERS
def r2(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """The share of the truth's variance that is explained; below 0 if its mean does better.

    For a constant truth it is 1 if all of it is met and 0 otherwise; NaN for fewer than
    two values.
    """
    errors, true_values = _errors(truth, predicted), np.asarray(truth, np.float64)
    if errors.size < 2:
        return float("nan")
    lost = float((errors**2).sum())
    if true_values.min() == true_values.max() and not np.isnan(lost):
        return 0.0 if lost else 1.0
    return float(1 - lost / ((true_values - true_values.mean()) ** 2).sum())


def _errors(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> Array:
    # As floats, because differences of unsigned numbers wrap around.
    true_values, values = aligned(truth, predicted, np.float64)
    return np.asarray(values - true_values)


def pearson(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Pearson's correlation; NaN if a side is constant, missing or infinite somewhere."""
    from scipy import stats

    pair = np.asarray(truth), np.asarray(predicted)
    if not all(_vary(side) for side in pair):
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        with np.errstate(over="ignore", invalid="ignore"):
            return float(stats.pearsonr(*pair)[0])


def spearman(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Pearson's correlation of the ranks, equal values sharing the mean of theirs.

    NaN if a side is constant; infinite numbers have a rank like any other.
    """
    from scipy.stats import rankdata

    ranks = [rankdata(side) for side in aligned(truth, predicted, np.float64)]
    return float(np.corrcoef(*ranks)[0, 1]) if all(map(_vary, ranks)) else float("nan")


def _vary(values: Array) -> bool:
    """Whether there are different numbers, all of them finite."""
    if not values.size:
        return False
    lowest, highest = values.min(), values.max()  # NaN if one of them is
    return bool(np.isfinite([lowest, highest]).all() and lowest != highest)
