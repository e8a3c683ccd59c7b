"""What is best said of rows of which nothing is known."""

from __future__ import annotations

import numpy as np

from ..problem import Array, Problem


def constant(problem: Problem) -> Array:
    """One row of predictions: the middle of numbers, the shares of classes and marks."""
    if problem.kind != "numbers":
        return np.asarray(problem.table.mean(axis=0))
    target = problem.target
    if problem.metric.is_logarithmic and target.min() > -1:
        return np.asarray(np.expm1(np.log1p(target).mean(axis=0)))
    return np.median(target, axis=0) if problem.metric.name == "mae" else target.mean(axis=0)


def constants(problem: Problem, rows: int) -> Array:
    """The same for several rows."""
    return np.tile(constant(problem), (rows, 1))
