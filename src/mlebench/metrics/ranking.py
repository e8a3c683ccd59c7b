"""Scores for ranked lists of guesses."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.metrics.pairs import aligned_columns, mean, mean_over_cases

CASES_AT_A_TIME = 100_000

Array = npt.NDArray[Any]
Item = TypeVar("Item", bound=Hashable)


def average_precision_at_k(
    actual: Collection[Hashable], predicted: Sequence[Hashable], k: int
) -> float:
    """Average precision of the first ``k`` guesses.

    A repeated guess earns nothing but takes up its rank. The sum is divided by the best
    one possible; without any true item the score is 0.
    """
    truth = set(actual)
    if not truth or k < 1:
        return 0.0
    found: set[Hashable] = set()
    total = 0.0
    for rank, guess in enumerate(predicted[:k], start=1):
        if guess in truth and guess not in found:
            found.add(guess)
            total += len(found) / rank
    return total / min(len(truth), k)


def mean_average_precision_at_k(
    actual: Iterable[Collection[Hashable]], predicted: Iterable[Sequence[Hashable]], k: int
) -> float:
    """The mean of `average_precision_at_k` over all cases; NaN if there are none.

    There may be a million cases, so many are taken at once, each item being replaced by
    a number. Columns of Arrow's lists come through without any Python object in between.
    """
    truth, guesses = _Lists.of(actual), _Lists.of(predicted)
    if len(truth.counts) != len(guesses.counts):
        raise ValueError(
            f"{len(truth.counts)} true cases, but {len(guesses.counts)} predicted ones"
        )
    precisions = [
        _average_precisions(*portion, k)
        for portion in zip(truth.portions(), guesses.portions(), strict=True)
    ]
    return mean(np.concatenate([np.zeros(0), *precisions]))


def _average_precisions(truth: _Lists, guesses: _Lists, k: int) -> Array:
    """`average_precision_at_k` of each of many cases."""
    guesses = guesses.first(k)
    codes, items = pd.factorize(pd.concat([truth.flat, guesses.flat]), use_na_sentinel=False)
    true_pairs = np.unique(truth.cases * len(items) + codes[: len(truth.flat)])
    pairs = guesses.cases * len(items) + codes[len(truth.flat) :]
    right = np.flatnonzero(np.isin(pairs, true_pairs))
    first = np.sort(right[np.unique(pairs[right], return_index=True)[1]])
    cases = guesses.cases[first]
    found = np.arange(len(first)) - np.searchsorted(cases, cases) + 1
    precisions = found / (guesses.places[first] + 1)
    totals = np.bincount(cases, precisions, minlength=len(truth.counts))
    sizes = np.bincount(true_pairs // max(len(items), 1), minlength=len(truth.counts))
    return np.asarray(totals / np.clip(sizes, 1, max(k, 1)))


class _Lists(NamedTuple):
    """The items of many lists, one after the other, and how many each has."""

    flat: pd.Series[Any]
    counts: Array

    @classmethod
    def of(cls, cases: Iterable[Collection[Hashable]]) -> _Lists:
        if isinstance(cases, pd.Series) and isinstance(cases.dtype, pd.ArrowDtype):
            return cls(cases.list.flatten(), cases.list.len().to_numpy(np.int64))
        lists = [*cases]
        flat = pd.Series([*chain.from_iterable(lists)], dtype=object)
        return cls(flat, np.array([*map(len, lists)], np.int64))

    @property
    def cases(self) -> Array:
        """For each item the number of its list."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def places(self) -> Array:
        """For each item its place in its list, counted from 0."""
        starts = np.cumsum(self.counts) - self.counts
        return np.asarray(np.arange(len(self.flat)) - np.repeat(starts, self.counts))

    def portions(self) -> Iterator[_Lists]:
        """The lists, so many at a time that what is made of them fits into the memory."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        for start in range(0, len(self.counts), CASES_AT_A_TIME):
            counts = self.counts[start : start + CASES_AT_A_TIME]
            yield _Lists(self.flat.iloc[ends[start] : ends[start + len(counts)]], counts)

    def first(self, k: int) -> _Lists:
        """The first items of each list."""
        return _Lists(self.flat[self.places < k], np.clip(self.counts, 0, max(k, 0)))


def precision_recall_area(ranks: npt.ArrayLike, total: int) -> float:
    """The area below precision as a function of recall, with all points as in PASCAL VOC 2010.

    Each precision is raised to the highest one at the same or a larger recall. ``ranks`` are
    those of the right guesses in a ranking, ascending from 1, and ``total`` says how many
    could be found.
    """
    places = np.asarray(ranks)
    precisions = np.arange(1, len(places) + 1) / places
    return float(np.maximum.accumulate(precisions[::-1]).sum() / total)


def precision_at_k(actual: Collection[Hashable], predicted: Sequence[Hashable], k: int) -> float:
    """The share of the first ``k`` guesses that are right; 0 without any.

    A repeated guess counts once, and one that was not made counts as wrong.
    """
    return _right_guesses(actual, predicted, k) / k if k > 0 else 0.0


def recall_at_k(actual: Collection[Hashable], predicted: Sequence[Hashable], k: int) -> float:
    """The share of the true items that are among the first ``k`` guesses; 0 without any."""
    items = len(set(actual))
    return _right_guesses(actual, predicted, k) / items if items else 0.0


def _right_guesses(actual: Collection[Hashable], predicted: Sequence[Hashable], k: int) -> int:
    return len({*actual} & {*predicted[: max(k, 0)]})


def reciprocal_rank(actual: Collection[Hashable], predicted: Sequence[Hashable]) -> float:
    """One over the rank of the first right guess; 0 if there is none."""
    truth = set(actual)
    ranks = (rank for rank, guess in enumerate(predicted, start=1) if guess in truth)
    rank = next(ranks, None)
    return 1 / rank if rank else 0.0


def mean_reciprocal_rank(
    actual: Iterable[Collection[Hashable]], predicted: Iterable[Sequence[Hashable]]
) -> float:
    """The mean of `reciprocal_rank` over all cases; NaN if there are none."""
    return mean_over_cases(reciprocal_rank, actual, predicted)


def ndcg_at_k(gains: Mapping[Item, float], predicted: Sequence[Item], k: int) -> float:
    """The discounted gains of the first ``k`` guesses, as a share of the best possible.

    ``gains`` says what each true item is worth, any other one being worth nothing; a guess
    earns its gain divided by the binary logarithm of its rank plus one. A repeated guess
    earns nothing but takes up its rank. Without any gain to be had the score is 0.
    """
    if any(gain < 0 for gain in gains.values()):
        raise ValueError("gains must not be negative")
    best = _discounted(sorted(gains.values(), reverse=True)[: max(k, 0)])
    left = dict(gains)
    return _discounted([left.pop(guess, 0.0) for guess in predicted[:k]]) / best if best else 0.0


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def kendall_tau(orders: Iterable[npt.ArrayLike]) -> float:
    """Kendall's tau over all pairs of items that are in one list: 1 if all are in order.

    A list holds the true ranks of its items, counted from 0, in the predicted order. Minus 1
    says that all lists are the wrong way round; without any pairs the score is NaN.
    """
    lists = [np.asarray(order, np.int64) for order in orders]
    pairs = sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in lists)
    return 1 - 2 * inversions(lists) / pairs if pairs else float("nan")


def inversions(orders: Sequence[npt.NDArray[np.int64]]) -> int:
    """How many pairs of items within a list are the wrong way round, in all lists together.

    Lists hold whole numbers from 0 on. All are divided at once into numbers with and without
    the highest bit, the parts by the next bit, and so on: whatever has the bit and stands
    before something without it is the wrong way round.
    """
    ranks = np.concatenate([*orders, np.zeros(0, np.int64)])
    part = np.repeat(np.arange(len(orders)), [len(order) for order in orders])
    place, total = np.arange(len(ranks)), 0
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        is_upper = (ranks >> bit) & 1
        starts = np.flatnonzero(np.diff(part, prepend=-1))
        sizes = np.diff(starts, append=len(part))
        uppers_before = np.cumsum(is_upper) - is_upper
        uppers_before -= np.repeat(uppers_before[starts], sizes)
        total += int(uppers_before[is_upper == 0].sum())
        first_upper = starts + np.add.reduceat(1 - is_upper, starts)
        target = np.where(
            is_upper, np.repeat(first_upper, sizes) + uppers_before, place - uppers_before
        )
        divided = 2 * part + is_upper
        ranks[target], part[target] = ranks.copy(), divided
    return total


def label_ranking_precision(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """The mean over all true labels of the precision among the labels that rank as high.

    A row is a case and a column a label; every true label weighs the same, whatever else is
    true of its case (lwlrap). Ties share the worst of their ranks. NaN if nothing is true.
    """
    from scipy.stats import rankdata

    sides = aligned_columns(truth, scores, np.float64)
    is_true, falling = sides[0] == 1, -sides[1]
    # How many labels rank as high as each one, of all and of the true ones.
    among_all = rankdata(falling, method="max", axis=1)
    among_true = rankdata(np.where(is_true, falling, np.inf), method="max", axis=1)
    return mean((among_true / among_all)[is_true])
