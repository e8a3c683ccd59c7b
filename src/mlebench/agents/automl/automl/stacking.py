"""Models that learn from what other models predict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .folds import Folds
from .problem import Array, Prediction, Problem

MOST_COLUMNS, MOST_MARKS = 30, 12
STRENGTH, STRENGTH_FOR_NUMBERS = 0.02, 0.1
MOST_BOOSTED, FEWEST_ROWS = 10, 1000
TINY = 1e-6


def _inputs(problem: Problem, predicted: Array) -> Array:
    """Predictions of several models side by side, probabilities by their logarithms."""
    if problem.kind == "numbers":
        values = predicted
    elif problem.kind == "classes" and problem.columns == 2:
        values = _odds(predicted[:, :, 1:])
    else:
        values = _odds(predicted)
    return np.concatenate(list(values), axis=1)


def _odds(predicted: Array) -> Array:
    kept = np.clip(predicted, TINY, 1 - TINY)
    return np.log(kept / (1 - kept))


def linear_stack(problem: Problem, folds: Folds, old: Array, new: Array) -> Prediction | None:
    """A linear model of what others predict; none where there are too many columns."""
    from .learners.classical import fitted_by, linear
    from .learners.holding_out import hold_out

    if problem.columns > (MOST_MARKS if problem.kind == "marks" else MOST_COLUMNS):
        return None
    known, asked = _inputs(problem, old), _inputs(problem, new)
    seen = folds.seen
    centre, spread = known[seen].mean(axis=0), known[seen].std(axis=0) + 1e-9
    make = linear(problem.kind, STRENGTH_FOR_NUMBERS if problem.kind == "numbers" else STRENGTH)
    fit = fitted_by(problem, make)
    return hold_out(
        problem, _seen_folds(folds), (known - centre) / spread, (asked - centre) / spread, fit
    )


def boosted_stack(
    problem: Problem, folds: Folds, old: Array, new: Array, seed: int, threads: int
) -> Prediction | None:
    """Boosted trees of what others predict; none of many columns or few rows."""
    from .features.frame import Frame
    from .learners.boosting import Trees, boost

    if problem.columns > MOST_BOOSTED or len(problem.target) < FEWEST_ROWS:
        return None
    everything = np.vstack([_inputs(problem, old), _inputs(problem, new)])
    frame = Frame(len(problem.target))
    for place in range(everything.shape[1]):
        frame.add(f"{place}", everything[:, place])
    trees = Trees(rounds=400, rate=0.03, leaves=8, fewest=60, columns=0.5, rows=0.7, ridge=10.0)
    return boost(problem, _seen_folds(folds), frame, trees, seed, threads)


def _seen_folds(folds: Folds) -> Folds:
    """The rows that have held-out predictions, which may be learned from both ways in time."""
    return replace(folds, is_in_time=False, is_at_once=False, times=None, known=np.sort(folds.seen))
