"""From raw predictions to those that a score wants: in range, cut, decided.

What has to be chosen for that, such as thresholds, is chosen on held-out predictions; what a
score is told to be is measured on other rows than those it was chosen on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .metrics import Metric
from .problem import Array, Kind, Problem

Index = NDArray[np.int64]
GRID = np.linspace(0.02, 0.98, 49)
WEIGHTS = np.exp(np.linspace(-1.2, 1.2, 13))
ROUNDS = 3
MOST_MOVED = 50
BEYOND, SHARE_AT_BOUND = 0.5, 0.01
TEMPERATURES = np.exp(np.linspace(-0.9, 1.1, 21))


class Finish(Protocol):
    """A way of making predictions what they have to be, with nothing left to choose."""

    def __call__(self, predicted: Array) -> Array:
        """Finished predictions."""


@dataclass(frozen=True)
class _InRange:
    low: Array
    high: Array

    def __call__(self, predicted: Array) -> Array:
        return np.clip(predicted, self.low, self.high)


@dataclass(frozen=True)
class _Tempered:
    """Probabilities with their logarithms stretched: surer above 1, less sure below."""

    power: float
    is_exclusive: bool

    def __call__(self, predicted: Array) -> Array:
        raised = np.clip(predicted, 1e-15, 1.0) ** self.power
        if self.is_exclusive:
            return np.asarray(raised / raised.sum(axis=1, keepdims=True))
        others = np.clip(1 - predicted, 1e-15, 1.0) ** self.power
        return np.asarray(raised / (raised + others))


@dataclass(frozen=True)
class _MostLikely:
    weights: Array

    def __call__(self, predicted: Array) -> Array:
        places: Array = np.argmax(predicted * self.weights, axis=1).astype(float)
        return places


@dataclass(frozen=True)
class _Above:
    thresholds: Array

    def __call__(self, predicted: Array) -> Array:
        finished: Array = (predicted >= self.thresholds).astype(float)
        return finished


@dataclass(frozen=True)
class _Grades:
    cuts: Array
    grades: Array

    def __call__(self, predicted: Array) -> Array:
        return self.grades[np.searchsorted(self.cuts, predicted.ravel(), side="right")]


class _AsItIs:
    def __call__(self, predicted: Array) -> Array:
        return predicted


def chosen_finish(metric: Metric, kind: Kind, target: Array, predicted: Array) -> Finish:
    """The way of finishing predictions that does best on these."""
    if metric.wants == "grades":
        return _best_cuts(metric, target, predicted)
    if metric.wants == "numbers":
        return _likely_range(target)
    if metric.wants == "decisions":
        if kind == "classes":
            return _best_weights(metric, target, predicted)
        return _best_thresholds(metric, target, predicted)
    if metric.name == "log loss":
        return _best_temperature(metric, kind, target, predicted)
    return _AsItIs()


def _likely_range(target: Array) -> _InRange:
    """Where numbers may be: bounds at which many are hold, others may be passed a little."""
    low, high = target.min(axis=0), target.max(axis=0)
    span = (high - low) * BEYOND
    is_floor = (target <= low).mean(axis=0) >= SHARE_AT_BOUND
    is_ceiling = (target >= high).mean(axis=0) >= SHARE_AT_BOUND
    floor = np.where(is_floor, low, np.where(low >= 0, np.maximum(low - span, 0.0), low - span))
    return _InRange(floor, np.where(is_ceiling, high, high + span))


def honest(problem: Problem, predicted: Array, folds: Sequence[Index]) -> Array:
    """Held-out predictions, each finished in a way that was chosen without it."""
    finished: Array | None = None
    rows = np.arange(len(problem.target))
    seen = np.concatenate(folds)
    for fold in folds:
        others = np.setdiff1d(seen, fold)
        finish = chosen_finish(
            problem.metric, problem.kind, problem.target[others], predicted[others]
        )
        part = finish(predicted[fold])
        if finished is None:
            finished = np.full((len(rows), *part.shape[1:]), np.nan)
        finished[fold] = part
    if finished is None:
        raise ValueError("there are no folds")
    return finished


def _best_temperature(metric: Metric, kind: Kind, target: Array, predicted: Array) -> Finish:
    is_exclusive = kind == "classes"
    scores = [
        metric.gain(metric(target, _Tempered(power, is_exclusive)(predicted)))
        for power in TEMPERATURES
    ]
    return _Tempered(float(TEMPERATURES[int(np.argmax(scores))]), is_exclusive)


def _best_weights(metric: Metric, target: Array, predicted: Array) -> Finish:
    """Weights of classes, changed one at a time while that helps; all alike for many classes."""
    size = predicted.shape[1]
    weights = np.ones(size)
    if size == 2:
        best = _best_threshold(metric, target, predicted[:, 1], decides=True)
        return _MostLikely(np.array([best, 1 - best]))
    if size > 30 or metric.name in ("accuracy", "error rate", "micro f1"):
        return _MostLikely(weights)
    top = metric.gain(metric(target, _MostLikely(weights)(predicted)))
    for _ in range(ROUNDS):
        before = top
        for place in range(size):
            for factor in WEIGHTS:
                tried = weights.copy()
                tried[place] *= factor
                gain = metric.gain(metric(target, _MostLikely(tried)(predicted)))
                if gain > top:
                    top, weights = gain, tried
        if top <= before:
            break
    return _MostLikely(weights)


def _best_threshold(metric: Metric, target: Array, predicted: Array, *, decides: bool) -> float:
    """The threshold that does best; of several about as good, the middle one."""
    grid = np.unique(np.concatenate([GRID, np.quantile(predicted, GRID)]))
    gains = np.array(
        [
            metric.gain(metric(target, (predicted >= cut).astype(float)))
            if decides
            else metric.gain(metric(target[:, None], (predicted >= cut)[:, None].astype(float)))
            for cut in grid
        ]
    )
    # Scores of few rows jump: neighbours have a say, too.
    smooth = np.convolve(np.pad(gains, 3, mode="edge"), np.ones(7) / 7, mode="valid")
    best = int(np.argmax(np.where(np.isfinite(smooth), smooth, -np.inf)))
    return float(np.clip(grid[best], 1e-6, 1))


def _best_thresholds(metric: Metric, target: Array, predicted: Array) -> Finish:
    """One threshold for all marks."""
    best = 0.5
    top = -np.inf
    for cut in GRID:
        gain = metric.gain(metric(target, (predicted >= cut).astype(float)))
        if gain > top:
            best, top = float(cut), gain
    return _Above(np.full(predicted.shape[1], best))


def _best_cuts(metric: Metric, target: Array, predicted: Array) -> Finish:
    """Where grades begin: first so that there are as many of each as in truth, then moved.

    Bounds of very many grades stay: it takes long to move each, and helps less.
    """
    truth, guess = target.ravel(), predicted.ravel()
    grades, counts = np.unique(truth, return_counts=True)
    cuts = np.quantile(guess, np.cumsum(counts)[:-1] / len(truth))
    best = _Grades(cuts, grades)
    top = metric.gain(metric(truth, best(guess)))
    step = max(float(np.std(guess)), 1e-9) / 2
    for _ in range(8 if len(cuts) <= MOST_MOVED else 0):
        for place in range(len(cuts)):
            for move in (-step, step):
                tried = cuts.copy()
                tried[place] += move
                if np.any(np.diff(tried) < 0):
                    continue
                gain = metric.gain(metric(truth, _Grades(tried, grades)(guess)))
                if gain > top:
                    top, cuts = gain, tried
        step /= 1.6
    return _Grades(cuts, grades)
