"""Judges of competitions that ask for the class of each row."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tests.fuzz.judges.families import (
    accuracy_of,
    cut_labels,
    cut_macro_f1_of,
    in_order,
    macro_f1,
    share,
    whole,
)
from tests.fuzz.reading import DontCareError, InvalidError, require, require_columns


def paddy(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "image_id", "label")["label"]
    column = table["label"]
    if _holds_numbers(column) and not column.isna().any():
        whole(column)
    return share([guess == truth for guess, truth in zip(cells, answers["label"], strict=True)])


def seedlings(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "file", "species")["species"]
    column = table["species"]
    require(not _holds_numbers(column) and not column.isna().all(), "no names")
    require(any(isinstance(cell, str) for cell in cells), "truth values")
    return share([guess == truth for guess, truth in zip(cells, answers["species"], strict=True)])


def inaturalist(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "predicted")["predicted"]
    guesses = [_first_number(cell) for cell in cells]
    if any(abs(guess) >= 2**63 for guess in guesses):
        raise DontCareError("huge label")
    pairs = zip(guesses, answers["predicted"], strict=True)
    return 1 - share([guess == truth for guess, truth in pairs])


def _first_number(cell: Any) -> int:
    if isinstance(cell, int):
        return int(cell)
    require(isinstance(cell, str) and cell.split(), "missing or broken")
    try:
        return int(cell.split()[0])
    except ValueError as error:
        raise InvalidError("no whole number") from error


def wild_animals(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    guesses, truths = _sorted_by_id(table, answers, "Category")
    column = table["Category"]
    if _holds_numbers(column):
        whole(column)
    else:
        require(not column.isna().any(), "missing")
    return share([guess == truth for guess, truth in zip(guesses, truths, strict=True)])


def californian_animals(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    guesses, truths = _sorted_by_id(table, answers, "Category")
    return macro_f1(truths, cut_labels(pd.Series(guesses, dtype=object)))


def _sorted_by_id(
    table: pd.DataFrame, answers: pd.DataFrame, target: str
) -> tuple[list[Any], list[Any]]:
    """Both sides sorted by ids, which repeat, as pandas 2 does it, in no stable way."""
    require_columns(table, "Id", target)
    require(len(table) == len(answers), "row count")
    require(all(isinstance(cell, str) for cell in table["Id"].tolist()), "ids are no text")
    ids, labels = [], []
    for side in (table, answers):
        order = np.argsort(np.array(side["Id"].tolist(), dtype=object), kind="quicksort").tolist()
        ids.append([side["Id"].tolist()[row] for row in order])
        labels.append([side[target].tolist()[row] for row in order])
    require(ids[0] == ids[1], "other ids")
    return labels[0], labels[1]


def _holds_numbers(column: pd.Series[Any]) -> bool:
    """Whether every filled cell was read as a number or as a truth value."""
    return pd.api.types.is_numeric_dtype(column.dtype)


JUDGES = {
    "cdiscount-image-classification-challenge": partial(
        accuracy_of, key="_id", target="category_id"
    ),
    "herbarium-2021-fgvc8": partial(cut_macro_f1_of, key="Id", target="Predicted"),
    "herbarium-2022-fgvc9": partial(cut_macro_f1_of, key="Id", target="Predicted"),
    "inaturalist-2019-fgvc6": inaturalist,
    "iwildcam-2019-fgvc6": californian_animals,
    "iwildcam-2020-fgvc7": wild_animals,
    "ml2021spring-hw2": partial(accuracy_of, key="Id", target="ClassId"),
    "paddy-disease-classification": paddy,
    "plant-seedlings-classification": seedlings,
}
