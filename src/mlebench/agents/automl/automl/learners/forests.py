"""Many trees grown apart, as many as there is time for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..folds import Folds
from ..pace import Pace
from ..problem import Array, Problem
from .classical import probabilities
from .holding_out import Fit

AT_ONCE, AT_ONCE_OF_MANY = 20, 4
MANY_ROWS = 20_000
PREDICTING = 0.05  # what it takes for a row, of what learning from it took
SHARE_FOR_NUMBERS = 0.4


@dataclass(frozen=True)
class Forest:
    """How trees are grown.

    Attributes:
        trees: How many at most.
        is_extra: Whether cuts are drawn by lot, too.
        seed: Decides what is decided by lot.
        threads: How many may work.
    """

    trees: int
    is_extra: bool
    seed: int
    threads: int


def forest_fit(problem: Problem, folds: Folds, forest: Forest) -> Fit:
    """How a forest learns and predicts; it stops growing when the next one has to begin.

    Marks are learned together, as numbers from 0 to 1.
    """
    pace = Pace(folds.models)

    def fit(known: Any, target: Array, asked: Any, place: int) -> Array:
        model = _made(problem, forest, place)
        if problem.kind == "classes":
            codes = target.astype(np.int64).ravel()
            grown = _grown(model, known, codes, len(asked), forest.trees, pace)
            predicted = np.zeros((len(asked), problem.columns))
            predicted[:, grown.classes_] = probabilities(grown, asked)
            return predicted
        is_logarithmic = problem.metric.is_logarithmic and target.min() > -1
        learned = np.log1p(target) if is_logarithmic else target
        grown = _grown(model, known, learned, len(asked), forest.trees, pace)
        told: Array = np.asarray(grown.predict(asked)).reshape(len(asked), -1)
        return np.expm1(told) if is_logarithmic else told

    return fit


def _made(problem: Problem, forest: Forest, place: int) -> Any:
    from sklearn import ensemble

    name = "ExtraTrees" if forest.is_extra else "RandomForest"
    make = getattr(ensemble, name + ("Classifier" if problem.kind == "classes" else "Regressor"))
    share: float | str = SHARE_FOR_NUMBERS if problem.kind == "numbers" else "sqrt"
    return make(
        AT_ONCE, min_samples_leaf=2, max_features=share, random_state=forest.seed + place,
        n_jobs=forest.threads, warm_start=True,
    )  # fmt: skip


def _grown(model: Any, known: Any, target: Any, asked: int, most: int, pace: Pace) -> Any:
    """A model with more and more trees, until there are enough or the time is over."""
    at_once = AT_ONCE if len(known) <= MANY_ROWS else AT_ONCE_OF_MANY
    with pace.task(PREDICTING * asked / len(known)) as until:
        for size in range(at_once, most + 1, at_once):
            began = time.monotonic()
            model.set_params(n_estimators=size)
            model.fit(known, target)
            if 2 * time.monotonic() - began > until:  # the next ones would be too late
                break
    return model
