"""Which rows are held out together: as the rows to predict differ from those to learn from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .grouping import linked_groups, repeated_rows
from .problem import Array, Problem

Index = NDArray[np.int64]
MANY_ROWS, FEW_ROWS = 50_000, 3_000
JUDGED_ROWS, JUDGED_SHARE, JUDGED_PARTS = 30_000, 0.25, 4  # of many rows
LATER_SHARE = 0.98
LOOKED_AT, LATE_AMONG_SOME = 4000, 0.75  # not the median, which is a bit lower in some than in all
LATER_HALF, MOST_STRETCHES = 0.6, 5
LATE_PARTS = 2  # of many rows


@dataclass(frozen=True)
class Folds:
    """Rows in parts, each of which is held out in turn, or all of them at once.

    Attributes:
        parts: The rows of each part. Those in none of them are only ever learned from.
        reason: Why they are cut so.
        is_in_time: Whether a part is predicted from what was before it.
        is_at_once: Whether one model that has seen none of the parts predicts them all.
        times: The days of all rows, if they are in time.
        groups: What group each row is of, if those of one are held out together.
        known: The rows that may be learned from; all if it is None.
    """

    parts: tuple[Index, ...]
    reason: str
    is_in_time: bool = False
    is_at_once: bool = False
    times: Array | None = None
    groups: Index | None = None
    known: Index | None = None

    @property
    def seen(self) -> Index:
        """The rows that are held out at some time."""
        return np.concatenate(self.parts)

    @property
    def models(self) -> int:
        """How many models are made to predict all rows that are to be predicted."""
        return (1 if self.is_at_once else len(self.parts)) + self.is_in_time

    def among(self, rows: Index) -> Folds:
        """The same with nothing but some of the rows."""
        parts = (np.intersect1d(part, rows) for part in self.parts)
        known = rows if self.known is None else np.intersect1d(self.known, rows)
        return replace(self, parts=tuple(part for part in parts if len(part)), known=known)

    def joined(self, most: int) -> Folds:
        """The same in fewer parts, for models that take long; stretches of time stay as they are.

        What is held out together stays together.
        """
        if self.is_in_time or self.is_at_once or len(self.parts) <= most:
            return self
        parts = (np.sort(np.concatenate(self.parts[place::most])) for place in range(most))
        return replace(self, parts=tuple(parts))

    def learned_from(self, place: int, rows: int) -> Index:
        """The rows that a part is predicted from."""
        held_out = self.parts[place]
        if self.is_at_once:
            held_out = self.seen
        elif self.is_in_time:
            held_out = np.concatenate(self.parts[place:])
        return np.setdiff1d(self.all_learned_from(rows), held_out)

    def all_learned_from(self, rows: int) -> Index:
        """The rows that those to predict are predicted from."""
        return np.arange(rows) if self.known is None else self.known

    def drawn_parts(self, rows: Index, count: int, seed: int) -> Index:
        """The part of each of some rows by lot, whole groups if these are held out together.

        Also where rows are in time: forests whose size was found on the latest rows alone were not
        better of many series, and worse of a single one.
        """
        if self.groups is not None:
            groups, codes = np.unique(self.groups[rows], return_inverse=True)
            if len(groups) > 1:
                return _parts_of_groups(codes, min(count, len(groups)), seed)
        return np.random.default_rng(seed).permutation(len(rows)) % count


def make_folds(problem: Problem, seed: int) -> Folds:
    """Cut the rows to learn from into parts that are like the rows to predict.

    Of many rows only some are held out, all of them at once: more would tell little more, and
    each part takes a model of its own.
    """
    rows = len(problem.target)
    if rows <= MANY_ROWS:
        return _cut(problem, max(2, min(10 if rows < FEW_ROWS else 5, rows // 2)), seed)
    share = min(JUDGED_SHARE, JUDGED_ROWS / rows)
    folds = _cut(problem, round(JUDGED_PARTS / share), seed)
    if folds.is_in_time:
        return replace(folds, parts=folds.parts[-LATE_PARTS:])
    drawn = np.random.default_rng(seed).permutation(len(folds.parts))[:JUDGED_PARTS]
    parts: tuple[Index, ...] = ()
    for place in drawn:  # of a few large groups, fewer
        if not parts or sum(map(len, parts)) + len(folds.parts[place]) <= JUDGED_SHARE * rows:
            parts = (*parts, folds.parts[place])
    if len(parts) == 1:  # what is chosen is judged on rows it was not chosen on
        parts = tuple(np.array_split(parts[0], 2))
    return replace(folds, parts=parts, is_at_once=True)


def _cut(problem: Problem, count: int, seed: int) -> Folds:
    rows = len(problem.target)
    if (times := times_of_later(problem)) is not None:
        name, known, asked = times
        parts = _stretches(known, float(np.nanmax(asked) - np.nanmax(known)))
        reason = f"rows to predict come later, by {name}"
        is_at_once = len(parts) == 1  # halves would be predicted less far than is asked for
        if is_at_once:
            parts = _latest_halves(known, len(parts[0]))
        times_of_all = np.append(known, asked)
        return Folds(parts, reason, is_in_time=True, is_at_once=is_at_once, times=times_of_all)
    if (groups := linked_groups(problem)) is not None:
        reason = f"rows to predict have other values of {groups[0]}"
        return Folds(_by_group(groups[1], count, seed), reason, groups=groups[1])
    if (alike := repeated_rows(problem)) is not None:
        reason = "rows that say the same are kept together"
        return Folds(_by_group(alike, count, seed), reason, groups=alike)
    if problem.kind == "classes":
        return Folds(_stratified(problem.codes, count, seed), "at random, classes in proportion")
    if problem.kind == "numbers":
        first = problem.target[:, 0]
        bins = np.asarray(pd.Series(first).rank(method="first") * 10 // (rows + 1), dtype=np.int64)
        return Folds(_stratified(bins, count, seed), "at random, sizes in proportion")
    order = np.random.default_rng(seed).permutation(rows)
    return Folds(tuple(np.sort(part) for part in np.array_split(order, count)), "at random")


def _stratified(codes: NDArray[np.int64], count: int, seed: int) -> tuple[Index, ...]:
    """Parts with about as many of each code as all rows have."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    return tuple(np.sort(order[part::count]) for part in range(count))


def _stretches(times: Array, length: float) -> tuple[Index, ...]:
    """The last stretches of time, as long as that of the rows to predict, oldest first.

    A prediction gets worse the further it reaches, so they are not to be shorter.
    """
    last, span = float(np.nanmax(times)), float(np.nanmax(times) - np.nanmin(times))
    count = max(1, min(MOST_STRETCHES, int(LATER_HALF * span / max(length, 1e-9))))
    length = min(length, LATER_HALF * span)
    ends = [last - place * length for place in range(count, -1, -1)]
    parts = [np.flatnonzero((times > begin) & (times <= end)) for begin, end in pairwise(ends)]
    return tuple(part for part in parts if len(part))


def _latest_halves(times: Array, rows: int) -> tuple[Index, ...]:
    """So many of the latest rows, at least one in each half, the earlier ones first."""
    latest = np.argsort(-times, kind="stable")[: max(2, rows)]
    return tuple(np.sort(half) for half in np.array_split(latest[::-1], 2))


def _by_group(codes: NDArray[np.int64], count: int, seed: int) -> tuple[Index, ...]:
    """Parts of about one size, none of which has a group in common with another one."""
    part_of = _parts_of_groups(codes, count, seed)
    parts = (np.flatnonzero(part_of == part) for part in range(count))
    return tuple(part for part in parts if len(part))


def _parts_of_groups(codes: NDArray[np.int64], count: int, seed: int) -> Index:
    """The part of each row, if each group is put where there are the fewest rows."""
    sizes = np.bincount(codes)
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    part_of, filled = np.empty(len(sizes), dtype=np.int64), np.zeros(count)
    for group in order:
        part_of[group] = int(np.argmin(filled))
        filled[part_of[group]] += sizes[group]
    return part_of[codes]


def times_of_later(problem: Problem) -> tuple[str, Array, Array] | None:
    """The days of both sorts of rows, where those to predict come later."""
    from .features.columns import as_times

    for name in problem.train.columns:
        if _is_not_later(problem.train[name], problem.test[name]):
            continue
        known, asked = as_times(problem.train[name]), as_times(problem.test[name])
        if known is None or asked is None or len(np.unique(known)) < 5:
            continue
        if (
            np.nanmedian(asked) > np.nanmax(known)
            and np.mean(asked >= np.nanquantile(known, LATER_SHARE)) > LATER_SHARE
        ):
            return str(name), known, asked
    return None


def _is_not_later(known: pd.Series, asked: pd.Series) -> bool:
    """Whether some rows show that those to predict do not come later, without reading all."""
    from .features.columns import as_times

    some = [
        as_times(column.sample(min(len(column), LOOKED_AT), random_state=0))
        for column in (known, asked)
    ]
    if some[0] is None or some[1] is None:
        return False
    return bool(pd.Series(some[1]).quantile(LATE_AMONG_SOME) <= pd.Series(some[0]).max())
