"""How alike the texts of two columns are, in words, in signs and in meaning."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .frame import Frame
from .texts import Unit, counted, meanings, stems

MOST_COLUMNS = 4
MOST_COMPARED = 100_000
DIRECTIONS = 100
UNITS: tuple[tuple[Unit, int], ...] = (("words", 1), ("stems", 1), ("signs", 4))


def add_pairs(frame: Frame, texts: dict[str, list[str]], seed: int) -> None:
    """Add to a frame how alike each two columns of texts are.

    Args:
        frame: What is known of rows.
        texts: Of all rows, by column.
        seed: Decides where directions of meaning are looked for.
    """
    names = list(texts)[:MOST_COLUMNS]
    vectors = _vectors(texts, names, seed)
    for one, other in combinations(names, 2):
        label = f"{one} and {other}"
        for kind, found in vectors.items():
            frame.add(f"{label} alike in {kind}", _cosines(found[one], found[other]))
        if frame.size <= MOST_COMPARED:
            for what, values in _compared(texts[one], texts[other]):
                frame.add(f"{label} {what}", values)


def _vectors(texts: dict[str, list[str]], names: list[str], seed: int) -> dict[str, dict[str, Any]]:
    """Vectors of length 1 for the texts of all columns, which share what words mean."""
    everything = [text for name in names for text in texts[name]]
    rows = len(texts[names[0]]) if names else 0

    def apart(matrix: Any) -> dict[str, Any]:
        return {name: matrix[k * rows : (k + 1) * rows] for k, name in enumerate(names)}

    found: dict[str, dict[str, Any]] = {}
    if len(names) < 2:
        return found
    for unit, longest in UNITS:
        matrix = counted(everything, unit, longest, fewest=1, is_weighted=True)
        found[unit] = apart(matrix)
        if unit != "words":
            found[f"meaning of {unit}"] = apart(meanings(matrix, DIRECTIONS, seed))
    return found


def _cosines(one: Any, other: Any) -> NDArray[np.float64]:
    """The cosine of the angle between each two rows."""
    if isinstance(one, np.ndarray):
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        return np.asarray((one * other).sum(axis=1) / np.maximum(lengths, 1e-9))
    return np.asarray(one.multiply(other).sum(axis=1)).ravel()


def _compared(one: list[str], other: list[str]) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Row by row, in words."""
    left, right = [stems(text) for text in one], [stems(text) for text in other]

    def each(measure: Callable[[list[str], list[str]], float]) -> NDArray[np.float64]:
        return np.array([measure(a, b) for a, b in zip(left, right, strict=True)])

    yield "words in common", each(lambda a, b: len({*a} & {*b}))
    yield "share of words in common", each(lambda a, b: len({*a} & {*b}) / max(len({*a} | {*b}), 1))
    yield "share of the first", each(lambda a, b: len({*a} & {*b}) / max(len({*a}), 1))
    yield "share of the second", each(lambda a, b: len({*a} & {*b}) / max(len({*b}), 1))
    yield "same first word", each(lambda a, b: float(a[:1] == b[:1]))
    yield "same last word", each(lambda a, b: float(a[-1:] == b[-1:]))
    yield "more words", each(lambda a, b: len(a) - len(b))
    pairs = list(zip(one, other, strict=True))
    yield "more signs", np.array([len(a) - len(b) for a, b in pairs], dtype=float)
    if max((len(a) + len(b) for a, b in pairs), default=0) < 300:
        ratios = [difflib.SequenceMatcher(None, a.lower(), b.lower()).ratio() for a, b in pairs]
        yield "signs in the same order", np.array(ratios)
