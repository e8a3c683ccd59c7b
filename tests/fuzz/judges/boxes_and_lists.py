"""Judges of competitions that ask for lists: of guesses, of labels, of points and of boxes."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from tests.fuzz.judges.families import in_order
from tests.fuzz.reading import InvalidError, require


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


JUDGES = {
    "h-and-m-personalized-fashion-recommendations": fashion,
    "hotel-id-2021-fgvc8": partial(one_label_of, key="image", target="hotel_id"),
    "multi-modal-gesture-recognition": gestures,
    "whale-categorization-playground": whales,
}
