"""Judges of competitions that ask for one value or a few for each picture."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from tests.fuzz.judges.families import (
    accuracy_of,
    auc_of,
    cut_macro_f1_of,
    in_order,
    in_range,
    log_loss,
    micro_f1,
)
from tests.fuzz.reading import require, texts


def dog_breeds(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    breeds = [name for name in answers.columns if name != "id"]
    cells = in_order(table, answers, "id", *breeds)
    for breed in breeds:
        in_range(table[breed], 0, 1)
    rows = list(zip(*cells.values(), strict=True))
    require(all(abs(math.fsum(row) - 1) <= 1e-6 + 1e-5 for row in rows), "sum")
    return log_loss(answers[breeds].to_numpy().tolist(), rows)


def museum_pieces(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    in_order(table, answers, "id", "attribute_ids")
    tagged = table.assign(attribute_ids=texts(table["attribute_ids"]))
    cells = in_order(tagged, answers, "id", "attribute_ids")["attribute_ids"]
    truth = [set(text.split()) for text in answers["attribute_ids"].astype(str)]
    known = set().union(*truth)
    return micro_f1(truth, [set(text.split()) & known for text in cells])


JUDGES = {
    "aerial-cactus-identification": partial(auc_of, key="id", target="has_cactus"),
    "cassava-leaf-disease-classification": partial(accuracy_of, key="image_id", target="label"),
    "dog-breed-identification": dog_breeds,
    "herbarium-2020-fgvc7": partial(cut_macro_f1_of, key="Id", target="Predicted"),
    "imet-2020-fgvc7": museum_pieces,
}
