"""Judges of the ten competitions that were written first."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tests.fuzz.boxes import mean_average_precision
from tests.fuzz.judges.families import auc_of, quadratic_kappa_of
from tests.fuzz.reading import (
    DontCareError,
    InvalidError,
    by_id,
    numbers,
    require,
    require_columns,
    texts,
)


def spaceship(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(len(table) == len(answers), "row count")
    require_columns(table, "Transported", "PassengerId")
    order = by_id(table, "PassengerId", answers)
    column = table["Transported"]
    words = {cell for cell in column.tolist() if isinstance(cell, str)}
    if len(words) > 2 and not column.isna().any():
        raise DontCareError("mixed truth", score=0.0)
    guesses = _labels(column)
    hits = [guesses[row] == truth for row, truth in zip(order, answers["Transported"], strict=True)]
    return sum(hits) / len(hits)


def _labels(column: pd.Series[Any]) -> list[float]:
    values = numbers(column)
    require(all(math.isfinite(value) for value in values), "label missing or infinite")
    require(all(value == math.floor(value) for value in values), "fractional label")
    if any(abs(value) >= 2**63 for value in values):
        raise DontCareError("huge label")
    return values


def patents(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(len(table) == len(answers), "row count")
    require_columns(table, "id", "score")
    order = by_id(table, "id", answers)
    guesses = numbers(table["score"])
    x, y = [float(guesses[row]) for row in order], [float(truth) for truth in answers["score"]]
    if not all(math.isfinite(value) for value in x) or min(x) == max(x):
        return math.nan
    size = max(map(abs, x))
    if not 1e-140 < size < 1e140 or max(x) - min(x) < 1e-7 * size:
        raise DontCareError("unstable correlation")
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    shared = math.fsum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    x_spread = math.fsum((a - x_mean) ** 2 for a in x)
    y_spread = math.fsum((b - y_mean) ** 2 for b in y)
    return shared / math.sqrt(x_spread) / math.sqrt(y_spread)


def nomad(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    targets = ("formation_energy_ev_natom", "bandgap_energy_ev")
    require_columns(table, *targets)
    require(len(table) == len(answers), "row count")
    errors = []
    for target in targets:
        guesses = numbers(table[target])
        require(all(0 <= guess < math.inf for guess in guesses), "negative, missing or infinite")
        half = pd.api.types.is_bool_dtype(table[target].dtype)
        logs = [float(np.float16(math.log1p(g))) if half else math.log1p(g) for g in guesses]
        squares = [
            (log - math.log1p(truth)) ** 2
            for log, truth in zip(logs, answers[target].tolist(), strict=True)
        ]
        errors.append(math.sqrt(math.fsum(squares) / len(squares)))
    return sum(errors) / 2


def petfinder(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "Id", "Pawpularity")
    guesses = numbers(table["Pawpularity"])
    require(all(1 <= guess <= 100 for guess in guesses), "range")
    order = by_id(table, "Id", answers)
    pairs = zip(order, answers["Pawpularity"].tolist(), strict=True)
    squares = [(guesses[row] - truth) ** 2 for row, truth in pairs]
    return math.sqrt(math.fsum(squares) / len(squares))


def spooky(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    authors = ("EAP", "HPL", "MWS")
    require(table.shape == (len(answers), 4), "shape")
    require(table.columns[0] == "id", "id is not first")
    require_columns(table, "id", *authors)
    columns = [numbers(table[author]) for author in authors]
    rows = list(zip(*columns, strict=True))
    for chances in rows:
        require(all(0 <= chance <= 1 for chance in chances), "range")
        require(abs(math.fsum(chances) - 1) <= 1e-6 + 1e-5, "sum")
    order = by_id(table, "id", answers)
    tiny = 2.220446049250313e-16
    losses = []
    for row, truth in zip(order, answers[[*authors]].values.tolist(), strict=True):
        chance = float(rows[row][truth.index(1)])
        losses.append(-math.log(min(max(chance, tiny), 1 - tiny)))
    return math.fsum(losses) / len(losses)


def questions(table: pd.DataFrame, answers: list[dict[str, Any]]) -> float:
    require(len(table) == 2 * len(answers), "row count")
    require_columns(table, "example_id", "PredictionString")
    right = _right_answers(answers)
    ids = [str(cell) for cell in table["example_id"].tolist()]
    require(set(ids) == set(right), "other ids")
    require(len(set(ids)) == len(ids), "repeated ids")
    hits = 0
    for one, cell in zip(ids, table["PredictionString"].tolist(), strict=True):
        answer = _answer("" if pd.isna(cell) else str(cell))
        hits += answer in right[one] if answer else not right[one]
    return hits / len(ids)


def _answer(text: str) -> str:
    text = text.strip()
    if text.count(":") != 1:
        require(text in ("YES", "NO", ""), "word")
        return text
    start, end = text.split(":")
    try:
        return f"{int(start)}:{int(end)}"
    except ValueError as error:
        raise InvalidError("span") from error


def _right_answers(answers: list[dict[str, Any]]) -> dict[str, list[str]]:
    right: dict[str, list[str]] = {}
    for record in answers:
        (annotation,) = record["annotations"]
        spans = [f"{s['start_token']}:{s['end_token']}" for s in annotation["short_answers"]]
        word, long = annotation["yes_no_answer"], annotation["long_answer"]
        right[f"{record['example_id']}_short"] = spans + ([word] if word != "NONE" else [])
        right[f"{record['example_id']}_long"] = (
            [] if long["start_token"] == -1 else [f"{long['start_token']}:{long['end_token']}"]
        )
    return right


def lyft(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(len(table) == len(answers), "row count")
    require_columns(table, "Id", "PredictionString")
    order = by_id(table, "Id", answers)
    guesses = texts(table["PredictionString"])
    truths = texts(answers["PredictionString"])
    values = [
        mean_average_precision(guesses[row], truth)
        for row, truth in zip(order, truths, strict=True)
    ]
    return sum(values) / len(values)


JUDGES = {
    "spaceship-titanic": spaceship,
    "us-patent-phrase-to-phrase-matching": patents,
    "nomad2018-predict-transparent-conductors": nomad,
    "petfinder-pawpularity-score": petfinder,
    "spooky-author-identification": spooky,
    "aptos2019-blindness-detection": partial(quadratic_kappa_of, key="id_code", target="diagnosis"),
    "tensorflow2-question-answering": questions,
    "random-acts-of-pizza": partial(auc_of, key="request_id", target="requester_received_pizza"),
    "3d-object-detection-for-autonomous-vehicles": lyft,
}
