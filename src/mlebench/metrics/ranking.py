"""Scores for ranked lists of guesses."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


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
    actual: Sequence[Collection[Hashable]], predicted: Sequence[Sequence[Hashable]], k: int
) -> float:
    """The mean of `average_precision_at_k` over all cases; NaN if there are none."""
    if len(actual) != len(predicted):
        raise ValueError(f"{len(actual)} true lists, but {len(predicted)} predicted ones")
    scores = [
        average_precision_at_k(truth, guesses, k)
        for truth, guesses in zip(actual, predicted, strict=True)
    ]
    return sum(scores) / len(scores) if scores else float("nan")
