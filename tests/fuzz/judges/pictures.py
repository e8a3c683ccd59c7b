"""Judges of competitions that ask for one value or a few for each picture."""

from __future__ import annotations

from functools import partial

import pandas as pd

from tests.fuzz.judges.families import (
    accuracy_of,
    auc_of,
    cut_macro_f1_of,
    in_order,
    log_loss_of,
    micro_f1,
)
from tests.fuzz.reading import texts


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
    "dog-breed-identification": partial(log_loss_of, key="id"),
    "herbarium-2020-fgvc7": partial(cut_macro_f1_of, key="Id", target="Predicted"),
    "imet-2020-fgvc7": museum_pieces,
}
