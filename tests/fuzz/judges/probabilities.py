"""Judges of competitions that ask for the probabilities of something."""

from __future__ import annotations

import math

import pandas as pd

from tests.fuzz.judges.families import auc, finite, in_order, log_loss_of
from tests.fuzz.reading import numbers, require


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


JUDGES = {
    "leaf-classification": leaves,
    "plant-pathology-2020-fgvc7": apple_leaves,
    "rsna-breast-cancer-detection": breasts,
}
