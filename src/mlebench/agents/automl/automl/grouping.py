"""Which rows to learn from belong together, where those to predict belong to others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .problem import Problem

Codes = NDArray[np.int64]
Groups = tuple[str, Codes]
REPEATED = 1.5
SHARED = 0.02
MOST_COMPARED, FEWEST_DIFFERENT = 200_000, 20
FEWEST_GROUPS, MOST_IN_ONE, MOST_MISSING = 10, 0.5, 0.1


def groups_kept_apart(problem: Problem) -> Groups | None:
    """The largest groups that rows to learn from share, but none of the rows to predict has.

    They are told by what names them, and as codes of rows to learn from.
    """
    return _largest(_all_kept_apart(problem))


def linked_groups(problem: Problem) -> Groups | None:
    """The same, with groups of several columns joined that have a row in common.

    Where nearly all rows would be in one group then, only the largest are kept apart.
    """
    found = _all_kept_apart(problem)
    largest = _largest(found)
    if largest is None or len(found) == 1:
        return largest
    names = " and ".join(name for name, _ in found)
    codes = _linked([codes for _, codes in found])
    sizes = np.bincount(codes)
    if len(sizes) == len(np.unique(largest[1])):  # the others are the same, or divide them
        return largest
    if len(sizes) >= FEWEST_GROUPS and sizes.max() <= MOST_IN_ONE * len(codes):
        return names, codes
    return f"{names}, of which only {largest[0]} can be kept apart", largest[1]


def _largest(found: list[Groups]) -> Groups | None:
    return min(found, key=lambda groups: len(np.unique(groups[1])), default=None)


def _linked(several: list[Codes]) -> Codes:
    """One code for all rows that are linked by codes, directly or by way of others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, ends, begin = len(several[0]), [], len(several[0])
    for codes in several:  # each value is a thing beside the rows, linked to all that have it
        ends.append(begin + codes)
        begin += int(codes.max()) + 1
    links = np.tile(np.arange(rows), len(several)), np.concatenate(ends)
    graph = coo_array((np.ones(len(links[0]), dtype=np.int8), links), shape=(begin, begin))
    linked: Codes = connected_components(graph, directed=False)[1][:rows].astype(np.int64)
    return np.asarray(np.unique(linked, return_inverse=True)[1], dtype=np.int64)


def _all_kept_apart(problem: Problem) -> list[Groups]:
    found = []
    for name, known, asked in _candidates(problem):
        if known.isna().mean() > MOST_MISSING:
            continue
        codes, values = pd.factorize(known)
        is_missing = codes < 0  # each such row is a group of its own
        codes[is_missing] = len(values) + np.arange(is_missing.sum())
        size = len(known) / max(len(values), 1)
        asked_size = len(asked) / max(asked.nunique(), 1)
        if size < REPEATED or asked_size < REPEATED or len(values) < FEWEST_GROUPS:
            continue
        if asked.isin(values).mean() <= SHARED:
            found.append((name, codes.astype(np.int64)))
    return found


def _candidates(problem: Problem) -> Iterator[tuple[str, pd.Series, pd.Series]]:
    """What could tell groups, of both tables: names and numbers, and parts of composite names."""
    from .features.columns import parts_of

    is_small = len(problem.train) + len(problem.test) <= MOST_COMPARED
    for name in problem.train.columns:
        known, asked = problem.train[name], problem.test[name]
        told = known.dropna()
        if told.dtype.kind in "iuf":
            yield str(name), known, asked
        elif told.map(_is_name).all():
            yield str(name), known, asked
            parts = parts_of(known) if is_small else None
            others = None if parts is None else parts_of(asked)
            if parts is not None and others is not None:
                for place in parts.columns.intersection(others.columns):
                    yield f"{name} part {place}", parts[place], others[place]


def _is_name(value: object) -> bool:
    return isinstance(value, str | int | np.integer)


def repeated_rows(problem: Problem) -> NDArray[np.int64] | None:
    """Which rows say the same but for their names, where rows to predict say something else."""
    train, test = problem.train, problem.test
    if len(train) > MOST_COMPARED:
        return None
    known, asked = np.zeros(len(train), np.uint64), np.zeros(len(test), np.uint64)
    for name in train.columns:
        said, also = train[name], test[name]
        are_numbers = {said.dtype.kind, also.dtype.kind} <= set("iufb")
        if said.dtype.kind != "f" and said.astype(str).is_unique:  # it names rows
            continue
        said, also = (one.astype(float if are_numbers else str) for one in (said, also))
        known, asked = _summed(known, said), _summed(asked, also)
    codes, different = pd.factorize(known)
    if not FEWEST_DIFFERENT <= len(different) <= (1 - SHARED) * len(train):
        return None
    if np.isin(asked, different).mean() > SHARED:
        return None
    return np.asarray(codes, dtype=np.int64)


def _summed(sums: NDArray[np.uint64], column: pd.Series) -> NDArray[np.uint64]:
    """A number for each row, which is another one where another thing is said."""
    said = pd.util.hash_pandas_object(column, index=False).to_numpy()
    return np.asarray(sums * np.uint64(31) + said, dtype=np.uint64)
