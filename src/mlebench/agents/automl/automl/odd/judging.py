"""How alike two texts or lists are, by the scores that descriptions name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Likeness = Callable[[str, str], float]
LONGEST = 400


def likeness(description: str) -> Likeness:
    """The likeness of texts that a description speaks of; more is better."""
    if "levenshtein" in description or "edit distance" in description:
        return lambda truth, told: -float(distance(units(truth), units(told)))
    if "jaccard" in description:
        return jaccard
    return lambda truth, told: float(truth == told)


def jaccard(truth: str, told: str) -> float:
    """The share of words that both have among all of them."""
    one, other = set(truth.lower().split()), set(told.lower().split())
    if not one and not other:
        return 1.0
    return len(one & other) / len(one | other)


def units(text: str) -> Sequence[str]:
    """Words of lists of short words, signs of other texts."""
    words = text.split()
    is_list = len(words) > 1 and all(len(word) <= 3 for word in words)
    return words if is_list or (text.isdigit() and len(text) <= 3) else text


def distance(one: Sequence[str], other: Sequence[str]) -> int:
    """How many signs have to be put in, left out or changed."""
    one, other = one[:LONGEST], other[:LONGEST]
    row = list(range(len(other) + 1))
    for place, sign in enumerate(one, 1):
        before, row[0] = row[0], place
        for at, other_sign in enumerate(other, 1):
            kept = before + (sign != other_sign)
            before, row[at] = row[at], min(kept, row[at] + 1, row[at - 1] + 1)
    return row[-1]
