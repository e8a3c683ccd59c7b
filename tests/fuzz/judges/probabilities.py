"""Judges of competitions that ask for the probabilities of something."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from tests.fuzz.judges.families import (
    auc,
    auc_of,
    finite,
    in_order,
    in_range,
    log_loss_of,
    share,
    whole,
)
from tests.fuzz.reading import numbers, require, require_columns


def apple_leaves(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    states = ["healthy", "multiple_diseases", "rust", "scab"]
    require(set(table.columns) == {"image_id", *states}, "columns")
    cells = in_order(table, answers, "image_id", *states)
    for state in states:
        finite(table[state])
    return math.fsum(auc(answers[state].tolist(), cells[state]) for state in states) / len(states)


def leaves(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(set(table.columns) == set(answers.columns), "columns")
    return log_loss_of(table, answers, "id")


def breasts(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    in_order(table, answers, "prediction_id", "cancer")
    chances = table.assign(cancer=numbers(table["cancer"]))
    cells = in_order(chances, answers, "prediction_id", "cancer")["cancer"]
    require(not all(cell < 0 for cell in cells), "all negative")
    if any(math.isnan(cell) for cell in cells):
        return 0.0
    cut = [min(max(cell, 0), 1) for cell in cells]
    pairs = list(zip(cut, answers["cancer"].tolist(), strict=True))
    hits = math.fsum(chance for chance, truth in pairs if truth)
    if not hits:
        return 0.0
    precision, recall = hits / math.fsum(cut), hits / sum(truth for _, truth in pairs)
    return 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0


def vertebrae(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "row_id", "fractured")["fractured"]
    in_range(table["fractured"], 0, 1)
    studies: dict[str, list[tuple[int, float]]] = {}
    for one, chance, truth in zip(answers["row_id"], cells, answers["fractured"], strict=True):
        study, kind = one.split("_", 1)
        weight = (7 if kind == "patient_overall" else 1) * (1 + truth)
        clipped = min(max(chance, 1e-15), 1 - 1e-15)
        loss = -math.log(clipped if truth else 1 - clipped)
        studies.setdefault(study, []).append((weight, loss))
    means = [
        math.fsum(weight * loss for weight, loss in rows) / sum(weight for weight, _ in rows)
        for rows in studies.values()
    ]
    return math.fsum(means) / len(means)


def spoken_words(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "fname", "label")["label"]
    require(not table["label"].isna().any(), "missing")
    if pd.api.types.is_numeric_dtype(table["label"].dtype):
        whole(table["label"])
    pairs = zip(cells, answers["label"].tolist(), strict=True)
    return share([guess == truth for guess, truth in pairs])


def brain_waves(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    votes = [name for name in answers.columns if name.endswith("_vote")]
    require_columns(table, "eeg_id", *votes)
    require(len(table) == len(answers), "row count")
    guesses = table.drop(columns="eeg_id")
    for name in guesses.columns:
        kind = guesses[name].dtype
        require(pd.api.types.is_numeric_dtype(kind), f"{name} is text")
        require(not pd.api.types.is_bool_dtype(kind), f"{name} is of truth values")
        cells = [cell for cell in guesses[name].tolist() if not math.isnan(cell)]
        require(all(0 <= cell <= 1 for cell in cells), "range")
    require(all(round(total, 5) == 1 for total in _row_sums(guesses[votes])), "sum")
    require(all(abs(total - 1) <= 1e-8 + 1e-5 for total in _row_sums(guesses)), "whole sum")
    require(pd.api.types.is_numeric_dtype(table["eeg_id"].dtype), "ids are text")
    require(set(table["eeg_id"].tolist()) == set(answers["eeg_id"].tolist()), "other ids")
    if table["eeg_id"].tolist() != answers["eeg_id"].tolist():
        table, answers = table.sort_values("eeg_id"), answers.sort_values("eeg_id")
    costs = []
    for vote in votes:
        is_whole = pd.api.types.is_integer_dtype(table[vote].dtype)
        totals = answers[votes].sum(axis=1).tolist()
        rows = zip(table[vote].tolist(), answers[vote].tolist(), totals, strict=True)
        for guess, count, total in rows:
            chance = guess if is_whole else min(max(guess, 1e-15), 1 - 1e-15)
            if count and not math.isnan(guess):
                share = count / total
                costs.append(share * math.log(share / chance) if chance else math.inf)
    return math.fsum(costs) / len(table)


def _row_sums(table: pd.DataFrame) -> list[float]:
    """The sums of all rows, without what is missing."""
    rows = table.astype(float).to_numpy().tolist()
    return [math.fsum(cell for cell in row if not math.isnan(cell)) for row in rows]


def contacts(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "contact_id", "contact")["contact"]
    whole(table["contact"])
    truth = answers["contact"].tolist()
    hits = share([guess == true for guess, true in zip(cells, truth, strict=True)])
    labels, rows = {*cells, *truth}, len(truth)
    given = {label: sum(cell == label for cell in cells) / rows for label in labels}
    right = {label: sum(cell == label for cell in truth) / rows for label in labels}
    by_chance = math.fsum(given[label] * right[label] for label in labels)
    spreads = [1 - math.fsum(part**2 for part in side.values()) for side in (given, right)]
    if len({*cells}) == 1 or len({*truth}) == 1:
        return 0.0
    return (hits - by_chance) / math.sqrt(math.prod(spreads))


JUDGES = {
    "hms-harmful-brain-activity-classification": brain_waves,
    "leaf-classification": leaves,
    "mlsp-2013-birds": partial(auc_of, key="Id", target="Probability"),
    "nfl-player-contact-detection": contacts,
    "plant-pathology-2020-fgvc7": apple_leaves,
    "rsna-breast-cancer-detection": breasts,
    "rsna-2022-cervical-spine-fracture-detection": vertebrae,
    "tensorflow-speech-recognition-challenge": spoken_words,
}
