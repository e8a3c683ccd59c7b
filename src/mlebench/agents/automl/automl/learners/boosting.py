"""Boosted trees, which bear whatever columns they are given."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..features.frame import Frame
from ..folds import Folds, Index
from ..pace import Pace
from ..problem import Array, Prediction, Problem
from .encoding import PARTS, Encoder, MeanTargets
from .holding_out import hold_out

MANY_CLASSES = 20  # trees are grown for each
STOP_AFTER = 60
FEWEST_FOR_STOPPING, USUAL_ROUNDS, FEWEST_TREES = 200, 150, 20
FEWEST_IN_HASTE = 5
PREDICTING = 0.1  # what it takes for a row, of what learning from it took
ASIDE = 5  # times as many rows are learned from as are set aside to find out how large
SEARCHES = 1  # forests that only find out how large others had better be


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
    problem: Problem,
    folds: Folds,
    frame: Frame,
    trees: Trees,
    seed: int,
    threads: int,
    encoders: Sequence[Encoder] = (),
) -> Prediction:
    """What boosted trees predict; the first forest finds out how large they had better be.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out.
        frame: Features of all rows.
        trees: How trees are grown.
        seed: Decides about rows and columns.
        threads: How many may work.
        encoders: Further features that are made of the target of other rows.
    """
    matrix = frame.matrix
    rows = frame.rows
    categories = [place for place, name in enumerate(frame.names) if name in frame.categories]

    if trees.has_means:
        means = [MeanTargets(np.column_stack([*frame.repeated.values()]))] if frame.repeated else []
        encoders = (*means, *encoders)
    sizes: dict[int, int] = {}
    forests = folds.models * trees.copies + (0 if folds.models == 1 else SEARCHES)
    pace = Pace(forests * (1 if problem.kind == "classes" else problem.columns))

    def fit(known: Index, target: Array, asked: Index, place: int) -> Array:
        learned: Any = matrix[known]
        wanted: Any = matrix[asked]
        part_of = folds.drawn_parts(known, PARTS, seed)
        for encoder in encoders:
            made = encoder(known, asked, _signal(problem, target), part_of)
            learned, wanted = np.hstack([learned, made[0]]), np.hstack([wanted, made[1]])
        grower = Grower(
            problem, folds, known, trees, categories, seed + place, threads, sizes, pace
        )
        return grower.grow(learned, target, wanted)

    # Rows go by their numbers, by which encoders find them again.
    return hold_out(problem, folds, np.arange(rows), np.arange(rows, len(matrix)), fit)


def _signal(problem: Problem, target: Array) -> Array:
    """What means are taken of: numbers and marks as they are, one column for each class."""
    table = problem.table_of(target)
    if problem.kind == "classes":
        return table[:, 1:] if problem.columns <= 6 else table[:, :0]
    return table[:, :6]


@dataclass(frozen=True)
class Grower:
    """Grows the forests of one part.

    Attributes:
        problem: Says what is to be predicted.
        folds: Say how rows are set aside to find out how large forests had better be.
        rows: Those that are learned from, by their place among all.
        trees: How they are grown.
        categories: Which columns are codes.
        seed: Decides about rows and columns.
        threads: How many may work.
        sizes: How large forests of each column had better be, as far as that is known.
        pace: Says how long each forest may grow.
    """

    problem: Problem
    folds: Folds
    rows: Index
    trees: Trees
    categories: list[int]
    seed: int
    threads: int
    sizes: dict[int, int]
    pace: Pace

    @property
    def is_last(self) -> bool:
        """Whether the forest that finds out how large it had better be is used itself.

        Not another one of this size that has learned from all rows.
        """
        return self.folds.models == 1

    def grow(self, known: Array, target: Array, asked: Array) -> Array:
        """What forests predict that learned from these rows."""
        total = np.zeros((len(asked), self.problem.columns))
        for copy in range(self.trees.copies):
            seed = self.seed + 1000 * copy
            if self.problem.kind == "classes":
                total += self._classes(known, target, asked, seed)
            else:
                for column in range(self.problem.columns):
                    total[:, column] += self._one(known, target[:, column], asked, seed, column)
        return total / self.trees.copies

    def _classes(self, known: Array, target: Array, asked: Array, seed: int) -> Array:
        codes = target.ravel()
        if self.problem.columns == 2:
            second = self._train(known, codes, asked, seed, {"objective": "binary"})
            return np.column_stack([1 - second, second])
        objective = {"objective": "multiclass", "num_class": self.problem.columns}
        return self._train(known, codes, asked, seed, objective)

    def _one(self, known: Array, target: Array, asked: Array, seed: int, column: int) -> Array:
        if target.min() == target.max():
            return np.full(len(asked), target[0])
        if self.problem.kind == "marks":
            return self._train(known, target, asked, seed, {"objective": "binary"}, column)
        metric = self.problem.metric
        is_logarithmic = metric.is_logarithmic and target.min() > -1
        learned = np.log1p(target) if is_logarithmic else target
        objective = {"objective": "regression_l1" if metric.name == "mae" else "regression"}
        predicted = self._train(known, learned, asked, seed, objective, column)
        return np.expm1(predicted) if is_logarithmic else predicted

    def _train(
        self, known: Array, target: Array, asked: Array, seed: int,
        objective: dict[str, Any], column: int = 0,
    ) -> Array:  # fmt: skip
        import lightgbm

        parameters = self._parameters(seed, len(known)) | objective
        options: dict[str, Any] = {
            "categorical_feature": self.categories or "auto", "params": {"verbosity": -1},
        }  # fmt: skip
        afterwards = PREDICTING * len(asked) / len(known)
        if column not in self.sizes and len(known) >= FEWEST_FOR_STOPPING:
            model = self._searched(
                known, target, parameters, options, afterwards if self.is_last else 0.0
            )
            if self.is_last:
                return np.asarray(model.predict(asked, num_threads=self.threads))
            best = model.best_iteration or model.current_iteration()
            whole = best * (ASIDE + 1) / ASIDE  # with more rows there may be more trees
            self.sizes[column] = max(FEWEST_TREES, int(whole))
        size = self.sizes.get(column, min(self.trees.rounds, USUAL_ROUNDS))
        with self.pace.task(afterwards) as until:
            model = lightgbm.train(
                parameters, lightgbm.Dataset(known, target, **options), size,
                callbacks=[_stop_at(until)],
            )  # fmt: skip
        return np.asarray(model.predict(asked, num_threads=self.threads))

    def _searched(
        self, known: Array, target: Array, parameters: dict[str, Any], options: dict[str, Any],
        afterwards: float,
    ) -> Any:  # fmt: skip
        """A forest of the size that does best on rows that it did not learn from."""
        import lightgbm

        part_of = self.folds.drawn_parts(self.rows, ASIDE + 1, parameters["seed"])
        is_aside = part_of == part_of.max()
        learned = lightgbm.Dataset(known[~is_aside], target[~is_aside], **options)
        judged = lightgbm.Dataset(known[is_aside], target[is_aside], reference=learned, **options)
        stopping = lightgbm.early_stopping(STOP_AFTER, verbose=False)
        with self.pace.task(afterwards) as until:
            return lightgbm.train(
                parameters, learned, self.trees.rounds, valid_sets=[judged],
                callbacks=[stopping, _stop_at(until)],
            )  # fmt: skip

    def _parameters(self, seed: int, rows: int) -> dict[str, Any]:
        trees = self.trees
        return {
            "learning_rate": trees.rate,
            "num_leaves": trees.leaves,
            "min_data_in_leaf": max(1, min(trees.fewest, rows // 20)),
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
            "num_threads": self.threads,
            "verbosity": -1,
        }


def _stop_at(deadline: float) -> Callable[[Any], None]:
    """Have a forest stop growing at some time, whatever it has reached by then."""

    def look(state: Any) -> None:
        from lightgbm.callback import EarlyStopException

        if time.monotonic() >= deadline and state.iteration >= FEWEST_IN_HASTE:
            raise EarlyStopException(state.iteration, state.evaluation_result_list or [])

    return look
