"""How many rows can be learned from in the time there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from .features.columns import as_text
from .folds import times_of_later
from .grouping import linked_groups
from .learners.boosting import MANY_CLASSES
from .problem import Problem

CELLS_A_SECOND = 30_000
SIGNS_OF_CELL = 50  # of a text that take as long as a number
LOOKED_AT = 200
MOST_PREDICTED = 50_000_000  # cells of one prediction, of which blends hold several
FEWEST_COLUMNS = 8
FEWEST_ROWS = 5_000
SHARE_FOR_ALL = 0.9  # with nearly all of them, all may as well be taken


def _cells(problem: Problem) -> float:
    """What a row takes, in cells of numbers."""
    cells = problem.train.shape[1] + _signs(problem.train) / SIGNS_OF_CELL
    if problem.kind == "classes" and problem.columns > MANY_CLASSES:
        return max(cells, FEWEST_COLUMNS) + problem.columns
    # Boosting grows trees for each class; it is not tried where there are many.
    return float(max(cells, FEWEST_COLUMNS) * np.sqrt(problem.columns))


def _signs(table: pd.DataFrame) -> float:
    """How many signs the texts and lists of a row have, on average."""
    some = table.iloc[np.linspace(0, len(table) - 1, min(len(table), LOOKED_AT)).astype(np.int64)]
    texts = some.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz"])
    return float(sum(texts[name].map(as_text).str.len().mean() for name in texts))


def bounded(problem: Problem, seconds: float, seed: int) -> Problem:
    """The problem with no more rows to learn from than models can cope with in time.

    The latest rows stay where those to predict come later, whole groups where these have others;
    else it is decided by lot. With more time, more rows are taken.
    """
    rows = len(problem.target)
    most = int(CELLS_A_SECOND * seconds / _cells(problem))
    most = max(FEWEST_ROWS, min(most, MOST_PREDICTED // problem.columns))
    if most >= SHARE_FOR_ALL * rows:
        return problem
    rng = np.random.default_rng(seed)
    if (times := times_of_later(problem)) is not None:
        rank = np.argsort(np.argsort(-times[1], kind="stable"), kind="stable")
    elif (groups := linked_groups(problem)) is not None:
        order = rng.permutation(groups[1].max() + 1)
        rank = np.argsort(np.argsort(order[groups[1]], kind="stable"), kind="stable")
    else:
        rank = rng.permutation(rows)
    kept = np.flatnonzero(rank < most)
    return replace(
        problem,
        train=problem.train.iloc[kept].reset_index(drop=True),
        target=problem.target[kept],
        train_ids=tuple(problem.train_ids[row] for row in kept),
    )
