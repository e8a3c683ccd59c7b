"""Scores for rows that carry any number of tags each.

The tags of a row are a list or a set; a text with several of them has to be split first.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Literal

from mlebench.metrics.pairs import mean_over_cases, paired

Tags = Collection[Hashable]


def f1_over_tags(
    actual: Iterable[Tags],
    predicted: Iterable[Tags],
    average: Literal["micro", "samples"] = "micro",
) -> float:
    """The harmonic mean of precision and recall of tags; a repeated tag counts once.

    ``micro`` takes the tags of all rows at once, ``samples`` is the mean over rows. Where
    no tag is true and none is predicted, the score is 0; without any rows it is NaN.
    """
    if average == "samples":
        return mean_over_cases(lambda truth, guess: _f1([(truth, guess)]), actual, predicted)
    if average == "micro":
        cases = paired(actual, predicted)
        return _f1(cases) if cases else float("nan")
    raise ValueError(f"there is no average {average!r}; choose micro or samples")


def without_unknown(predicted: Iterable[Tags], actual: Iterable[Tags]) -> list[set[Hashable]]:
    """The predicted tags that occur in some row of the truth."""
    known = set().union(*actual)
    return [known.intersection(tags) for tags in predicted]


def _f1(cases: Sequence[tuple[Tags, Tags]]) -> float:
    sets = [(set(truth), set(guess)) for truth, guess in cases]
    total = sum(len(truth) + len(guess) for truth, guess in sets)
    return 2 * sum(len(truth & guess) for truth, guess in sets) / total if total else 0.0


def jaccard(first: Tags, second: Tags) -> float:
    """The share of the tags of either set that both have; 0 if both are empty."""
    one, other = set(first), set(second)
    return len(one & other) / len(one | other) if one or other else 0.0


def mean_jaccard(actual: Iterable[Tags], predicted: Iterable[Tags]) -> float:
    """The mean of `jaccard` over all rows; NaN if there are none."""
    return mean_over_cases(jaccard, actual, predicted)
