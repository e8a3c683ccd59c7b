"""Judges of competitions about comments, tags and opinions."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from tests.fuzz.judges.families import in_order, in_range, log_loss, micro_f1
from tests.fuzz.reading import require, texts


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


JUDGES = {
    "facebook-recruiting-iii-keyword-extraction": partial(tagged, key="Id", target="Tags"),
    "lmsys-chatbot-arena": battles,
    "plant-pathology-2021-fgvc8": partial(tagged, key="image", target="labels"),
}
