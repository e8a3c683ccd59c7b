"""What is best said of rows of which nothing is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..folds import Folds, Index
from ..problem import Array, Prediction, Problem

LATEST = 0.1
OF_ORDER = ("auc", "average precision", "pearson", "spearman")


def constant(problem: Problem) -> Array:
    """One row of predictions: the middle of numbers, the shares of classes and marks."""
    if problem.kind == "classes":
        return np.bincount(problem.codes, minlength=problem.columns) / len(problem.target)
    if problem.kind == "marks":
        return np.asarray(problem.target.mean(axis=0))
    target = problem.target
    if problem.metric.is_logarithmic and target.min() > -1:
        return np.asarray(np.expm1(np.log1p(target).mean(axis=0)))
    return np.median(target, axis=0) if problem.metric.name == "mae" else target.mean(axis=0)


def constants(problem: Problem, rows: int) -> Array:
    """The same for several rows."""
    return np.tile(constant(problem), (rows, 1))


def held_out_constants(problem: Problem, folds: Folds, share: float = 1.0) -> Prediction:
    """The same for all rows, each told by rows that it is not among.

    Scores of how rows are ordered get one constant for all: constants that differ from part to
    part, least where there is most, would be in the wrong order.

    Args:
        problem: What is asked for.
        folds: The parts that are held out.
        share: Of rows in time, how many of the latest say what is best said.
    """
    rows = len(problem.target)

    def said(by: Index) -> Array:
        return constant(replace(problem, target=problem.target[_latest(folds, by, share)]))

    of_all = said(folds.all_learned_from(rows))
    is_of_order = problem.metric.name.removesuffix(" of all") in OF_ORDER
    held_out = np.full((rows, problem.columns), np.nan)
    for place, part in enumerate(folds.parts):
        held_out[part] = of_all if is_of_order else said(folds.learned_from(place, rows))
    return Prediction(held_out, np.tile(of_all, (len(problem.test), 1)))


def _latest(folds: Folds, rows: Index, share: float) -> Index:
    if folds.times is None or share >= 1:
        return rows
    times = folds.times[rows]
    return rows[times >= np.nanquantile(times, 1 - share)]
