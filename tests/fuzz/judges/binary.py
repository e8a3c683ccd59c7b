"""Judges of competitions that ask whether something is the case."""

from __future__ import annotations

from functools import partial

import pandas as pd

from tests.fuzz.judges.families import auc, auc_of, in_order, in_range, log_loss

CATHETERS = (
    "ETT - Abnormal", "ETT - Borderline", "ETT - Normal", "NGT - Abnormal", "NGT - Borderline",
    "NGT - Incompletely Imaged", "NGT - Normal", "CVC - Abnormal", "CVC - Borderline",
)  # fmt: skip


def catheters(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "StudyInstanceUID", *CATHETERS)
    for finding in CATHETERS:
        in_range(table[finding], 0, 1)
    areas = [auc(answers[finding].tolist(), cells[finding]) for finding in CATHETERS]
    return sum(areas) / len(areas)


def dogs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    chances = in_order(table, answers, "id", "label")["label"]
    in_range(table["label"], 0, 1)
    one_hot = [[1 - label, label] for label in answers["label"].tolist()]
    return log_loss(one_hot, [[1 - float(chance), float(chance)] for chance in chances])


JUDGES = {
    "dogs-vs-cats-redux-kernels-edition": dogs,
    "histopathologic-cancer-detection": partial(auc_of, key="id", target="label"),
    "ranzcr-clip-catheter-line-classification": catheters,
    "rsna-miccai-brain-tumor-radiogenomic-classification": partial(
        auc_of, key="BraTS21ID", target="MGMT_value"
    ),
    "seti-breakthrough-listen": partial(auc_of, key="id", target="target"),
    "siim-isic-melanoma-classification": partial(auc_of, key="image_name", target="target"),
    "the-icml-2013-whale-challenge-right-whale-redux": partial(
        auc_of, key="clip", target="probability"
    ),
}
