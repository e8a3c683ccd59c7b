"""What is tried with the pixels of pictures that belong to rows, where torch is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..features.columns import columns_of
from ..features.locating import Kind
from ..features.pictures import (
    columns_of_squares,
    pictures_among,
    squares_in_columns,
    squares_of,
)
from ..features.unread import Unread
from ..pace import at_most
from ..problem import Prediction
from .bench import Bench
from .step import Notes, Step, told_of

LIBRARY = "torch"
PICTURED, SQUARES, LARGER, SHRUNK = (
    "where pictures are", "pictures", "larger pictures", "pictures are shrunk",
)  # fmt: skip
SIDES, LARGER_SIDES = (16, 24, 32, 48, 64), (96,)
LEAST_MEMORY, LEAST_SECONDS = 3 * 1024**3 // 2, 20.0
SHARE_OF_MEMORY = 1 / 16  # each network has them all to itself
SHARE_OF_SECONDS, SHARE_OF_NETWORK = 0.15, 0.5


def keep_pictures(bench: Bench, kinds: Sequence[Kind]) -> None:
    """Keep which files are the pictures of rows, or which columns hold them, if any do."""
    problem = bench.problem
    told = pictures_among(kinds) or columns_of_squares(columns_of(problem.train, problem.test))
    if told:
        bench.store.save(PICTURED, told)


def steps_of_pictures(bench: Bench) -> Iterator[Step]:
    """Small networks first; then others, and larger pictures if something was lost in small ones.

    Nothing where rows have no pictures, as far as is known by now.
    """
    if not bench.store.has(PICTURED):
        return
    if not is_installed():
        yield Step(f"look for {LIBRARY}", _missing, is_model=False)
        return
    if bench.memory < LEAST_MEMORY or bench.seconds < LEAST_SECONDS:
        return
    yield _squares(bench, SQUARES, SIDES)
    yield _network(bench, "convolutions", SQUARES, seed=0)
    if bench.store.has(SHRUNK):
        yield _squares(bench, LARGER, LARGER_SIDES)
        yield _network(bench, "convolutions", LARGER, seed=1)
    yield _network(bench, "other convolutions", SQUARES, seed=2)
    yield _network(bench, "wide convolutions", SQUARES, seed=3, widths=(48, 32, 16))


def is_installed() -> bool:
    """Whether networks can be made; the library itself is only imported by steps."""
    return find_spec(LIBRARY) is not None


def _missing() -> Notes:
    found = {"library": LIBRARY, "unlocks": "networks that look at the pictures of rows"}
    return Notes("missing-library", (found,))


def _squares(bench: Bench, name: str, sides: Sequence[int]) -> Step:
    """Read the pictures of rows, and keep them as small squares if that can be done."""

    def work() -> Notes | None:
        problem, told, unread = bench.problem, bench.store.load(PICTURED), Unread()
        size = int(SHARE_OF_MEMORY * bench.memory)
        if isinstance(told, list):
            columns = columns_of(problem.train, problem.test)
            channels = [column for column in columns if column.name in told]
            squares = squares_in_columns(channels, sides, size)
        elif problem.data is None:
            return None
        else:
            seconds = at_most(SHARE_OF_SECONDS * bench.seconds)
            squares = squares_of(problem.data, told, sides, size, seconds, bench.seed, unread)
        if squares is not None:
            if squares.is_shrunk:
                bench.store.save(SHRUNK, True)
            bench.store.save(name, squares)
        return told_of(unread)

    return Step(name, work, share=SHARE_OF_SECONDS + 0.1, is_model=False)


def _network(bench: Bench, name: str, squares: str, *, seed: int, **given: Any) -> Step:
    def work() -> Prediction:
        from ..learners.convolutions import Convolutions, convolve

        pictures = bench.store.load(squares)
        folds = bench.all_folds.among(np.flatnonzero(pictures.is_known[: bench.rows]))
        convolutions = Convolutions(seed=bench.seed + seed, threads=bench.threads, **given)
        return convolve(bench.problem, folds, pictures, convolutions)

    return Step(f"{name} of {squares}", work, after=squares, share=SHARE_OF_NETWORK)
