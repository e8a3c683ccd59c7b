"""What is tried with the texts of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..features.texts import Unit, meanings
from ..learners.boosting import Trees, boost
from ..learners.classical import fitted_by
from ..learners.holding_out import Fit, hold_out
from ..learners.texts import bayes, sparse_linear, weighted_by_bayes
from ..problem import Prediction
from .bench import Bench
from .step import Step

# Of weighted counts a naive Bayes is less often too sure than of plain ones.
BAYES: tuple[tuple[str, Unit, int, float, bool], ...] = (
    ("multinomial", "words", 1, 0.5, False),
    ("complement", "words", 2, 0.5, False),
    ("multinomial", "signs", 6, 0.02, True),
    ("bernoulli", "words", 1, 0.1, False),
    ("multinomial", "words", 2, 0.05, True),
    ("multinomial", "signs", 5, 0.02, True),
    ("bernoulli", "words", 2, 0.05, False),
    ("multinomial", "words", 2, 0.1, False),
    ("multinomial", "stems", 2, 0.1, False),
    ("multinomial", "signs", 3, 0.1, False),
)


def steps_of_texts(bench: Bench) -> Iterator[Step]:
    """Linear models and naive Bayes of words and signs; what is quick first."""
    yield _sparse(bench, "words", 2, 4.0)
    if bench.problem.kind != "numbers":
        yield _present(bench, "words", 2, 0.3)
        for variant in BAYES:
            yield _bayes(bench, *variant)
    yield _sparse(bench, "signs", 4, 4.0)
    if bench.problem.kind != "numbers":
        yield _weighted(bench, "words", 2, 1.0)
        yield _weighted(bench, "signs", 5, 1.0)
    yield _sparse(bench, "words", 1, 1.0)
    yield _sparse(bench, "stems", 3, 4.0)
    yield _sparse(bench, "signs", 6, 8.0)
    yield _directions(bench, 150)


def _sparse(bench: Bench, unit: Unit, longest: int, strength: float) -> Step:
    fit = fitted_by(bench.problem, sparse_linear(bench.problem.kind, strength))
    name = f"linear {strength:g} of {unit} up to {longest}"
    return _counted(bench, name, unit, longest, fit)


def _weighted(bench: Bench, unit: Unit, longest: int, strength: float) -> Step:
    fit = weighted_by_bayes(bench.problem, strength)
    return _counted(bench, f"Bayes-weighted linear of {unit} up to {longest}", unit, longest, fit)


def _present(bench: Bench, unit: Unit, longest: int, strength: float) -> Step:
    """The same of what is there at all, however often."""
    fit = weighted_by_bayes(bench.problem, strength)

    def work() -> Prediction:
        counts = bench.counts(unit, longest, fewest=1, is_weighted=False)
        values = (counts > 0).astype(np.float32)
        return hold_out(bench.problem, bench.folds, *bench.split(values), fit)

    return Step(f"Bayes-weighted linear of {unit} up to {longest} that are there", work)


def _bayes(
    bench: Bench, variant: str, unit: Unit, longest: int, smoothing: float, is_weighted: bool
) -> Step:
    fit = fitted_by(bench.problem, bayes(variant, smoothing))
    name = f"{variant} Bayes {smoothing:g} of {unit} up to {longest}"
    if is_weighted:
        name += ", weighted"
    fewest = 1 if longest < 3 else 2
    return _counted(bench, name, unit, longest, fit, fewest=fewest, is_weighted=is_weighted)


def _counted(
    bench: Bench, name: str, unit: Unit, longest: int, fit: Fit,
    *, fewest: int = 2, is_weighted: bool = True,
) -> Step:  # fmt: skip
    def work() -> Prediction:
        values = bench.counts(unit, longest, fewest=fewest, is_weighted=is_weighted)
        return hold_out(bench.problem, bench.folds, *bench.split(values), fit)

    return Step(name, work)


def _directions(bench: Bench, size: int) -> Step:
    """Boosted trees of many directions of words beside all columns."""

    def work() -> Prediction:
        frame = bench.frame().copy()
        values = meanings(bench.counts("words", 2), size, bench.seed)
        for place in range(values.shape[1]):
            frame.add(f"direction {place}", values[:, place])
        trees = Trees(rounds=1500, rate=0.04, leaves=16, columns=0.3, ridge=3.0)
        return boost(bench.problem, bench.folds, frame, trees, bench.seed, bench.threads)

    return Step(f"boosted trees of {size} directions of words", work, after=bench.columns)
