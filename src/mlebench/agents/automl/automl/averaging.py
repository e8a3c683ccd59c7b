"""Averages of predictions, with weights that are found by adding what helps most."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .folds import Folds
from .problem import Array, Prediction, Problem

MOST_ROUNDS = 40
MOST_JUDGED = 20_000
TINY = 1e-6


def averages(
    problem: Problem, folds: Folds, old: Array, new: Array
) -> Iterator[tuple[str, Prediction]]:
    """The averages that fit the problem, by name.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out.
        old: What models predict of rows to learn from, the best model first.
        new: The same of rows to predict.
    """
    yield "mean", _averaged(problem, folds, old, new, lambda values: values)
    if problem.kind != "numbers":
        old, new = (np.log(np.clip(one, TINY, 1.0)) for one in (old, new))
    elif problem.target.min() >= 0 and problem.metric.is_logarithmic:
        old, new = (np.log1p(np.maximum(one, 0)) for one in (old, new))
    else:
        return
    yield "geometric mean", _averaged(problem, folds, old, new, _raised(problem))


def _raised(problem: Problem) -> Callable[[Array], Array]:
    """From logarithms back to predictions."""
    if problem.kind == "numbers":
        return np.expm1
    if problem.kind == "marks":
        return np.exp

    def normed(values: Array) -> Array:
        raised = np.exp(values - values.max(axis=-1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    return normed


def _averaged(
    problem: Problem, folds: Folds, old: Array, new: Array, back: Callable[[Array], Array]
) -> Prediction:
    """Averages with weights that are found by adding what helps most, again and again.

    For each part they are found on the others; the rows to predict get those found on all.
    """
    held_out = np.full(old.shape[1:], np.nan)
    seen = folds.seen
    for part in folds.parts:
        others = np.setdiff1d(seen, part)
        weights = weights_of(problem, old[:, others], problem.target[others], back)
        held_out[part] = back(np.tensordot(weights, old[:, part], 1))
    weights = weights_of(problem, old[:, seen], problem.target[seen], back)
    return Prediction(held_out, back(np.tensordot(weights, new, 1)))


def weights_of(
    problem: Problem, old: Array, target: Array, back: Callable[[Array], Array]
) -> Array:
    """How much each of several predictions counts; the first is the best one."""
    if old.shape[1] > MOST_JUDGED:  # some from everywhere, since files are often sorted
        some = np.linspace(0, old.shape[1] - 1, MOST_JUDGED).astype(np.int64)
        old, target = old[:, some], target[some]
    counts = np.zeros(len(old))
    total = np.zeros(old.shape[1:])
    top, taken = -np.inf, counts.copy()
    for size in range(1, MOST_ROUNDS + 1):
        gains = [_gain(problem, target, back((total + one) / size)) for one in old]
        place = int(np.argmax(gains))
        counts[place] += 1
        total += old[place]
        if gains[place] > top:
            top, taken = gains[place], counts.copy()
        elif size > 2 * taken.sum() + 3:
            break
    weights: Array = taken / taken.sum() if taken.sum() else np.eye(len(old))[0]
    return weights


def _gain(problem: Problem, target: Array, predicted: Array) -> float:
    """How good an average is: by the score itself where it is smooth, else by one that is."""
    metric = problem.metric
    if metric.wants in ("probabilities", "ranking"):
        return metric.gain(metric(target, predicted))
    if metric.wants in ("numbers", "grades"):
        if metric.name in ("pearson", "spearman", "mae", "rmsle", "divergence"):
            return metric.gain(metric(target, predicted))
        return -float(np.mean((target - predicted) ** 2))
    truth = problem.table_of(target)
    guess = np.clip(predicted, TINY, 1 - TINY)
    loss = -(truth * np.log(guess) + (1 - truth) * np.log(1 - guess)).mean()
    if metric.name in ("accuracy", "error rate", "micro f1") and problem.kind == "classes":
        right = (guess.argmax(axis=1) == truth.argmax(axis=1)).mean()
        return float(right - 0.3 * loss)
    return float(-loss)
