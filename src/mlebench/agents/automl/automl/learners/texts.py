"""Learners of sparse counts of words and signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..problem import Array, Kind, Problem
from .classical import Make
from .holding_out import Fit


def sparse_linear(kind: Kind, strength: float) -> Make:
    """A linear model of sparse features."""

    def make(seed: int) -> Any:
        if kind == "numbers":
            from sklearn.linear_model import Ridge

            return Ridge(alpha=1 / strength, solver="sparse_cg", random_state=seed)
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=strength, max_iter=200, random_state=seed)

    return make


def bayes(variant: str, smoothing: float) -> Make:
    """A naive Bayes: often too sure, but it errs otherwise than others do."""

    def make(seed: int) -> Any:
        from sklearn import naive_bayes

        kinds = {
            "multinomial": naive_bayes.MultinomialNB,
            "complement": naive_bayes.ComplementNB,
            "bernoulli": naive_bayes.BernoulliNB,
        }
        return kinds[variant](alpha=smoothing)

    return make


def weighted_by_bayes(problem: Problem, strength: float, smoothing: float = 0.5) -> Fit:
    """Linear models of counts that are weighted by how much they tell classes apart.

    One for each class or mark, against all others.
    """

    def fit(known: Any, target: Array, asked: Any, place: int) -> Array:
        table = problem.table_of(target)
        if problem.kind == "classes" and problem.columns == 2:
            second = _one(known, table[:, 1], asked, strength, smoothing)
            return np.column_stack([1 - second, second])
        said = np.column_stack(
            [_one(known, truth, asked, strength, smoothing) for truth in table.T]
        )
        if problem.kind == "classes":
            said = np.maximum(said, 1e-9)
            said /= said.sum(axis=1, keepdims=True)
        return said

    return fit


def _one(
    known: Any, target: Array, asked: Any, strength: float, smoothing: float
) -> NDArray[np.float64]:
    from sklearn.linear_model import LogisticRegression

    yes = target > 0.5
    if yes.all() or not yes.any():
        return np.full(asked.shape[0], float(yes.mean()))
    ratio = np.log(_share(known[yes], smoothing) / _share(known[~yes], smoothing))
    model = LogisticRegression(C=strength, max_iter=200)
    model.fit(known.multiply(ratio).tocsr(), yes)
    return np.asarray(model.predict_proba(asked.multiply(ratio).tocsr())[:, 1])


def _share(counts: Any, smoothing: float) -> NDArray[np.float64]:
    sums = np.asarray(counts.sum(axis=0)).ravel() + smoothing
    return np.asarray(sums / sums.sum())
