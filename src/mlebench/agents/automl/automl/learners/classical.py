"""Learners of scikit-learn, made to give one column for each number, class or mark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..problem import Array, Kind, Problem
from .holding_out import Fit
from .scaling import Scale

Make = Callable[[int], Any]


def fitted_by(problem: Problem, make: Make, *, is_per_column: bool = False) -> Fit:
    """How an estimator learns and predicts what this problem asks for.

    Args:
        problem: Says what is to be predicted.
        make: Called with a seed; gives an estimator that has learned nothing.
        is_per_column: Whether it can learn only one column of numbers at a time.
    """

    def fit(known: Any, target: Array, asked: Any, place: int) -> Array:
        if problem.kind == "classes":
            return _classes(make(place), known, target, asked, problem.columns)
        if problem.kind == "marks":
            columns = [
                _mark(make(place), known, target[:, k], asked) for k in range(target.shape[1])
            ]
            return np.column_stack(columns)
        return _numbers(problem, make, known, target, asked, place, is_per_column)

    return fit


def _classes(model: Any, known: Any, target: Array, asked: Any, size: int) -> Array:
    codes = target.astype(np.int64).ravel()
    predicted = np.full((asked.shape[0], size), 1e-9)
    seen = np.unique(codes)
    if len(seen) == 1:
        predicted[:, seen[0]] = 1.0
        return predicted
    model = model.fit(known, codes)
    predicted[:, model.classes_] = probabilities(model, asked)
    return predicted


def probabilities(model: Any, asked: Any) -> Array:
    """Probabilities, also of those who only have margins."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(asked), dtype=float)
    margins = np.asarray(model.decision_function(asked), dtype=float)
    if margins.ndim == 1:
        second = 1 / (1 + np.exp(-np.clip(margins, -30, 30)))
        return np.column_stack([1 - second, second])
    raised = np.exp(margins - margins.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _mark(model: Any, known: Any, target: Array, asked: Any) -> Array:
    if target.min() == target.max():
        return np.full(asked.shape[0], target[0])
    model = model.fit(known, target.astype(np.int64))
    return probabilities(model, asked)[:, 1]


def _numbers(
    problem: Problem, make: Make, known: Any, target: Array, asked: Any, place: int, apart: bool
) -> Array:
    scale = Scale.of(problem, target)
    scaled = scale.scaled(target)
    if apart or target.shape[1] == 1:
        columns = [
            np.asarray(make(place).fit(known, scaled[:, k]).predict(asked)).ravel()
            for k in range(target.shape[1])
        ]
        predicted = np.column_stack(columns)
    else:
        predicted = np.asarray(make(place).fit(known, scaled).predict(asked))
    return scale.told(predicted)


def linear(kind: Kind, strength: float) -> Make:
    """A linear model of dense features."""

    def make(seed: int) -> Any:
        if kind == "numbers":
            from sklearn.linear_model import Ridge

            return Ridge(alpha=1 / strength, random_state=seed)
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=strength, max_iter=300, random_state=seed)

    return make


def neighbours(kind: Kind, count: int) -> Make:
    """The nearest rows, near ones counting more."""

    def make(seed: int) -> Any:
        from sklearn import neighbors

        name = "KNeighborsRegressor" if kind == "numbers" else "KNeighborsClassifier"
        return getattr(neighbors, name)(count, weights="distance")

    return make


class _Scaled:
    """A learner whose kernel is as wide as the number of columns wants it."""

    def __init__(self, make: Callable[[float], Any], width: float) -> None:
        self._make, self._width = make, width

    def fit(self, known: Array, target: Array) -> Any:
        """Learn; what has learned is of the library."""
        size = max(known.shape[1], 1) * (float(known.var()) or 1.0)
        return self._make(self._width / size).fit(known, target)


def kernel(kind: Kind, strength: float, width: float = 1.0) -> Make:
    """A support vector machine with a smooth kernel.

    Args:
        kind: What is to be predicted.
        strength: How much errors count.
        width: Less than 1 for what changes more slowly from row to row.
    """

    def make(seed: int) -> Any:
        from sklearn import svm

        def scaled(gamma: float) -> Any:
            if kind == "numbers":
                return svm.SVR(C=strength, epsilon=0.05, gamma=gamma)
            return svm.SVC(C=strength, probability=False, random_state=seed, gamma=gamma)

        return _Scaled(scaled, width)

    return make


def gaussian_process(form: str = "laplacian", width: float = 0.5) -> Make:
    """A smooth function through all rows but for noise; for few rows only.

    Args:
        form: Of the kernel: ``laplacian`` has a kink, ``rbf`` has none.
        width: Less for what changes more slowly from row to row.
    """

    def make(seed: int) -> Any:
        from sklearn.kernel_ridge import KernelRidge

        return _Scaled(lambda gamma: KernelRidge(kernel=form, alpha=0.05, gamma=gamma), width)

    return make


def network(kind: Kind, widths: tuple[int, ...], seed: int) -> Make:
    """A small network."""

    def make(place: int) -> Any:
        from sklearn import neural_network

        name = "MLPRegressor" if kind == "numbers" else "MLPClassifier"
        return getattr(neural_network, name)(
            hidden_layer_sizes=widths, alpha=1e-3, learning_rate_init=2e-3, max_iter=60,
            early_stopping=False, batch_size=128, random_state=seed + place,
        )  # fmt: skip

    return make


def discriminant(shrinkage: float | str) -> Make:
    """Classes as clouds of one form, which is drawn towards a ball."""

    def make(seed: int) -> Any:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)

    return make
