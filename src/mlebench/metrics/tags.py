"""Scores for rows that carry any number of tags each.

The tags of a row are a list or a set; a text with several of them has to be split first, as
`LabelSet` does.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.metrics.pairs import mean, mean_over_cases

Tags = Collection[Hashable]
Numbers = npt.NDArray[np.int64]


def f1_over_tags(
    actual: Iterable[Tags],
    predicted: Iterable[Tags],
    average: Literal["micro", "samples"] = "micro",
    *,
    unknown_is_free: bool = False,
) -> float:
    """The harmonic mean of precision and recall of tags; a repeated tag counts once.

    ``micro`` takes the tags of all rows at once, ``samples`` is the mean over rows. Where
    no tag is true and none is predicted, the score is 0; without any rows it is NaN. If what
    is unknown is free, predicted tags that no row of the truth has are left out.
    """
    if average not in ("micro", "samples"):
        raise ValueError(f"there is no average {average!r}; choose micro or samples")
    hits, tags = _hits(_Tagged.of(actual), _Tagged.of(predicted), unknown_is_free)
    if average == "micro" and len(hits):
        hits, tags = hits.sum(keepdims=True), tags.sum(keepdims=True)
    return mean(2 * hits / np.maximum(tags, 1))


def _hits(truth: _Tagged, guesses: _Tagged, unknown_is_free: bool) -> tuple[Numbers, Numbers]:
    """For each row how many tags both sides have, and how many each of them has in sum."""
    rows = len(truth.counts)
    if rows != len(guesses.counts):
        raise ValueError(f"{rows} true cases, but {len(guesses.counts)} predicted ones")
    true_codes, codes = _coded(truth.flat, guesses.flat)
    kinds = 1 + max(true_codes.max(initial=0), codes.max(initial=0))
    # A tag of a row is one number, so that sets of them can be compared at once.
    right, given = truth.rows * kinds + true_codes, guesses.rows * kinds + codes
    if unknown_is_free:
        given = given[np.isin(codes, true_codes)]
    right, given = _distinct(right), _distinct(given)
    both = np.intersect1d(right, given, assume_unique=True)
    hits, *sizes = (np.bincount(tags // kinds, minlength=rows) for tags in (both, right, given))
    return hits, sizes[0] + sizes[1]


class _Tagged(NamedTuple):
    """The tags of all rows, one after the other, and how many each row has."""

    flat: Any
    counts: Numbers

    @classmethod
    def of(cls, tagged: Iterable[Tags]) -> _Tagged:
        """Lists in Arrow's memory stay there: there may be millions of tags."""
        if isinstance(tagged, pd.Series) and isinstance(tagged.dtype, pd.ArrowDtype):
            import pyarrow.compute as pc

            in_arrow: Any = tagged.array
            lists = in_arrow.__arrow_array__().combine_chunks()
            return cls(lists.flatten(), pc.list_value_length(lists).to_numpy())
        rows = list(tagged)
        counts = np.fromiter(map(len, rows), np.int64, len(rows))
        return cls(list(chain.from_iterable(rows)), counts)

    @property
    def rows(self) -> Numbers:
        """For each tag the number of its row."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def _coded(first: Any, second: Any) -> tuple[Numbers, Numbers]:
    """Tags as numbers, equal ones as the same."""
    import pyarrow as pa

    if isinstance(first, pa.Array) and isinstance(second, pa.Array):
        both = pa.chunked_array([first, second]).combine_chunks().dictionary_encode()
        codes = both.indices.to_numpy().astype(np.int64)
    else:
        known: dict[Hashable, int] = {}
        tags = chain(_as_list(first), _as_list(second))
        codes = np.array([known.setdefault(tag, len(known)) for tag in tags], np.int64)
    return codes[: len(first)], codes[len(first) :]


def _as_list(tags: Any) -> list[Hashable]:
    return tags if isinstance(tags, list) else tags.to_pylist()


def _distinct(values: Numbers) -> Numbers:
    """What `np.unique` gives, which takes a hundred times as long in some releases of numpy."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def jaccard(first: Tags, second: Tags) -> float:
    """The share of the tags of either set that both have; 0 if both are empty."""
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one or other else 0.0


def mean_jaccard(actual: Iterable[Tags], predicted: Iterable[Tags]) -> float:
    """The mean of `jaccard` over all rows; NaN if there are none."""
    return mean_over_cases(jaccard, actual, predicted)
