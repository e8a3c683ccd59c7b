"""What is tried with the features of rows, whether they come from columns or from files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..features.frame import dense
from ..learners.boosting import MANY_CLASSES, Trees, boost
from ..learners.classical import (
    Make,
    discriminant,
    fitted_by,
    gaussian_process,
    kernel,
    linear,
    neighbours,
    network,
)
from ..learners.forests import Forest, forest_fit
from ..learners.holding_out import Fit, hold_out
from ..learners.seasons import YEAR, seasonal
from ..problem import Prediction
from .bench import MANY_ROWS, Bench
from .step import Step

BOOSTED = "boosted trees"
FEW_ROWS, SOME_ROWS = 1200, 20_000
FEW_FOR_PROCESS = 6000
TOO_MANY_CLASSES = 150
WIDE = 8
SHARE_OF_TIMES = 0.9
SEASONS = ((1, 4, 3.0), (2, 4, 10.0), (1, 3, 1.0), (2, 3, 50.0), (3, 6, 20.0))
SHAPES, SHRINKAGES, STRENGTHS = ("plain", "roots", "logs"), (0.3, 0.1, 0.02), (30.0, 1000.0)


def first_of_tables(bench: Bench) -> Step:
    """The quickest model of features, which the choice of all others waits for."""
    return _linear(bench, 0.1)


def steps_of_tables(bench: Bench) -> Iterator[Step]:
    """All other models of features, in the order of what they usually bring for their time."""
    problem, kind = bench.problem, bench.problem.kind
    is_boosted = problem.columns <= MANY_CLASSES or kind == "numbers"
    if bench.has_files:
        yield from _smooth(bench)
    yield from small_and_wide(bench)
    if is_boosted:
        yield _boost(bench, "boosted trees", Trees(rounds=600, rate=0.08))
    yield _trees(bench, is_extra=True)
    yield _linear(bench, 1.0)
    if is_boosted:
        yield _boost(bench, "slow trees", Trees(rounds=3000, rate=0.02, leaves=24, columns=0.5))
        yield _boost(
            bench, "small trees",
            Trees(rounds=3000, rate=0.03, leaves=8, columns=0.4, ridge=5.0, copies=2),
        )  # fmt: skip
        yield _boost(
            bench, "random cuts",
            Trees(rounds=3000, rate=0.05, leaves=32, is_random=True, columns=0.6, has_means=False),
        )  # fmt: skip
    if not bench.has_files:
        yield from _smooth(bench)
    if bench.rows <= MANY_ROWS:
        yield _trees(bench, is_extra=False)
        yield _dense(bench, "network", network(kind, (128, 64), bench.seed))
        yield _dense(bench, "wide network", network(kind, (256,), bench.seed + 1))
    yield _linear(bench, 10.0)
    if not is_boosted and problem.columns <= TOO_MANY_CLASSES:
        yield _boost(bench, "few trees", Trees(rounds=80, rate=0.15, leaves=8, columns=0.3))


def small_and_wide(bench: Bench) -> Iterator[Step]:
    """Linear models and clouds of one form, of features in several shapes.

    Nothing unless classes are to be told apart by many features of few rows.
    """
    is_wide = bench.rows <= 5 * FEW_ROWS and bench.width >= WIDE
    if bench.problem.kind != "classes" or not is_wide:
        return
    ways = [(f"discriminant shrunk by {one:g}", discriminant(one)) for one in SHRINKAGES]
    ways += [(f"linear {one:g}", linear(bench.problem.kind, one)) for one in STRENGTHS]
    for name, make in ways:
        for shape in SHAPES:
            yield _shaped(bench, name, shape, fitted_by(bench.problem, make))


def drawn_trees(bench: Bench, most: int) -> Iterator[Step]:
    """Boosted trees grown in ways drawn by lot, for as long as there is time."""
    rng = np.random.default_rng(bench.seed + 7)
    if bench.problem.columns > MANY_CLASSES and bench.problem.kind != "numbers":
        return
    for number in range(1, most + 1):
        trees = Trees(
            rounds=4000,
            rate=float(rng.choice([0.01, 0.02, 0.03])),
            leaves=int(rng.choice([6, 12, 24, 48, 96])),
            fewest=int(rng.choice([5, 20, 60])),
            columns=float(rng.choice([0.2, 0.4, 0.7])),
            rows=float(rng.choice([0.5, 0.7, 0.9])),
            ridge=float(rng.choice([0.1, 1.0, 10.0])),
            is_random=bool(rng.random() < 0.3),
        )
        if bench.rows > MANY_ROWS:
            trees = replace(trees, rate=0.05)
        yield _boost(bench, f"drawn trees {number}", trees, seed=number)


def seasons(bench: Bench) -> Iterator[Step]:
    """Trends and waves, where there is one series in time."""
    times = bench.folds.times
    if times is None or bench.problem.kind != "numbers":
        return
    if len(np.unique(times)) < SHARE_OF_TIMES * len(times):
        return  # many rows have the same time: it is not one series
    if float(np.ptp(times[: bench.rows])) < 2 * YEAR:
        return
    for degree, waves, years in SEASONS:

        def work(degree: int = degree, waves: int = waves, years: float = years) -> Prediction:
            return seasonal(
                bench.problem, bench.folds, times, degree=degree, waves=waves, years=years
            )

        yield Step(f"trend of degree {degree}, {waves} waves, half in {years:g} years", work)


def _smooth(bench: Bench) -> Iterator[Step]:
    """Learners whose predictions change slowly from row to row; fast if there are few rows.

    They bear the many columns of files better than trees do.
    """
    kind = bench.problem.kind
    if kind == "numbers" and bench.rows <= FEW_FOR_PROCESS:
        if bench.has_files:
            yield _dense(bench, "smooth kernel ridge", gaussian_process("rbf", 0.1))
        yield _dense(bench, "kernel ridge", gaussian_process())
    if bench.rows <= SOME_ROWS:
        strength = 3.0 if bench.rows <= FEW_ROWS * 3 else 1.0
        if bench.has_files:
            wide = kernel(kind, strength, 0.3)
            yield _dense(bench, "smooth kernel machine", wide, is_per_column=True)
        yield _dense(bench, "kernel machine", kernel(kind, strength), is_per_column=True)
        yield _dense(bench, "10 neighbours", neighbours(kind, 10))


def _boost(bench: Bench, name: str, trees: Trees, seed: int = 0) -> Step:
    def work() -> Prediction:
        return boost(
            bench.problem, bench.folds, bench.frame(), trees, bench.seed + seed, bench.threads,
            bench.encoders() if trees.has_means else (),
        )  # fmt: skip

    return Step(name, work, after=bench.features, family=BOOSTED)


def _dense(bench: Bench, name: str, make: Make, *, is_per_column: bool = False) -> Step:
    def scaled() -> Any:
        return bench.store.get(f"{bench.features} scaled", lambda: dense(bench.frame()))

    fit = fitted_by(bench.problem, make, is_per_column=is_per_column)

    def work() -> Prediction:
        return hold_out(bench.problem, bench.folds, *bench.split(scaled()), fit)

    return Step(name, work, after=bench.features)


def _linear(bench: Bench, strength: float) -> Step:
    return _dense(bench, f"linear {strength:g}", linear(bench.problem.kind, strength))


def _trees(bench: Bench, *, is_extra: bool) -> Step:
    count = 400 if bench.rows <= SOME_ROWS else 100
    forest = Forest(count, is_extra, bench.seed, bench.threads)

    def work() -> Prediction:
        values = np.nan_to_num(bench.frame().matrix, nan=-999.0)
        fit = forest_fit(bench.problem, bench.folds, forest)
        return hold_out(bench.problem, bench.folds, *bench.split(values), fit)

    return Step("extra trees" if is_extra else "random forest", work, after=bench.features)


def _shaped(bench: Bench, name: str, shape: str, fit: Fit) -> Step:
    def work() -> Prediction:
        values = np.nan_to_num(bench.frame().matrix)
        if shape != "plain":
            size = np.abs(values) / (np.abs(values).std(axis=0) + 1e-9)
            values = np.sign(values) * (np.sqrt(size) if shape == "roots" else np.log1p(10 * size))
        values = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-9)
        return hold_out(bench.problem, bench.folds, *bench.split(values), fit)

    return Step(f"{name}, of {shape} features", work, after=bench.features)
