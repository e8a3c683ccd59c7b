"""Several predictions made into one: averaged, weighted, or learned from anew.

Whatever is learned from held-out predictions is judged on rows that it has not seen, part by
part, so that the score told in the end is one that other rows may have, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .averaging import averages
from .choosing import best_apart, chosen_apart, gain_on, gains_apart
from .finishing import chosen_finish, honest
from .folds import Folds
from .problem import Array, Prediction, Problem
from .stacking import boosted_stack, linear_stack

Index = NDArray[np.int64]
Library = Mapping[str, Prediction]

MOST_JUDGED = 20_000
RESAMPLES = 200
LEAST_KNOWN, LEAST_OF_BETTER = 0.5, 0.1
HALF = "half"


@dataclass(frozen=True)
class Verdict:
    """How good predictions are.

    Attributes:
        score: By the metric, on rows that were not learned from.
        error: How far the score of the rows to predict may be off by chance alone.
        gain: The score as a number of which more is better.
        apart: For each part the gain by which to choose what is judged by that part.
    """

    score: float
    error: float
    gain: float
    apart: tuple[float, ...] = ()


@dataclass(frozen=True)
class Blend:
    """Predictions made of others.

    Attributes:
        name: What it is made of and how.
        verdict: How good it is.
        finished: What is to be submitted.
        judged: The same of rows that it was judged by; nothing where these are not known.
    """

    name: str
    verdict: Verdict
    finished: Array
    judged: Array

    def is_better_than(self, other: Blend, problem: Problem) -> bool:
        """Whether it is better on the rows that both are known of."""
        rows = np.flatnonzero(known_rows(self.judged) & known_rows(other.judged))
        return bool(len(rows)) and (
            gain_on(problem, self.judged, rows) > gain_on(problem, other.judged, rows)
        )

    def told_by(self, problem: Problem, folds: Folds, chosen: Array) -> Blend:
        """The same, judged by what was chosen of several without the rows it is judged by."""
        folds = _known_to_all(folds, [chosen])
        score = problem.metric(problem.target[folds.seen], chosen[folds.seen])
        gain, apart = problem.metric.gain(score), gains_apart(problem, folds, chosen)
        verdict = Verdict(score, self.verdict.error, gain, apart)
        return replace(self, verdict=verdict, judged=chosen)


def judge(problem: Problem, folds: Folds, held_out: Array, seed: int = 0) -> Verdict:
    """How good held-out predictions are, finished without what they are judged by.

    Rows of which nothing is predicted do not count.
    """
    folds = _known_to_all(folds, [held_out])
    return _verdict(problem, folds, honest(problem, held_out, folds.parts), seed)


def known_rows(predicted: Array) -> NDArray[np.bool_]:
    """Whether all is known that is predicted of a row."""
    return np.asarray(np.isfinite(predicted).reshape(len(predicted), -1).all(axis=1))


def _known_to_all(folds: Folds, several: Iterable[Array]) -> Folds:
    """The parts without rows of which some predictions say nothing."""
    known = np.logical_and.reduce([known_rows(one) for one in several])
    return folds if known[folds.seen].all() else folds.among(np.flatnonzero(known))


def _verdict(problem: Problem, folds: Folds, finished: Array, seed: int = 0) -> Verdict:
    target, seen, asked = problem.target, folds.seen, len(problem.test)
    score = problem.metric(target[seen], finished[seen])
    size = min(len(seen), asked, MOST_JUDGED)
    draw = _draw(folds, size, np.random.default_rng(seed))
    drawn = []
    for _ in range(RESAMPLES if len(seen) <= MOST_JUDGED else 30):
        rows = draw()
        drawn.append(problem.metric(target[rows], finished[rows]))
    spread = float(np.nanstd(drawn)) * np.sqrt(size / max(asked, 1))
    if spread == 0:
        spread = abs(score - _score_of_swapped(problem, finished, seen))
    error = spread * np.sqrt(1 + asked / len(seen))
    if folds.is_in_time and len(folds.parts) > 1:
        scores = [problem.metric(target[part], finished[part]) for part in folds.parts]
        error = max(error, float(np.nanstd(scores, ddof=1)) * np.sqrt(1 + 1 / len(scores)))
    gain = problem.metric.gain(score)
    return Verdict(score, error, gain, gains_apart(problem, folds, finished))


def _score_of_swapped(problem: Problem, finished: Array, rows: Index) -> float:
    """The score with two rows wrong: with the least and the most predicted in each other's place.

    Where nothing is ever wrong among the rows that are known, it may be among others.
    """
    said = finished[rows]
    by_last = said.reshape(len(said), -1)[:, -1]
    ends = [int(by_last.argmin()), int(by_last.argmax())]
    said[ends] = said[ends[::-1]]
    return problem.metric(problem.target[rows], said)


def _draw(folds: Folds, size: int, rng: np.random.Generator) -> Callable[[], Index]:
    """Draws about so many rows at a time; whole groups where these are held out together."""
    seen = folds.seen
    if folds.groups is None:
        return lambda: seen[rng.integers(0, len(seen), size)]
    order = seen[np.argsort(folds.groups[seen], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(folds.groups[order])) + 1)
    count = max(2, round(len(groups) * size / len(seen)))
    return lambda: np.concatenate([groups[k] for k in rng.integers(0, len(groups), count)])


def best_blend(problem: Problem, folds: Folds, library: Library, seed: int, threads: int) -> Blend:
    """The best of single predictions and of several ways to join them.

    What is told of it is how good those are that are chosen without the rows they are judged by.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out.
        library: Single predictions, the best one first.
        seed: Decides what is decided by lot.
        threads: How many may work.
    """
    library = _telling_enough(problem, folds, library)
    folds = _known_to_all(folds, [one.held_out for one in library.values()])
    names = list(library)

    def judged(place: int) -> Array:
        return honest(problem, library[names[place]].held_out, folds.parts)

    gains, apart = [], []
    for place in range(len(names)):
        said = judged(place)
        gains.append(gain_on(problem, said, folds.seen))
        apart.append(gains_apart(problem, folds, said))
    order = sorted(range(len(names)), key=gains.__getitem__, reverse=True)
    ranked = [names[place] for place in order]
    ways = [(ranked[0], library[ranked[0]])]
    finished = [chosen_apart(folds, best_apart(apart), judged)]
    if len(ranked) > 1:
        ways += _joined(problem, folds, library, ranked, seed, threads)
        finished += [honest(problem, one.held_out, folds.parts) for _, one in ways[1:]]
    name, best = ways[int(np.argmax([gain_on(problem, one, folds.seen) for one in finished]))]
    apart = [gains_apart(problem, folds, one) for one in finished]
    chosen = chosen_apart(folds, best_apart(apart), finished.__getitem__)
    return Blend(name, _verdict(problem, folds, chosen), _finished(problem, folds, best), chosen)


def alone(problem: Problem, folds: Folds, name: str, one: Prediction, verdict: Verdict) -> Blend:
    """Predictions of a single model, as they are to be submitted."""
    folds = _known_to_all(folds, [one.held_out])
    judged = honest(problem, one.held_out, folds.parts)
    return Blend(name, verdict, _finished(problem, folds, one), judged)


def _finished(problem: Problem, folds: Folds, one: Prediction) -> Array:
    seen = folds.seen
    finish = chosen_finish(problem.metric, problem.kind, problem.target[seen], one.held_out[seen])
    return finish(one.test)


def _gain_of(problem: Problem, folds: Folds, one: Prediction) -> float:
    return gain_on(problem, honest(problem, one.held_out, folds.parts), folds.seen)


def _telling_enough(problem: Problem, folds: Folds, library: Library) -> Library:
    """Predictions without those that know of much fewer rows than others do.

    All are joined on the rows that each of them knows, so these are as few as the worst informed
    one knows; it has to be better on them than the best of those that know more.
    """
    known = {name: known_rows(one.held_out).sum() for name, one in library.items()}
    most = max(known.values())
    enough = [name for name in library if known[name] >= LEAST_KNOWN * most]
    best = library[enough[0]]
    few = [name for name in library if LEAST_OF_BETTER <= known[name] / most < LEAST_KNOWN]
    enough += [name for name in few if _is_better(problem, folds, library[name], best)]
    return {name: one for name, one in library.items() if name in enough}


def _is_better(problem: Problem, folds: Folds, one: Prediction, other: Prediction) -> bool:
    """Whether predictions are better than others on the rows that both know."""
    both = _known_to_all(folds, [one.held_out, other.held_out])
    return len(both.parts) > 1 and _gain_of(problem, both, one) > _gain_of(problem, both, other)


def _joined(
    problem: Problem, folds: Folds, library: Library, ranked: list[str], seed: int, threads: int
) -> list[tuple[str, Prediction]]:
    """All ways of joining predictions that fit the problem."""
    old = np.stack([library[name].held_out for name in ranked])
    new = np.stack([library[name].test for name in ranked])
    found = [(f"{name} of {len(ranked)}", one) for name, one in averages(problem, folds, old, new)]
    stacked = linear_stack(problem, folds, old, new)
    if stacked is not None:
        found.append((f"linear stack of {len(ranked)}", stacked))
        both = _mean([found[0][1], stacked])
        found.append((f"{HALF} mean, half linear stack of {len(ranked)}", both))
    boosted = boosted_stack(problem, folds, old, new, seed, threads)
    if boosted is not None:
        found.append((f"boosted stack of {len(ranked)}", boosted))
        every = _mean([one for name, one in found if not name.startswith(HALF)])
        found.append((f"mean of all ways to join {len(ranked)}", every))
    return found


def _mean(several: list[Prediction]) -> Prediction:
    return Prediction(
        np.mean([one.held_out for one in several], axis=0),
        np.mean([one.test for one in several], axis=0),
    )
