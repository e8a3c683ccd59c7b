"""What looks as if it were known only afterwards: features that tell too much by themselves.

A person who took part in a contest would use them, and would say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .features.frame import Frame
from .folds import Folds, times_of_later
from .pace import seconds_left
from .problem import Array, Problem

MOST_ROWS, MOST_MARKS = 20_000, 10
PARTS = 3
LEAVES, FEWEST_IN_LEAF = 32, 5
NEARLY_ALL = 0.97
LEAST_SHARE = 0.005
FEWEST_MARKED, ALL_ALIKE, UNLIKELY = 15, 0.995, 1e-9
MOST_VALUES = 20
FEWEST_ROWS = 40

Values = NDArray[np.float32]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Leak:
    """A feature that tells too much.

    Attributes:
        feature: Which one.
        what: What it tells, for people.
        share: Of the rows to learn from, how many it tells this of.
    """

    feature: str
    what: str
    share: float

    def told(self) -> dict[str, Any]:
        """The same for the journal."""
        return {"feature": self.feature, "what": self.what, "share": round(self.share, 4)}


@dataclass(frozen=True)
class _Rows:
    """The rows that are looked at.

    Attributes:
        part_of: Of each of them the part with which it is tried.
        groups: What group each is of; what one has in common is no news of another one.
    """

    part_of: Index
    groups: Index


def suspected(problem: Problem, folds: Folds, frame: Frame, seed: int) -> list[Leak]:
    """Features that tell nearly all of the target, or all of it for some of the rows.

    What is held out together is never both learned from and tried on: the name of a group tells
    nothing of rows that are of another one.

    Args:
        problem: Says what is to be predicted.
        folds: The parts that are held out.
        frame: What is known of rows.
        seed: Decides which rows are looked at if there are many.
    """
    rows = len(problem.target)
    if rows < FEWEST_ROWS:
        return []
    some = np.random.default_rng(seed).permutation(rows)[:MOST_ROWS]
    groups = np.arange(rows) if folds.groups is None else folds.groups
    looked_at = _Rows(folds.drawn_parts(some, PARTS, seed), groups[some])
    found = []
    marks = replace(problem, target=problem.target[some]).table
    times = times_of_later(problem)  # of what only grows, dates between others tell everything
    for name, column in zip(frame.names, frame.columns, strict=True):
        if seconds_left() < 1:
            break
        if times is not None and (name == times[0] or name.startswith(f"{times[0]} ")):
            continue
        values = column[some]
        told = next(_told(problem, looked_at, values, marks), None)
        if told is not None:
            found.append(Leak(name, *told))
    return found


def _told(
    problem: Problem, rows: _Rows, values: Values, columns: Array
) -> Iterator[tuple[str, float]]:
    """What a feature tells too much of, of numbers, marks, or a column for each class."""
    if problem.kind == "numbers":
        for place, name in enumerate(problem.names):
            if _explained(rows, values, columns[:, place]) >= NEARLY_ALL:
                yield f"{name} follows from it", 1.0
        return
    if problem.kind == "classes":
        if problem.columns == 2:
            columns = columns[:, 1:]
        elif _recognised(rows, values, columns.argmax(axis=1)) >= NEARLY_ALL:
            yield "the class follows from it", 1.0
    names = problem.names[-columns.shape[1] :]
    if problem.kind == "classes" and problem.columns > 2:
        return  # that one of many classes is easily told from the others is usual
    for place, name in list(enumerate(names))[:MOST_MARKS]:
        truth = columns[:, place] > 0.5
        if _recognised(rows, values, truth.astype(np.int64)) >= NEARLY_ALL:
            yield f"{name} follows from it", 1.0
        for marked, said in _markers(values):
            share, independent = float(marked.mean()), len(np.unique(rows.groups[marked]))
            usual = float(truth.mean())
            ways = ((True, usual, "always"), (False, 1 - usual, "never"))
            for wanted, chance, what in ways:
                alike = float((truth[marked] == wanted).mean())
                if alike >= ALL_ALIKE and independent * np.log(chance) < np.log(UNLIKELY):
                    yield f"where {said}, {name} holds {what}", share


def _markers(values: Values) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """Rows that stand out by one value, or by having or not having any."""
    fewest = max(FEWEST_MARKED, LEAST_SHARE * len(values))
    missing = np.isnan(values)
    if fewest <= missing.sum() <= len(values) - fewest:
        yield missing, "it is missing"
        yield ~missing, "it is there"
    different, counts = np.unique(values[~missing], return_counts=True)
    for place in np.argsort(-counts)[:MOST_VALUES]:
        if counts[place] < fewest:
            return
        marked = values == different[place]
        yield marked, f"it is {different[place]:g}"
        if len(values) - counts[place] >= fewest:
            yield ~marked, f"it is not {different[place]:g}"


def _parts(rows: _Rows, values: Values) -> Iterator[tuple[Index, Index, Values]]:
    """Rows to learn from and to try on, with the values of all as a tree takes them."""
    column = np.where(np.isnan(values), np.nanmin(values) - 1, values)[:, None]
    for part in np.unique(rows.part_of):
        yield np.flatnonzero(rows.part_of != part), np.flatnonzero(rows.part_of == part), column


def _explained(rows: _Rows, values: Values, target: Array) -> float:
    """How much of a number a small tree explains, from 0 to 1."""
    from sklearn.tree import DecisionTreeRegressor

    error, usual = 0.0, 0.0
    for known, asked, column in _parts(rows, values):
        tree = DecisionTreeRegressor(
            max_leaf_nodes=LEAVES, min_samples_leaf=FEWEST_IN_LEAF, random_state=0
        )
        guess = tree.fit(column[known], target[known]).predict(column[asked])
        error += float(((target[asked] - guess) ** 2).sum())
        usual += float(((target[asked] - target[known].mean()) ** 2).sum())
    return 1 - error / usual if usual else 0.0


def _recognised(rows: _Rows, values: Values, codes: Index) -> float:
    """How many of the rows that are not of the commonest class a small tree gets right."""
    from sklearn.tree import DecisionTreeClassifier

    wrong, usual = 0, 0
    for known, asked, column in _parts(rows, values):
        tree = DecisionTreeClassifier(
            max_leaf_nodes=LEAVES, min_samples_leaf=FEWEST_IN_LEAF, random_state=0
        )
        guess = tree.fit(column[known], codes[known]).predict(column[asked])
        wrong += int((codes[asked] != guess).sum())
        usual += int((codes[asked] != np.bincount(codes[known]).argmax()).sum())
    return 1 - wrong / usual if usual else 0.0
