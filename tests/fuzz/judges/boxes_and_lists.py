"""Judges of competitions that ask for lists: of guesses, of labels, of points and of boxes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from tests.fuzz.judges.families import in_order
from tests.fuzz.reading import DontCareError, InvalidError, require, require_columns, texts


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


class Detection(NamedTuple):
    """A box as the evaluator takes it: numbered, with x_max and y_max for width and height."""

    number: int
    image: str
    name: int
    confidence: float
    corners: list[float]

    @property
    def is_odd(self) -> bool:
        """Whether its own area is out of bounds, so that it is no false positive."""
        left, top, right, bottom = self.corners
        area = (right - left) * (bottom - top)
        return area < 0 or area > 1e10


def lungs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "PredictionString", "image_id")
    images = answers["image_id"].tolist()
    require(set(table["image_id"].tolist()) == set(images), "other images")
    found = detections(table)
    truth = [
        Detection(number, row.image_id, row.class_id, 1.0, [*row[-4:]])
        for number, row in enumerate(answers.itertuples(index=False))
    ]
    by_class: dict[int, list[Detection]] = {}
    for box in truth:
        by_class.setdefault(box.name, []).append(box)
    precisions = []
    for name, right in by_class.items():
        own = [box for box in found if box.name == name]
        if any(not all(map(math.isfinite, box.corners)) for box in own):
            raise DontCareError("unbounded box")
        ranked: list[tuple[float, str]] = []
        for image in dict.fromkeys(images):
            ranked += verdicts(
                [box for box in own if box.image == image],
                [box for box in right if box.image == image],
            )
        precisions.append(sampled_precision(ranked, len(right)))
    return sum(precisions) / len(precisions)


def detections(table: pd.DataFrame) -> list[Detection]:
    """All groups of six numbers, numbered from 0 in the order of the file."""
    found: list[Detection] = []
    for image, cell in zip(table["image_id"], table["PredictionString"], strict=True):
        require(isinstance(cell, str), "missing or no text")
        values = numbers_of(cell.split(" "))
        require(len(values) % 6 == 0, "six values a box")
        for at in range(0, len(values), 6):
            name, confidence, *corners = values[at : at + 6]
            require(math.isfinite(name), "no class")
            found.append(Detection(len(found), image, int(name), confidence, corners))
    return found


def verdicts(found: list[Detection], truth: list[Detection]) -> list[tuple[float, str]]:
    """Right, wrong or dropped, for one class in one image; the number 0 means no match."""
    order = np.argsort([-box.confidence for box in found], kind="mergesort")[:100]
    taken_by = [0] * len(truth)
    judged = []
    for box in (found[place] for place in order):
        best, most = None, 0.4
        for place, true in enumerate(truth):
            shared = evaluator_overlap(box.corners, true.corners)
            if taken_by[place] == 0 and shared >= most:
                best, most = place, shared
        match = 0
        if best is not None:
            taken_by[best], match = box.number, truth[best].number
        verdict = "right" if match else "dropped" if box.is_odd else "wrong"
        judged.append((box.confidence, verdict))
    return judged


def evaluator_overlap(one: list[float], other: list[float]) -> float:
    sides = [
        min(one[k] + one[k + 2], other[k] + other[k + 2]) - max(one[k], other[k]) for k in (0, 1)
    ]
    if min(sides) <= 0:
        return 0.0
    shared = sides[0] * sides[1]
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def sampled_precision(judged: list[tuple[float, str]], total: int) -> float:
    """The mean of the precision at a hundred and one steps of recall."""
    order = np.argsort([-confidence for confidence, _ in judged], kind="mergesort")
    right = wrong = 0
    curve = []  # recall and precision
    for place in order:
        right += judged[place][1] == "right"
        wrong += judged[place][1] == "wrong"
        curve.append((right / total, right / (right + wrong + 2.220446049250313e-16)))
    best, envelope = 0.0, []
    for recall, precision in reversed(curve):
        best = max(best, precision)
        envelope.append((recall, best))
    envelope.reverse()
    steps = np.linspace(0, 1, 101).tolist()
    samples = [next((p for recall, p in envelope if recall >= step), 0.0) for step in steps]
    return sum(samples) / len(samples)


JUDGES = {
    "h-and-m-personalized-fashion-recommendations": fashion,
    "hotel-id-2021-fgvc8": partial(one_label_of, key="image", target="hotel_id"),
    "kuzushiji-recognition": characters,
    "multi-modal-gesture-recognition": gestures,
    "siim-covid19-detection": covid,
    "vinbigdata-chest-xray-abnormalities-detection": lungs,
    "whale-categorization-playground": whales,
}
