"""Files of text that belong to single rows: lines of a keyword, numbers and a label.

What they hold is not known; what can be told of any such lines is how many there are of each form,
how their numbers are spread, and how often each label occurs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

SEPARATORS = re.compile(r"[,;\s]+")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?")
COMMENTS = ("#", "//", "%")
MOST_LINES = 200_000
FEW_LINES, FEW_NUMBERS = 4, 4
LONGEST_LABEL = 2
LONGEST_WORD = 40
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Lines:
    """The lines of a file that have one form.

    Attributes:
        keyword: What they begin with; may be empty.
        values: Their numbers, a row for each line.
        labels: The word that each line has beside its keyword; empty if none.
    """

    keyword: str
    values: Values
    labels: tuple[str, ...]

    @property
    def has_labels(self) -> bool:
        """Whether lines have a word beside the keyword."""
        return any(self.labels)


def parse(text: str) -> list[Lines]:
    """The lines of a file by their form; those without numbers are left out."""
    grouped: dict[tuple[str, int, bool], tuple[list[list[float]], list[str]]] = {}
    for keyword, numbers, label in _told(text):
        values, labels = grouped.setdefault((keyword, len(numbers), bool(label)), ([], []))
        values.append(numbers)
        labels.append(label)
    return [
        Lines(keyword, np.array(values), tuple(labels))
        for (keyword, _, _), (values, labels) in grouped.items()
    ]


def _told(text: str) -> Iterator[tuple[str, list[float], str]]:
    for line in text.splitlines()[:MOST_LINES]:
        if not line or line.startswith(COMMENTS):
            continue
        parts = [part for part in SEPARATORS.split(line) if part]
        is_number = [bool(NUMBER.fullmatch(part)) for part in parts]
        numbers = [_number(part) for part, is_one in zip(parts, is_number, strict=True) if is_one]
        words = [part for part, is_one in zip(parts, is_number, strict=True) if not is_one]
        if not numbers or len(words) > 2 or any(len(word) > LONGEST_WORD for word in words):
            continue
        keyword = words.pop(0) if words and not is_number[0] else ""
        label = words[0] if words else ""
        if keyword and not label and len(keyword) <= LONGEST_LABEL:
            # A sign or two before numbers say what a line is of, not what it is.
            keyword, label = "", keyword
        yield keyword, numbers, label


def _number(text: str) -> float:
    return float(text.replace("d", "e").replace("D", "e"))


def statistics(groups: list[Lines]) -> dict[str, float]:
    """What can be told of lines whatever they mean, by name."""
    told: dict[str, float] = {}
    for lines in groups:
        count, width = lines.values.shape
        name = lines.keyword or "lines"
        name = f"{name} of {width}" if not lines.keyword else name
        told[f"{name} count"] = count
        for label, times in Counter(lines.labels).items():
            if label:
                told[f"{name} {label} count"] = times
                told[f"{name} {label} share"] = times / count
        if count <= FEW_LINES and width <= FEW_NUMBERS:
            for place, value in enumerate(lines.values.ravel()):
                told[f"{name} value {place}"] = value
        if count > 1:
            told |= _spread(name, lines.values)
    return told


def _spread(name: str, values: Values) -> dict[str, float]:
    told: dict[str, float] = {}
    cuts = np.quantile(values, QUANTILES, axis=0)
    for what, numbers in (
        ("mean", values.mean(axis=0)), ("spread", values.std(axis=0)),
        ("least", values.min(axis=0)), ("most", values.max(axis=0)),
        *((f"quantile {q:g}", cut) for q, cut in zip(QUANTILES, cuts, strict=True)),
    ):  # fmt: skip
        for column, number in enumerate(numbers):
            told[f"{name} column {column} {what}"] = float(number)
    return told
