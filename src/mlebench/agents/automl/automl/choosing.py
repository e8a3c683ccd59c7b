"""How good the best of several is: each is chosen without the rows that it is judged by.

Who is best of many on some rows is so by luck, too, and has less of it on others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .folds import Folds
from .problem import Array, Problem

Index = NDArray[np.int64]


def gain_on(problem: Problem, finished: Array, rows: Index) -> float:
    """How good finished predictions of some rows are."""
    return problem.metric.gain(problem.metric(problem.target[rows], finished[rows]))


def gains_apart(problem: Problem, folds: Folds, finished: Array) -> tuple[float, ...]:
    """For each part how good predictions of all others are, to choose by.

    Stretches of time differ so much that what is best in all but one is often bad in that one:
    there all rows count, and the error has to tell how sure the choice is.
    """
    seen = folds.seen
    if folds.is_in_time:
        return (gain_on(problem, finished, seen),) * len(folds.parts)
    return tuple(gain_on(problem, finished, np.setdiff1d(seen, part)) for part in folds.parts)


def best_apart(apart: Sequence[tuple[float, ...]]) -> list[int]:
    """For each part which of several is best on all others; the first of those that are alike."""
    return [int(place) for place in np.argmax(np.array(apart), axis=0)]


def chosen_apart(folds: Folds, best: Sequence[int], judged: Callable[[int], Array]) -> Array:
    """What is said of each part by whoever is best on all others.

    Args:
        folds: The parts.
        best: For each part who that is.
        judged: What each says of all rows.
    """
    chosen = judged(best[0]).copy()
    for place in sorted(set(best) - {best[0]}):
        said = judged(place)
        for part, by in zip(folds.parts, best, strict=True):
            if by == place:
                chosen[part] = said[part]
    return chosen
