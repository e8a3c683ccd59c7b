"""Judges of competitions that ask for masks, or for a value of every pixel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from tests.fuzz.judges.families import in_order
from tests.fuzz.reading import InvalidError, require

Pixels = frozenset[int]


@lru_cache(maxsize=4096)
def pixels(text: str, size: int) -> Pixels:
    """The pixels of a mask, counted from 1, on an image of so many."""
    try:
        tokens = [min(int(token), 2**62) for token in text.split()]
    except ValueError as error:
        raise InvalidError("token") from error
    starts, lengths = tokens[0::2], tokens[1::2]
    require(all(token > 0 for token in tokens), "start or length below 1")
    require(starts == sorted(starts), "unsorted")
    require(len(tokens) % 2 == 0 or len(tokens) <= 3, "odd count")
    if len(tokens) == 1:
        return frozenset()
    if len(tokens) == 3:
        lengths *= 2
    painted: set[int] = set()
    for start, length in zip(starts, lengths, strict=True):
        run = range(start, min(start + length, size + 1))
        require(painted.isdisjoint(run), "overlap")
        painted.update(run)
    return frozenset(painted)


def decoded(cells: Sequence[Any], sizes: Sequence[int], missing: str | None = "") -> list[Pixels]:
    """The masks behind cells of text; missing ones are refused unless they have a meaning."""
    texts = [missing if pd.isna(cell) else cell for cell in cells]
    require(all(isinstance(text, str) for text in texts), "a mask is not text")
    return [pixels(str(text), int(size)) for text, size in zip(texts, sizes, strict=True)]


def contrails(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "record_id", "encoded_pixels")["encoded_pixels"]
    sizes = (answers["height"] * answers["width"]).tolist()
    guesses, truths = (
        decoded(["" if cell == "-" else cell for cell in column], sizes, missing=None)
        for column in (cells, answers["encoded_pixels"].tolist())
    )
    total = sum(map(len, guesses)) + sum(map(len, truths))
    both = sum(len(guess & truth) for guess, truth in zip(guesses, truths, strict=True))
    return 2 * both / total if total else math.nan


def glomeruli(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "predicted")["predicted"]
    sizes = (answers["height_pixels"] * answers["width_pixels"]).tolist()
    guesses, truths = decoded(cells, sizes), decoded(answers["encoding"].tolist(), sizes)
    values = []
    for guess, truth in zip(guesses, truths, strict=True):
        total = len(guess) + len(truth)
        values.append(2 * len(guess & truth) / total if total else 1.0)
    return sum(values) / len(values)


def ink(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(len(table) == len(answers), "row count")
    require(sorted(table.columns) == ["Id", "Predicted"], "columns")
    require(table["Id"].tolist() == answers["Id"].tolist(), "other ids")
    sizes = (answers["height"] * answers["width"]).tolist()
    guesses = decoded(table["Predicted"].tolist(), sizes, missing=None)
    truths = decoded(answers["Predicted"].tolist(), sizes)
    values = []
    for guess, truth in zip(guesses, truths, strict=True):
        hits = 1.25 * len(guess & truth)
        errors = 0.25 * len(truth - guess) + len(guess - truth)
        values.append(hits / (hits + errors) if hits else 0.0)
    return sum(values) / len(values)


JUDGES = {
    "google-research-identify-contrails-reduce-global-warming": contrails,
    "hubmap-kidney-segmentation": glomeruli,
    "vesuvius-challenge-ink-detection": ink,
}
