"""What is tried: cheap things first, then the same in other ways as long as there is time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .features.columns import columns_of
from .features.files import frame_of_problem
from .features.frame import Frame, dense, frame_of
from .features.pairs import add_pairs
from .features.texts import Unit, counted, meanings, text_of_rows
from .folds import Folds
from .learners.boosting import Trees, boost
from .learners.classical import (
    Make,
    discriminant,
    fitted_by,
    gaussian_process,
    kernel,
    linear,
    neighbours,
    network,
    random_trees,
)
from .learners.encoding import Encoder, NeighbourTargets
from .learners.holding_out import hold_out
from .learners.seasons import YEAR, seasonal
from .learners.texts import bayes, sparse_linear, weighted_by_bayes
from .problem import Prediction, Problem
from .store import Store

Work = Callable[[], Prediction | None]

FILES = "features of files"
FIRST = 2
SHARE_OF_FILES, SHARE_OF_FILES_ALONE = 0.4, 0.5
FEW_ROWS, SOME_ROWS, MANY_ROWS = 1200, 20_000, 100_000
MANY_CLASSES = 20
MOST_REPEATS = 60
BAYES: tuple[tuple[str, Unit, int, float], ...] = (
    ("multinomial", "words", 1, 0.5),
    ("multinomial", "words", 2, 0.1),
    ("multinomial", "signs", 5, 0.05),
    ("complement", "words", 2, 0.5),
    ("bernoulli", "words", 1, 0.1),
    ("bernoulli", "words", 2, 0.05),
    ("multinomial", "stems", 2, 0.1),
    ("multinomial", "signs", 3, 0.1),
)
SHARE_OF_TIMES = 0.9
FEWEST_ALIKE, MOST_ALIKE, MOST_GROUPS = 4, 2000, 3


@dataclass(frozen=True)
class Step:
    """Something to be tried.

    Attributes:
        name: What it is called.
        work: Does it, in a process of its own; steps that only prepare others predict nothing.
        after: The step that has to have ended before, and left something of its name.
        share: Of the whole time, what it may take.
    """

    name: str
    work: Work
    after: str | None = None
    share: float = 0.35


@dataclass(frozen=True)
class Bench:
    """What all steps work with.

    Attributes:
        problem: What is asked for.
        folds: The parts that are held out.
        store: Where features are kept.
        seed: Decides what is decided by lot.
        threads: How many each step may use.
        seconds: How long the whole run takes.
        has_files: Whether the features of files are among those of rows.
    """

    problem: Problem
    folds: Folds
    store: Store
    seed: int
    threads: int
    seconds: float = 600.0
    has_files: bool = False

    @property
    def rows(self) -> int:
        """How many rows are learned from."""
        return len(self.problem.target)

    def frame(self) -> Frame:
        """The features of columns, joined by those of files once these are there."""
        if self.has_files:
            return self.store.get("frame with files", self._joined)
        return self.store.get("frame", self._frame)

    def _joined(self) -> Frame:
        joined, files = self.store.get("frame", self._frame).copy(), self.store.load(FILES)
        for name, values in zip(files.names, files.columns, strict=True):
            joined.add(name, values)
        return joined

    def _frame(self) -> Frame:
        problem = self.problem
        frame = frame_of(problem.train, problem.test, names_of_rows(problem))
        for name, values in self.meanings_of_texts(24).items():
            for place in range(values.shape[1]):
                frame.add(f"{name} meaning {place}", values[:, place])
        add_pairs(frame, self.texts(), self.seed)
        return frame

    def encoders(self) -> tuple[Encoder, ...]:
        """What is told by the target of rows with the same code and a text that is alike."""
        texts, repeated = self.texts(), self.frame().repeated
        groups = [
            codes
            for name, codes in repeated.items()
            if FEWEST_ALIKE <= np.bincount(codes[codes >= 0]).mean() <= MOST_ALIKE
        ]
        if not texts or not groups or self.rows > MANY_ROWS or self.problem.columns > 2:
            return ()
        vectors = self.counts("signs", 4)
        return (NeighbourTargets(np.column_stack(groups[:MOST_GROUPS]), vectors),)

    def texts(self) -> dict[str, list[str]]:
        """The texts of all rows by column."""
        problem = self.problem
        return self.store.get("texts", lambda: text_of_rows(problem.train, problem.test))

    def joined_texts(self) -> list[str]:
        """All texts of a row, one after the other."""
        return [" \n ".join(parts) for parts in zip(*self.texts().values(), strict=True)]

    def counts(self, unit: Unit, longest: int, *, fewest: int = 2, is_weighted: bool = True) -> Any:
        """How often words or groups of signs are in the texts of rows."""
        name = f"{unit} {longest} {fewest} {is_weighted}"
        return self.store.get(
            name,
            lambda: counted(
                self.joined_texts(), unit, longest, fewest=fewest, is_weighted=is_weighted
            ),
        )

    def meanings_of_texts(self, size: int) -> dict[str, np.ndarray]:
        """The main directions of the words of each column of texts."""
        return {
            name: meanings(counted(texts, "words", 2, fewest=2, is_weighted=True), size, self.seed)
            for name, texts in self.texts().items()
        }


def names_of_rows(problem: Problem) -> frozenset[str]:
    """Columns of numbers that are another one in each row, in order: they only name rows."""
    names = set()
    for column in columns_of(problem.train, problem.test):
        # Compared first, since lists cannot be counted.
        if tuple(column.train.astype(str)) == problem.train_ids and column.both.is_unique:
            names.add(column.name)
    return frozenset(names)


def steps(bench: Bench) -> Iterator[Step]:
    """Everything that is worth trying with these rows, in order.

    What needs only tables comes first, until it is known what the files of rows tell.
    """
    if bench.problem.data is None:
        yield from _steps(bench)
        return
    is_begun = False
    # Rows of which tables tell nothing are known by their files only.
    for number, step in enumerate(_steps(bench) if _has_columns(bench) else ()):
        if number == FIRST:
            yield _files(bench)
            is_begun = True
        if bench.store.has(FILES):
            break
        yield step
    if not is_begun:
        yield _files(bench)
    with_files = replace(bench, has_files=True)
    # One step is asked for before the others can be told: which ones depends on the features.
    first = _linear(with_files, 0.1)
    yield _after_files(first)
    if bench.store.has(FILES):
        others = (step for step in _steps(with_files) if step.name != first.name)
        yield from map(_after_files, others)


def _after_files(step: Step) -> Step:
    return replace(step, name=f"{step.name} with files", after=FILES)


def _has_columns(bench: Bench) -> bool:
    return bool(bench.frame().names or bench.texts())


def _files(bench: Bench) -> Step:
    """Look for the files of rows, and keep what they tell."""
    share = SHARE_OF_FILES if _has_columns(bench) else SHARE_OF_FILES_ALONE

    def work() -> None:
        frame = frame_of_problem(bench.problem, share * bench.seconds, bench.seed)
        if frame.names:
            bench.store.save(FILES, frame)

    return Step(FILES, work, share=share + 0.1)


def _steps(bench: Bench) -> Iterator[Step]:
    has_texts = bool(bench.texts())
    rounds = [_tables(bench)]
    if has_texts:
        rounds.insert(0, _texts(bench))
    yield from _in_turn(rounds)
    yield from _again(bench, has_texts=has_texts)


def _in_turn(rounds: list[Iterator[Step]]) -> Iterator[Step]:
    """One step of each kind after the other."""
    while rounds:
        for kind in list(rounds):
            step = next(kind, None)
            if step is None:
                rounds.remove(kind)
            else:
                yield step


def _tables(bench: Bench) -> Iterator[Step]:
    problem, kind = bench.problem, bench.problem.kind
    is_wide = _is_wide(bench)
    many_columns = problem.columns > MANY_CLASSES
    yield from _seasons(bench)
    yield _linear(bench, 0.1)
    if bench.has_files:
        yield from _smooth(bench)
    if kind == "classes" and is_wide:
        for shape in ("plain", "roots", "logs"):
            for shrinkage in (0.02, 0.1, 0.3):
                yield _discriminant(bench, shape, shrinkage)
    if not many_columns or kind == "numbers":
        yield _boost(bench, "boosted trees", Trees(rounds=600, rate=0.08))
    yield _trees(bench, is_extra=True)
    yield _linear(bench, 1.0)
    if not many_columns or kind == "numbers":
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
        yield _dense(bench, "network", network(kind, (128, 64), bench.seed), apart=False)
        yield _dense(bench, "wide network", network(kind, (256,), bench.seed + 1), apart=False)
    yield _linear(bench, 10.0)
    if many_columns and kind != "numbers" and problem.columns <= 150:
        yield _boost(bench, "few trees", Trees(rounds=80, rate=0.15, leaves=8, columns=0.3))


def _seasons(bench: Bench) -> Iterator[Step]:
    times = bench.folds.times
    if times is None or bench.problem.kind != "numbers":
        return
    known = times[: bench.rows]
    if len(np.unique(times)) < SHARE_OF_TIMES * len(times):
        return  # many rows have the same time: it is not one series
    for degree, waves, years in (
        (1, 4, 3.0),
        (2, 4, 10.0),
        (1, 3, 1.0),
        (2, 3, 50.0),
        (3, 6, 20.0),
    ):
        if waves and float(np.ptp(known)) < 2 * YEAR:
            continue

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
    if kind == "numbers" and bench.rows <= 6000:
        if bench.has_files:
            smoother = gaussian_process("rbf", 0.1)
            yield _dense(bench, "smooth kernel ridge", smoother, apart=False)
        yield _dense(bench, "kernel ridge", gaussian_process(), apart=False)
    if bench.rows <= SOME_ROWS:
        strength = 3.0 if bench.rows <= FEW_ROWS * 3 else 1.0
        if bench.has_files:
            wide = kernel(kind, strength, 0.3)
            yield _dense(bench, "smooth kernel machine", wide, apart=True)
        yield _dense(bench, "kernel machine", kernel(kind, strength), apart=True)
        yield _neighbours(bench, 10)


def _is_wide(bench: Bench) -> bool:
    return bench.rows <= 5 * FEW_ROWS and len(bench.frame().names) >= 8


def _split(bench: Bench, values: Any) -> tuple[Any, Any]:
    return values[: bench.rows], values[bench.rows :]


def _boost(bench: Bench, name: str, trees: Trees, seed: int = 0) -> Step:
    def work() -> Prediction:
        return boost(
            bench.problem, bench.folds, bench.frame(), trees, bench.seed + seed, bench.threads,
            bench.encoders() if trees.has_means else (),
        )  # fmt: skip

    return Step(name, work)


def _dense(bench: Bench, name: str, make: Make, *, apart: bool, is_linear: bool = True) -> Step:
    def work() -> Prediction:
        values = bench.store.get(
            f"dense {is_linear} {bench.has_files}",
            lambda: dense(bench.frame(), is_linear=is_linear),
        )
        fit = fitted_by(bench.problem, make, is_per_column=apart)
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(name, work)


def _linear(bench: Bench, strength: float) -> Step:
    make = linear(bench.problem.kind, strength)
    return _dense(bench, f"linear {strength:g}", make, apart=False)


def _neighbours(bench: Bench, count: int) -> Step:
    make = neighbours(bench.problem.kind, count)
    return _dense(bench, f"{count} neighbours", make, apart=False)


def _trees(bench: Bench, *, is_extra: bool) -> Step:
    count = 400 if bench.rows <= SOME_ROWS else 100
    kind, seed = bench.problem.kind, bench.seed
    make = random_trees(kind, count, seed, bench.threads, is_extra=is_extra)
    name = "extra trees" if is_extra else "random forest"

    def work() -> Prediction:
        values = np.nan_to_num(bench.frame().matrix, nan=-999.0)
        fit = fitted_by(bench.problem, make)
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(name, work)


def _discriminant(bench: Bench, shape: str, shrinkage: float) -> Step:
    def work() -> Prediction:
        values = np.nan_to_num(bench.frame().matrix)
        if shape != "plain":
            size = np.abs(values) / (np.abs(values).std(axis=0) + 1e-9)
            values = np.sign(values) * (np.sqrt(size) if shape == "roots" else np.log1p(10 * size))
        values = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-9)
        fit = fitted_by(bench.problem, discriminant(shrinkage))
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(f"discriminant of {shape}, shrunk by {shrinkage:g}", work)


def _texts(bench: Bench) -> Iterator[Step]:
    kind = bench.problem.kind
    is_number = kind == "numbers"
    yield _sparse(bench, "words", 2, 4.0)
    yield _sparse(bench, "signs", 4, 4.0)
    if not is_number:
        yield _weighted(bench, "words", 2, 1.0)
        yield _weighted(bench, "signs", 5, 1.0)
        for variant, unit, longest, smoothing in BAYES:
            yield _bayes(bench, variant, unit, longest, smoothing)
    yield _sparse(bench, "words", 1, 1.0)
    yield _sparse(bench, "stems", 3, 4.0)
    yield _sparse(bench, "signs", 6, 8.0)
    yield _directions(bench, 150)


def _sparse(bench: Bench, unit: Unit, longest: int, strength: float) -> Step:
    def work() -> Prediction:
        values = bench.counts(unit, longest)
        fit = fitted_by(bench.problem, sparse_linear(bench.problem.kind, strength))
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(f"linear {strength:g} of {unit} up to {longest}", work)


def _weighted(bench: Bench, unit: Unit, longest: int, strength: float) -> Step:
    def work() -> Prediction:
        values = bench.counts(unit, longest)
        fit = weighted_by_bayes(bench.problem, strength)
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(f"Bayes-weighted linear of {unit} up to {longest}", work)


def _bayes(bench: Bench, variant: str, unit: Unit, longest: int, smoothing: float) -> Step:
    def work() -> Prediction:
        values = bench.counts(unit, longest, fewest=1 if longest < 3 else 2, is_weighted=False)
        fit = fitted_by(bench.problem, bayes(variant, smoothing))
        return hold_out(bench.problem, bench.folds, *_split(bench, values), fit)

    return Step(f"{variant} Bayes {smoothing:g} of {unit} up to {longest}", work)


def _directions(bench: Bench, size: int) -> Step:
    """Boosted trees of many directions of words and signs beside all columns."""

    def work() -> Prediction:
        frame = bench.frame().copy()
        values = meanings(bench.counts("words", 2), size, bench.seed)
        for place in range(values.shape[1]):
            frame.add(f"direction {place}", values[:, place])
        trees = Trees(rounds=1500, rate=0.04, leaves=16, columns=0.3, ridge=3.0)
        return boost(bench.problem, bench.folds, frame, trees, bench.seed, bench.threads)

    return Step(f"boosted trees of {size} directions of words", work)


def _again(bench: Bench, *, has_texts: bool) -> Iterator[Step]:
    """Boosted trees grown in ways drawn by lot, for as long as there is time."""
    rng = np.random.default_rng(bench.seed + 7)
    problem = bench.problem
    if problem.columns > MANY_CLASSES and problem.kind != "numbers":
        return
    for number in range(1, MOST_REPEATS + 1):
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
