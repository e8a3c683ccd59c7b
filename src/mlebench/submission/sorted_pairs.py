"""Pairing two sorted lists of fingerprints: what is missing, unknown or repeated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mlebench.side_by_side import side_by_side
from mlebench.submission.words import Words

Rows = npt.NDArray[np.int64]
Sorted = tuple[Rows, Words]
"""Rows in the order of their fingerprints, and these."""

# With more rows than these bits can number, too little of a fingerprint would be left.
ROW_BITS = 21

MANY_ROWS = 50_000
"""From how many rows on it pays to do both sides at a time."""


class Pairs(NamedTuple):
    """Which rows of the submission and of the answers have the same key.

    Repeated keys are paired in order of appearance, as far as both sides repeat them. The
    rows themselves come in no particular order.
    """

    given: Rows
    wanted: Rows
    unknown: Rows
    """Submitted rows whose key no answer has."""
    repeated: Rows
    """Submitted rows whose key has been given often enough before."""
    twins: Rows
    """For each repeated row an answer with its key."""
    missing: Rows
    """Answers that no submitted row belongs to."""


def pair_sorted(given: Sorted, wanted: Sorted) -> Pairs:
    """Pair equal fingerprints; all that is needed is two sorted lists."""
    (given_rows, mine), (wanted_rows, theirs) = given, wanted
    if np.array_equal(mine, theirs):
        nothing = np.zeros(0, np.int64)
        return Pairs(given_rows, wanted_rows, nothing, nothing, nothing, nothing)
    asked, known = (side.take(places) for side, places in _common_runs(mine, theirs))
    pairable = np.minimum(asked.lengths, known.lengths)
    too_many = asked.lengths - pairable
    paired = _places(asked.starts, pairable)
    repeated = _places(asked.starts + pairable, too_many)
    answered = _places(known.starts, pairable)
    is_unknown = np.ones(len(mine), bool)
    is_unknown[paired] = is_unknown[repeated] = False
    is_missing = np.ones(len(theirs), bool)
    is_missing[answered] = False
    return Pairs(
        given_rows[paired],
        wanted_rows[answered],
        unknown=given_rows[is_unknown],
        repeated=given_rows[repeated],
        twins=wanted_rows[np.repeat(known.starts, too_many)],
        missing=wanted_rows[is_missing],
    )


class _Runs(NamedTuple):
    """Where the runs of equal values begin in a sorted list, and how long they are."""

    starts: Rows
    lengths: Rows

    @classmethod
    def of(cls, ordered: Words) -> _Runs:
        is_first = np.ones(len(ordered), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(is_first)
        lengths = np.empty_like(starts)
        lengths[:-1] = starts[1:] - starts[:-1]
        lengths[-1:] = len(ordered) - starts[-1:]
        return cls(starts, lengths)

    def take(self, which: Rows) -> _Runs:
        return _Runs(self.starts[which], self.lengths[which])


def _common_runs(mine: Words, theirs: Words) -> tuple[tuple[_Runs, Rows], tuple[_Runs, Rows]]:
    """The runs of two sorted lists, and which of each have a value that the other has too."""
    my_runs, their_runs = side_by_side(
        lambda: _Runs.of(mine), lambda: _Runs.of(theirs), pays=len(mine) > MANY_ROWS
    )
    values = np.concatenate([theirs[their_runs.starts], mine[my_runs.starts]])
    order = values.argsort(kind="stable")  # merges what is sorted already, in linear time
    merged = values[order]
    twice = np.flatnonzero(merged[1:] == merged[:-1])
    return (my_runs, order[twice + 1] - len(their_runs.starts)), (their_runs, order[twice])


def _places(starts: Rows, lengths: Rows) -> Rows:
    """All places of some stretches of a list, one stretch after the other."""
    if lengths.max(initial=0) <= 1:
        return starts[lengths > 0]
    ends = np.cumsum(lengths)
    places: Rows = np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths)
    return places


def sort_fingerprints(fingerprints: Words) -> Sorted:
    """The rows in the order of their fingerprints, and these; equal ones as they appear.

    Sorting the high bits of the fingerprint with the row number below them is several
    times faster than asking for the order; the rare rows whose high bits agree while the
    rest does not are left to the slow way.
    """
    bits = max(len(fingerprints) - 1, 1).bit_length()
    if bits <= ROW_BITS:
        below = np.uint64((1 << bits) - 1)
        packed = fingerprints & ~below
        packed |= np.arange(len(fingerprints), dtype=np.uint64)
        packed.sort()
        rows = (packed & below).astype(np.int64)
        ordered = fingerprints[rows]
        if (ordered[1:] >= ordered[:-1]).all():
            return rows, ordered
    rows = np.argsort(fingerprints, kind="stable")
    return rows, fingerprints[rows]
