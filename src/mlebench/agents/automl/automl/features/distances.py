"""Columns of like names tell the same of several things: how far apart these are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .columns import Column, as_numbers
from .frame import Frame

Values = NDArray[np.float64]
WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
MOST_ALIKE = 4  # columns that differ in one word; of more, each is but one of a long list
FEW_DIFFERENT = 10
OVERLAP = 0.5
MOST_ADDED = 40


def add_distances(frame: Frame, columns: Sequence[Column]) -> None:
    """Add differences of columns whose names differ in their first or last word alone.

    Two differences between the same two words, such as those in longitude and latitude between
    a beginning and an end, are the sides of a way whose length is added, too.
    """
    added = 0
    for sides in _sides(columns).values():
        told = list(sides.items())
        lengths = [
            (f"length of {a} and {b}", np.hypot(x, y)) for (a, x), (b, y) in combinations(told, 2)
        ]
        for name, values in (*told, *lengths):
            if added == MOST_ADDED:
                return
            frame.add(name, values)
            added += 1


def _sides(columns: Sequence[Column]) -> dict[tuple[str, str], dict[str, Values]]:
    """Differences by the two words between which they are."""
    found: dict[tuple[str, str], dict[str, Values]] = defaultdict(dict)
    for family in _families(columns):
        amounts = {word: _amounts(column) for word, column in family.items()}
        for one, other in combinations(family, 2):
            x, y = amounts[one], amounts[other]
            if x is not None and y is not None and _overlap(x, y) >= OVERLAP:
                name = f"{family[other].name} less {family[one].name}"
                found[one, other][name] = y - x
    return found


def _families(columns: Sequence[Column]) -> Iterator[dict[str, Column]]:
    """Columns of numbers whose names have all words in common but the first or the last one."""
    families: dict[tuple[bool, tuple[str, ...]], dict[str, Column]] = defaultdict(dict)
    for column in columns:
        words = tuple(word.lower() for word in WORDS.findall(column.name))
        if column.holds == "numbers" and len(words) > 1:
            families[True, words[1:]][words[0]] = column
            families[False, words[:-1]][words[-1]] = column
    for family in families.values():
        if 2 <= len(family) <= MOST_ALIKE:
            yield family


def _amounts(column: Column) -> Values | None:
    """The values of a column; None if there are but a few different ones."""
    both = as_numbers(column.both)
    return both.to_numpy(dtype=float, na_value=np.nan) if both.nunique() > FEW_DIFFERENT else None


def _overlap(one: Values, other: Values) -> float:
    """How much of where most values of two columns are is the same."""
    low, high = zip(*(np.nanquantile(values, (0.01, 0.99)) for values in (one, other)), strict=True)
    return float((min(high) - max(low)) / max(max(high) - min(low), 1e-12))
