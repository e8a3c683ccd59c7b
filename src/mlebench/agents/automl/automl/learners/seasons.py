"""Lines and waves through time, for rows to predict that come after those to learn from.

Trees know nothing of what was never there before; a trend goes on.
"""

from __future__ import annotations

import numpy as np

from ..folds import Folds
from ..problem import Array, Prediction, Problem
from .holding_out import hold_out

YEAR, WEEK = 365.25, 7.0
RIDGE = 1e-6


def seasonal(
    problem: Problem, folds: Folds, times: Array, *, degree: int, waves: int, years: float
) -> Prediction:
    """A trend with waves of a year and of a week, in which later rows count more.

    Args:
        problem: Says what is to be predicted.
        folds: The parts, one after the other.
        times: The days of all rows.
        degree: Of the trend: 1 for a line.
        waves: How many waves a year has at most.
        years: After how many of them rows count half.
    """
    rows = len(problem.target)
    column = times[:, None]

    def fit(known: Array, target: Array, asked: Array, place: int) -> Array:
        days, later = known[:, 0], asked[:, 0]
        last, span = days.max(), max(float(np.ptp(days)), 1.0)
        weights = np.sqrt(0.5 ** ((last - days) / (years * YEAR)))[:, None]
        design = _design(days, last, span, degree, waves) * weights
        gram = design.T @ design
        gram[np.diag_indices_from(gram)] += RIDGE * len(days)
        factors = np.linalg.solve(gram, design.T @ (problem.table_of(target) * weights))
        return np.asarray(_design(later, last, span, degree, waves) @ factors)

    return hold_out(problem, folds, column[:rows], column[rows:], fit)


def _design(days: Array, last: float, span: float, degree: int, waves: int) -> Array:
    since = (days - last) / span
    columns = [since**power for power in range(degree + 1)]
    is_daily = len(days) > 1 and np.median(np.diff(np.unique(days))) < WEEK
    for length, most in ((YEAR, waves), (WEEK, min(waves, 3) if is_daily else 0)):
        for count in range(1, most + 1):
            angle = 2 * np.pi * count * days / length
            columns += [np.sin(angle), np.cos(angle)]
    return np.column_stack(columns)
