"""How many rows can be learned from in the time there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .folds import groups_kept_apart, times_of_later
from .problem import Problem

CELLS_A_SECOND = 30_000
FEWEST_COLUMNS = 8
FEWEST_ROWS = 5_000
SHARE_FOR_ALL = 0.9  # with nearly all of them, all may as well be taken


def bounded(problem: Problem, seconds: float, seed: int) -> Problem:
    """The problem with no more rows to learn from than models can cope with in time.

    The latest rows stay where those to predict come later, whole groups where these have others;
    else it is decided by lot. With more time, more rows are taken.
    """
    rows = len(problem.target)
    width = max(problem.train.shape[1], FEWEST_COLUMNS) * np.sqrt(problem.columns)
    most = max(FEWEST_ROWS, int(CELLS_A_SECOND * seconds / width))
    if most >= SHARE_FOR_ALL * rows:
        return problem
    rng = np.random.default_rng(seed)
    if (times := times_of_later(problem)) is not None:
        rank = np.argsort(np.argsort(-times[1], kind="stable"), kind="stable")
    elif (groups := groups_kept_apart(problem)) is not None:
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
