"""What is told of the best of all that was there to take, which is lucky if there was much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from .blending import Blend, Verdict, alone, known_rows
from .choosing import best_apart, chosen_apart
from .finishing import honest
from .folds import Folds
from .problem import Array, Prediction, Problem


class Offers:
    """What was submitted so far; only what is best without some part is kept."""

    def __init__(self, problem: Problem, folds: Folds) -> None:
        """Have none yet."""
        self._problem, self._folds = problem, folds
        self._kept: list[Blend] = []

    def add(self, blend: Blend) -> None:
        """Count what was taken; what was taken before counts if it knows the same rows."""
        if self._kept and not self._knows_the_same(blend):
            self._kept = []
        self._kept.append(blend)
        best = set(self._best)
        self._kept = [one for place, one in enumerate(self._kept) if place in best]

    def verdict_of(self, taken: Blend) -> Verdict:
        """How good what was taken is, if who takes it has not seen what it is judged by."""
        if len(self._kept) < 2:
            return taken.verdict
        judged = [one.judged for one in self._kept]
        chosen = chosen_apart(self._folds, self._best, judged.__getitem__)
        error = max(one.verdict.error for one in self._kept)
        told = taken.told_by(self._problem, self._folds, chosen).verdict
        return replace(told, error=error)

    @property
    def _best(self) -> list[int]:
        return best_apart([one.verdict.apart for one in self._kept])

    def _knows_the_same(self, blend: Blend) -> bool:
        return len(blend.verdict.apart) == len(self._kept[0].verdict.apart) and np.array_equal(
            known_rows(blend.judged), known_rows(self._kept[0].judged)
        )


def best_alone(
    problem: Problem,
    folds: Folds,
    verdicts: Mapping[str, Verdict],
    load: Callable[[str], Prediction],
) -> Blend:
    """Predictions of the best of several models, judged as a choice among all of them.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out.
        verdicts: How good each is, that of the best one first.
        load: What one of them predicts.
    """
    names = [name for name, one in verdicts.items() if len(one.apart) == len(folds.parts)]
    first = next(iter(verdicts))
    blend = alone(problem, folds, first, load(first), verdicts[first])
    if first not in names:
        return blend
    best = best_apart([verdicts[name].apart for name in names])

    def judged(place: int) -> Array:
        is_first = names[place] == first
        return blend.judged if is_first else honest(problem, load(names[place]).held_out, parts)

    parts = folds.parts
    return blend.told_by(problem, folds, chosen_apart(folds, best, judged))
