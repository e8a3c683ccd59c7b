"""Judges of competitions that ask for lists: of guesses, of labels, of points and of boxes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from sklearn.metrics import average_precision_score

from tests.fuzz.judges.families import in_order
from tests.fuzz.reading import InvalidError, require, texts


def guesses(cell: Any) -> list[str]:
    """What single blanks separate, whatever was read turned into text."""
    return ("nan" if pd.isna(cell) else str(cell)).split(" ")


def precision_of_guesses(truth: set[str], guesses: list[str], most: int) -> float:
    """The average precision of the first guesses; a repeated one only takes up its rank."""
    hits, total = 0, 0.0
    for rank, guess in enumerate(guesses[:most], start=1):
        if guess in truth and guess not in guesses[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(truth), most)


def one_label_of(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The mean average precision of five guesses where a single one is right."""
    cells = in_order(table, answers, key, target)[target]
    scores = [
        precision_of_guesses({str(truth)}, guesses(cell), 5)
        for cell, truth in zip(cells, answers[target].tolist(), strict=True)
    ]
    return sum(scores) / len(scores)


def whales(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(set(table.columns) == {"Image", "Id"}, "columns")
    return one_label_of(table, answers, "Image", "Id")


def fashion(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(set(table.columns) == {"customer_id", "prediction"}, "columns")
    customers = answers["customer_id"].tolist()
    require(set(customers) <= set(table["customer_id"].tolist()), "a customer is missing")
    known = table[table["customer_id"].isin(customers)].sort_values("customer_id")
    truths = answers.sort_values("customer_id")["prediction"].tolist()
    scores = [
        precision_of_guesses(set(guesses(truth)), guesses(cell), 12)
        for cell, truth in zip(known["prediction"].tolist(), truths, strict=False)
    ]
    return sum(scores) / len(truths)


def gestures(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "Id", "Sequence")["Sequence"]
    found = [labels(cell) for cell in cells]
    truths = [labels(cell) for cell in answers["Sequence"].tolist()]
    errors = [edits(*pair) for pair in zip(found, truths, strict=True)]
    return sum(errors) / sum(map(len, truths))


def labels(cell: Any) -> list[int]:
    """The whole numbers that white space separates; invalid if something is none."""
    try:
        return [int(token) for token in ("nan" if pd.isna(cell) else str(cell)).split()]
    except ValueError as error:
        raise InvalidError("no whole number") from error


def edits(first: list[int], second: list[int]) -> int:
    """How many labels must be added, removed or replaced."""
    above = [*range(len(second) + 1)]
    for row, one in enumerate(first, start=1):
        here = [row]
        for column, other in enumerate(second):
            replaced = above[column] + (one != other)
            here.append(min(replaced, above[column + 1] + 1, here[column] + 1))
        above = here
    return above[-1]


def characters(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "image_id", "labels")["labels"]
    found = texts(pd.Series(cells, name="labels", dtype=object))
    right = predicted = existing = 0
    for cell, truth in zip(found, texts(answers["labels"]), strict=True):
        pieces = cell.split(" ") if cell.strip() else []
        require(len(pieces) % 3 == 0, "three values a point")
        points = [
            (pieces[at], *numbers_of(pieces[at + 1 : at + 3])) for at in range(0, len(pieces), 3)
        ]
        known = truth.split()
        boxes = [(known[at], *numbers_of(known[at + 1 : at + 5])) for at in range(0, len(known), 5)]
        predicted, existing = predicted + len(points), existing + len(boxes)
        for code, x, y, width, height in boxes:
            for place, (guess, u, v) in enumerate(points):
                if guess == code and x < u < x + width and y < v < y + height:
                    right += 1
                    del points[place]
                    break
    if not right:
        return 0.0
    precision, recall = right / predicted, right / existing
    return 2 * precision * recall / (precision + recall)


def numbers_of(pieces: list[str]) -> list[float]:
    """The numbers as Python's ``float`` reads them; invalid if one is none."""
    try:
        return [float(piece) for piece in pieces]
    except ValueError as error:
        raise InvalidError("not a number") from error


class Found(NamedTuple):
    """A box with its class and confidence."""

    name: str
    confidence: float
    corners: list[float]


def covid(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    column = "PredictionString"
    cells = in_order(table, answers, "id", column)[column]
    require(all(isinstance(cell, str) for cell in cells), "missing or no text")
    found = [opacities(cell) for cell in cells]
    truths = [opacities(cell) for cell in answers[column].tolist()]
    classes = sorted({box.name for row in truths for box in row})
    precisions = []
    for name in classes:
        pairs: list[tuple[int, float]] = []
        for row, truth in zip(found, truths, strict=True):
            own, right = ([box for box in boxes if box.name == name] for boxes in (row, truth))
            pairs += opacity_pairs(own, right)
        require(all(math.isfinite(confidence) for _, confidence in pairs), "infinite confidence")
        truth_of_pairs, confidences = zip(*pairs, strict=True)
        precisions.append(average_precision_score(truth_of_pairs, confidences))
    return float(sum(precisions) / len(precisions))


def opacities(text: str) -> list[Found]:
    """Groups of six values that any white space separates."""
    pieces = text.split()
    require(len(pieces) % 6 == 0, "six values a box")
    boxes = []
    for at in range(0, len(pieces), 6):
        confidence, *corners = numbers_of(pieces[at + 1 : at + 6])
        boxes.append(Found(pieces[at], confidence, corners))
    return boxes


def opacity_pairs(found: list[Found], truth: list[Found]) -> list[tuple[int, float]]:
    """For one class in one row: whether it is there, and how sure the submission is."""
    if not found and not truth:
        return [(0, 0.0)]
    free, pairs = list(truth), []
    for box in sorted(found, key=lambda box: box.confidence, reverse=True):
        overlaps = [overlap(box.corners, other.corners) for other in free]
        if overlaps and max(overlaps) > 0.5:
            del free[overlaps.index(max(overlaps))]
            pairs.append((1, box.confidence))
        else:
            pairs.append((0, box.confidence))
    return pairs + [(1, 0.0)] * len(free)


def overlap(one: list[float], other: list[float]) -> float:
    """Intersection over union; nothing overlaps a box without bounds."""
    if not all(map(math.isfinite, (*one, *other))):
        return 0.0
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    union = sum(areas) - width * height
    return width * height / union if union > 0 else 0.0


JUDGES = {
    "h-and-m-personalized-fashion-recommendations": fashion,
    "hotel-id-2021-fgvc8": partial(one_label_of, key="image", target="hotel_id"),
    "kuzushiji-recognition": characters,
    "multi-modal-gesture-recognition": gestures,
    "siim-covid19-detection": covid,
    "whale-categorization-playground": whales,
}
