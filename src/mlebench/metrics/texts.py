"""Scores for texts and other sequences."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mlebench.metrics.edits import Pairs
from mlebench.metrics.pairs import aligned, mean, mean_over_cases
from mlebench.metrics.tags import jaccard

if TYPE_CHECKING:
    import pandas as pd

CASES_AT_A_TIME = 50_000
CHARACTERS_AT_A_TIME = 2_000_000
PAIRS_PER_WORD = 16  # of 64 characters, from which on it pays to compare pairs together


def share_of_equal_texts(
    truth: Sequence[str] | pd.Series[Any], predicted: Sequence[str] | pd.Series[Any]
) -> float:
    """How many of all texts are the same to the letter; NaN if there are none.

    Columns that are in Arrow's memory are compared there, without a Python object a text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(truth) != len(predicted):
        raise ValueError(f"{len(truth)} true texts, but {len(predicted)} predicted ones")
    if not len(truth):
        return float("nan")
    is_equal = pc.equal(*(pa.array(side, pa.large_string()) for side in (truth, predicted)))
    return float(pc.mean(is_equal).as_py())


def levenshtein(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """How many items must be added, removed or replaced to turn one sequence into the other.

    The table of distances is walked through column by column, each one being two numbers
    whose bits say where the distance grows and where it shrinks from one row to the next
    (Myers, 1999).
    """
    columns, rows = sorted((first, second), key=len)  # the loop is over the shorter one
    if not len(columns):
        return len(rows)
    where = _places(rows, {*columns})
    every = (1 << len(rows)) - 1
    last = 1 << len(rows) - 1
    grows, shrinks = every, 0  # from top to bottom
    distance = len(rows)
    for item in columns:
        equal = where.get(item, 0)
        # Along the diagonal the distance stays; the sum carries this down a run of equals.
        stays = (((equal & grows) + grows) ^ grows) | equal | shrinks
        grows_across = shrinks | every & ~(stays | grows)
        shrinks_across = grows & stays
        distance += bool(grows_across & last) - bool(shrinks_across & last)
        grows_across = grows_across << 1 | 1  # the top row grows with every column
        shrinks_across <<= 1
        grows = (shrinks_across | ~(stays | grows_across)) & every
        shrinks = grows_across & stays & every
    return distance


def _places(items: Sequence[Hashable], wanted: Collection[Hashable]) -> dict[Hashable, int]:
    """For each wanted item the bits of its places."""
    # Bit by bit in bytes, because a new number for each place would take the square of time.
    places = {item: bytearray(len(items) // 8 + 1) for item in wanted}
    for number, item in enumerate(items):
        if item in places:
            places[item][number // 8] |= 1 << number % 8
    return {item: int.from_bytes(bits, "little") for item, bits in places.items()}


def levenshtein_of_each(
    first: Sequence[str] | npt.NDArray[np.object_], second: Sequence[str] | npt.NDArray[np.object_]
) -> npt.NDArray[np.int64]:
    """`levenshtein` of many pairs of texts; equal ones cost nothing, similar ones little."""
    one, other = aligned(first, second, dtype=np.object_)
    distances = np.zeros(len(one), np.int64)
    unequal = np.flatnonzero(one != other)
    lengths = [np.fromiter(map(len, side[unequal]), np.int64) for side in (one, other)]
    blocks = np.cumsum(sum(lengths)) // CHARACTERS_AT_A_TIME
    for rows in np.split(unequal, np.flatnonzero(np.diff(blocks)) + 1):
        distances[rows] = _distances(one[rows].tolist(), other[rows].tolist())
    return distances


def _distances(first: Sequence[str], second: Sequence[str]) -> npt.NDArray[np.int64]:
    pairs = Pairs.of(first, second)
    distances = pairs.longer.lengths.copy()  # all there is to do if nothing is left of the other
    for portion in pairs.portions():
        if len(portion) < PAIRS_PER_WORD * pairs.words[portion[0]]:
            distances[portion] = [levenshtein(*pairs.texts(row)) for row in portion]
        else:
            distances[portion] = pairs.distances(portion)
    return distances


def mean_levenshtein(
    actual: Iterable[Sequence[Hashable]], predicted: Iterable[Sequence[Hashable]]
) -> float:
    """The mean of `levenshtein` over all cases; NaN if there are none."""
    truths, guesses = _sliceable(actual), _sliceable(predicted)
    if len(truths) != len(guesses):
        raise ValueError(f"{len(truths)} true cases, but {len(guesses)} predicted ones")
    distances = [
        _distances_of_cases(_listed(truths[start:end]), _listed(guesses[start:end]))
        for start in range(0, len(truths), CASES_AT_A_TIME)
        for end in [start + CASES_AT_A_TIME]
    ]
    return mean(np.concatenate([np.zeros(0), *distances]))


def _distances_of_cases(truths: list[Any], guesses: list[Any]) -> npt.NDArray[np.int64]:
    if {*map(type, truths), *map(type, guesses)} == {str}:
        return levenshtein_of_each(truths, guesses)
    pairs = zip(truths, guesses, strict=True)
    return np.array([levenshtein(truth, guess) for truth, guess in pairs], np.int64)


def _sliceable(column: Iterable[Any]) -> Any:
    """A column of a table as it is, for its cells take least room where they are."""
    return column.array if hasattr(column, "array") else list(column)


def _listed(cells: Any) -> list[Any]:
    """The cells as Python objects; those in Arrow's memory come faster as an array."""
    return list(cells.to_numpy() if hasattr(cells, "to_numpy") else cells)


def word_jaccard(first: str, second: str) -> float:
    """The share of the words of either text that both have; 1 if both have none.

    Words are what white space separates; repeated ones count once, and case matters.
    """
    one, other = first.split(), second.split()
    return jaccard(one, other) if one or other else 1.0


def mean_word_jaccard(actual: Iterable[str], predicted: Iterable[str], empty: float = 1.0) -> float:
    """The mean over all cases of the share of words that both texts have, whatever their case.

    A case in which neither text has a word counts ``empty``; without any cases it is NaN.
    """

    def score(first: str, second: str) -> float:
        words = first.lower().split(), second.lower().split()
        return jaccard(*words) if any(words) else empty

    return mean_over_cases(score, actual, predicted)
