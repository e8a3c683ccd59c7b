"""Judges of competitions that ask for masks, or for a value of every pixel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import directed_hausdorff

from tests.fuzz.judges.families import finite, in_order
from tests.fuzz.reading import InvalidError, require, require_columns

Pixels = frozenset[int]
SALT_TILE = 101 * 101


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


def salt(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(set(table.columns) == {"id", "rle_mask"}, "columns")
    cells = in_order(table, answers, "id", "rle_mask")["rle_mask"]
    sizes = [SALT_TILE] * len(answers)
    guesses, truths = (decoded(column, sizes) for column in (cells, answers["rle_mask"].tolist()))
    hits = [_salt_hits(*pair) for pair in zip(guesses, truths, strict=True)]
    return sum(hits) / (10 * len(hits))


def _salt_hits(guess: Pixels, truth: Pixels) -> int:
    if not truth:
        return 0 if guess else 10
    guess = guess or frozenset(range(1, SALT_TILE + 1))
    overlap = len(guess & truth) / len(guess | truth)
    return sum(overlap > threshold for threshold in np.arange(0.5, 1.0, 0.05).tolist())


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


def clean_pages(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "value")["value"]
    finite(table["value"])
    errors = [
        float(guess) - truth for guess, truth in zip(cells, answers["value"].tolist(), strict=True)
    ]
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def organs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "id", "class", "predicted")
    sizes = list(
        zip(answers["image_height"].astype(int), answers["image_width"].astype(int), strict=True)
    )
    ids, cells = table["id"].tolist()[: len(sizes)], table["predicted"].tolist()[: len(sizes)]
    require(all(isinstance(one, str) for one in table["id"].tolist()), "an id is no text")
    areas = [height * width for height, width in sizes]
    guesses = decoded(cells, areas[: len(cells)])
    truths = decoded(answers["predicted"].tolist(), areas)
    dices = [
        2 * len(guess & truth) / (len(guess) + len(truth))
        for guess, truth in zip(guesses, truths, strict=False)
        if guess or truth
    ]
    predicted, true = volumes(ids, guesses, sizes), volumes(answers["id"].tolist(), truths, sizes)
    distances = [distance(*pair) for pair in zip(predicted, true, strict=False)]
    return 0.4 * mean(dices) + 0.6 * (1 - mean([one for one in distances if one is not None]))


Voxels = tuple[npt.NDArray[np.float64], tuple[int, int, int]]


def volumes(
    ids: Sequence[str], masks: Sequence[Pixels], sizes: Sequence[tuple[int, int]]
) -> list[Voxels]:
    """The voxels of each day, and the shape of its stack of slices."""
    slices: dict[str, list[int]] = {}
    for row in sorted(range(len(ids)), key=lambda row: ids[row]):
        slices.setdefault(ids[row], []).append(row)
    days: dict[str, list[list[int]]] = {}
    for name, rows in slices.items():
        days.setdefault(name.split("_slice_")[0], []).append(rows)
    found = []
    for stack in days.values():
        shapes = {sizes[row] for rows in stack for row in rows}
        require(len(shapes) == 1, "slices of several sizes")
        ((height, width),) = shapes
        voxels = {
            (number, (pixel - 1) % height, (pixel - 1) // height)
            for number, rows in enumerate(stack)
            for row in rows
            for pixel in masks[row]
        }
        points = np.array(sorted(voxels), float).reshape(-1, 3)
        found.append((points, (len(stack), height, width)))
    return found


def distance(guess: Voxels, truth: Voxels) -> float | None:
    (points, _), (right, shape) = guess, truth
    if not len(points) and not len(right):
        return None
    if not len(points) or not len(right) or len(points) > 10 * len(right):
        return 1.0
    one, other = points / shape, right / shape
    there, back = directed_hausdorff(one, other)[0], directed_hausdorff(other, one)[0]
    return float(max(there, back)) / math.sqrt(3)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


JUDGES = {
    "denoising-dirty-documents": clean_pages,
    "google-research-identify-contrails-reduce-global-warming": contrails,
    "hubmap-kidney-segmentation": glomeruli,
    "tgs-salt-identification-challenge": salt,
    "uw-madison-gi-tract-image-segmentation": organs,
    "vesuvius-challenge-ink-detection": ink,
}
