"""Judges of competitions about comments, tags and opinions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from tests.fuzz.judges.families import auc_of, in_order, in_range, log_loss, micro_f1
from tests.fuzz.reading import require, require_columns, texts


def battles(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    outcomes = ["winner_model_a", "winner_model_b", "winner_tie"]
    cells = in_order(table, answers, "id", *outcomes)
    for outcome in outcomes:
        in_range(table[outcome], 0, 1)
    rows = list(zip(*cells.values(), strict=True))
    require(all(round(math.fsum(row), 6) == 1 for row in rows), "sum")
    return log_loss(answers[outcomes].to_numpy().tolist(), rows)


def tagged(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The micro F1 of tags; those that no answer has are dropped."""
    in_order(table, answers, key, target)
    as_text = table.assign(**{target: texts(table[target])})
    cells = in_order(as_text, answers, key, target)[target]
    truth = [set(text.split()) for text in texts(answers[target])]
    known = set().union(*truth)
    return micro_f1(truth, [set(text.split()) & known for text in cells])


def icebergs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    chances = in_order(table, answers, "id", "is_iceberg")["is_iceberg"]
    in_range(table["is_iceberg"], 0, 1)
    truth = [[1 - label, label] for label in answers["is_iceberg"].tolist()]
    return log_loss(truth, [(1 - chance, chance) for chance in chances])


def ratings(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    targets = [name for name in answers.columns if name != "qa_id"]
    require_columns(table, "qa_id", *targets)
    require(len(table.columns) == 31, "column count")
    require(len(table) == len(answers), "row count")
    # Ids are not compared, and this sort decides about repeated ones.
    given, wanted = table.sort_values("qa_id"), answers.sort_values("qa_id")
    values = [spearman(given[name].tolist(), wanted[name].tolist()) for name in targets]
    return math.fsum(values) / len(values)


def spearman(guesses: Sequence[Any], truth: Sequence[float]) -> float:
    """The correlation of the ranks; texts have one, too."""
    if any(guess != guess for guess in guesses) or len(set(guesses)) == 1:
        return math.nan
    pairs = list(zip(ranks(guesses), ranks(truth), strict=True))
    middle = (len(pairs) + 1) / 2
    both = sum((one - middle) * (other - middle) for one, other in pairs)
    spreads = [sum((rank - middle) ** 2 for rank in side) for side in zip(*pairs, strict=True)]
    return both / math.sqrt(spreads[0] * spreads[1])


def ranks(values: Sequence[Any]) -> list[float]:
    """How many values are smaller, equal ones and the value itself counting half."""
    return [
        sum(other < value for other in values) + (1 + values.count(value)) / 2 for value in values
    ]


JUDGES = {
    "detecting-insults-in-social-commentary": partial(auc_of, key="Comment", target="Insult"),
    "facebook-recruiting-iii-keyword-extraction": partial(tagged, key="Id", target="Tags"),
    "google-quest-challenge": ratings,
    "lmsys-chatbot-arena": battles,
    "plant-pathology-2021-fgvc8": partial(tagged, key="image", target="labels"),
    "statoil-iceberg-classifier-challenge": icebergs,
}
