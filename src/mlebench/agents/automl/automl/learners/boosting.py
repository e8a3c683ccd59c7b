"""Boosted trees, which bear whatever columns they are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..features.frame import Frame
from ..folds import Folds
from ..problem import Array, Prediction, Problem
from .encoding import mean_targets
from .holding_out import hold_out

STOP_AFTER = 60


@dataclass(frozen=True)
class Trees:
    """How trees are grown.

    Attributes:
        rounds: How many at most.
        rate: How much each of them counts.
        leaves: How many ends each has.
        fewest: How many rows an end has at least.
        columns: The share of columns that each tree may use.
        rows: The share of rows that each tree learns from.
        ridge: How far values of ends are drawn to 0.
        is_random: Whether cuts are drawn by lot.
        has_means: Whether repeated codes are joined by the mean target of their rows.
        copies: How many forests with different seeds are averaged.
    """

    rounds: int = 1500
    rate: float = 0.05
    leaves: int = 31
    fewest: int = 20
    columns: float = 0.8
    rows: float = 0.8
    ridge: float = 1.0
    is_random: bool = False
    has_means: bool = True
    copies: int = 1


def boost(
    problem: Problem, folds: Folds, frame: Frame, trees: Trees, seed: int, threads: int
) -> Prediction:
    """What boosted trees predict; each forest stops growing when it does not get better."""
    matrix = frame.matrix
    rows = frame.rows
    categories = [place for place, name in enumerate(frame.names) if name in frame.categories]

    codes = np.column_stack(list(frame.repeated.values())) if frame.repeated else None
    has_means = trees.has_means and codes is not None
    # Row numbers travel with the features, so that codes of the same rows are found again.
    numbered = np.column_stack([np.arange(len(matrix), dtype=np.float64), matrix])

    def fit(known: Array, target: Array, asked: Array, place: int) -> Array:
        learned, wanted = known[:, 1:], asked[:, 1:]
        if has_means and codes is not None:
            old, new = known[:, 0].astype(np.int64), asked[:, 0].astype(np.int64)
            means, others = mean_targets(codes[old], codes[new], _signal(problem, target), seed)
            learned, wanted = np.hstack([learned, means]), np.hstack([wanted, others])
        return _forests(problem, trees, learned, target, wanted, categories, seed + place, threads)

    return hold_out(problem, folds, numbered[:rows], numbered[rows:], fit)


def _signal(problem: Problem, target: Array) -> Array:
    """What means are taken of: numbers and marks as they are, one column for each class."""
    if problem.kind == "classes":
        hot = np.eye(problem.columns)[target.astype(np.int64).ravel()]
        return hot[:, 1:] if problem.columns <= 6 else hot[:, :0]
    return target[:, :6]


def _forests(
    problem: Problem, trees: Trees, known: Array, target: Array, asked: Array,
    categories: list[int], seed: int, threads: int,
) -> Array:  # fmt: skip
    total = np.zeros((len(asked), problem.columns))
    for copy in range(trees.copies):
        parameters = _parameters(trees, seed + 1000 * copy, threads)
        if problem.kind == "classes":
            total += _classes(problem, parameters, known, target, asked, categories, trees)
        else:
            for column in range(problem.columns):
                total[:, column] += _one(
                    problem, parameters, known, target[:, column], asked, categories, trees
                )
    return total / trees.copies


def _parameters(trees: Trees, seed: int, threads: int) -> dict[str, Any]:
    return {
        "learning_rate": trees.rate,
        "num_leaves": trees.leaves,
        "min_data_in_leaf": trees.fewest,
        "feature_fraction": trees.columns,
        "bagging_fraction": trees.rows,
        "bagging_freq": 1,
        "lambda_l2": trees.ridge,
        "extra_trees": trees.is_random,
        "cat_smooth": 20,
        "max_cat_to_onehot": 8,
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": threads,
        "verbosity": -1,
    }


def _classes(
    problem: Problem, parameters: dict[str, Any], known: Array, target: Array, asked: Array,
    categories: list[int], trees: Trees,
) -> Array:  # fmt: skip
    codes = target.astype(np.int64).ravel()
    if problem.columns == 2:
        objective = {"objective": "binary", "metric": "binary_logloss"}
        second = _train(parameters | objective, known, codes, asked, categories, trees)
        return np.column_stack([1 - second, second])
    objective = {
        "objective": "multiclass", "num_class": problem.columns, "metric": "multi_logloss",
    }  # fmt: skip
    return _train(parameters | objective, known, codes, asked, categories, trees)


def _one(
    problem: Problem, parameters: dict[str, Any], known: Array, target: Array, asked: Array,
    categories: list[int], trees: Trees,
) -> Array:  # fmt: skip
    if problem.kind == "marks":
        if target.min() == target.max():
            return np.full(len(asked), target[0])
        objective = {"objective": "binary", "metric": "binary_logloss"}
        return _train(parameters | objective, known, target, asked, categories, trees)
    is_logarithmic = problem.metric.is_logarithmic and target.min() > -1
    learned = np.log1p(target) if is_logarithmic else target
    is_absolute = problem.metric.name == "mae"
    objective = {"objective": "regression_l1" if is_absolute else "regression", "metric": "l2"}
    predicted = _train(parameters | objective, known, learned, asked, categories, trees)
    return np.expm1(predicted) if is_logarithmic else predicted


def _train(
    parameters: dict[str, Any], known: Array, target: Array, asked: Array,
    categories: list[int], trees: Trees,
) -> Array:  # fmt: skip
    """Grow trees; how many is found on a tenth of the rows that is then learned from, too."""
    import lightgbm

    few = max(1, min(parameters["min_data_in_leaf"], len(known) // 20))
    parameters = parameters | {"min_data_in_leaf": few}
    rng = np.random.default_rng(parameters["seed"])
    order = rng.permutation(len(known))
    aside = order[: max(len(known) // 8, 20)] if len(known) >= 200 else order[:0]
    rest = order[len(aside) :]
    options = {"categorical_feature": categories or "auto", "free_raw_data": True}
    rounds = min(trees.rounds, 200)
    if len(aside):
        learned = lightgbm.Dataset(known[rest], target[rest], params={"verbosity": -1}, **options)
        judged = lightgbm.Dataset(known[aside], target[aside], reference=learned, **options)
        model = lightgbm.train(
            parameters, learned, trees.rounds, valid_sets=[judged],
            callbacks=[lightgbm.early_stopping(STOP_AFTER, verbose=False)],
        )  # fmt: skip
        rounds = max(20, int(model.best_iteration * 1.1))
    everything = lightgbm.Dataset(known, target, params={"verbosity": -1}, **options)
    model = lightgbm.train(parameters, everything, rounds)
    return np.asarray(model.predict(asked, num_threads=parameters["num_threads"]))
