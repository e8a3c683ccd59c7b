"""Judges of competitions that ask whether something is the case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pandas as pd

from tests.fuzz.judges.families import auc, auc_of, in_order, in_range, log_loss
from tests.fuzz.reading import require

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


def hidden_messages(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "Id", "Label")["Label"]
    try:
        scores = [float(cell) for cell in cells]
    except ValueError as error:
        require(False, str(error))
    require(all(map(math.isfinite, scores)), "missing or infinite")
    return weighted_auc(answers["Label"].tolist(), scores)


def weighted_auc(truth: Sequence[int], scores: Sequence[float]) -> float:
    """The area to the right of the ROC curve; up to a true positive rate of 0.4 it counts twice."""
    yes, no = sum(truth), len(truth) - sum(truth)
    curve = [(0.0, 0.0)]
    for threshold in sorted(set(scores), reverse=True):
        above = [true for true, score in zip(truth, scores, strict=True) if score >= threshold]
        curve.append((above.count(0) / no, above.count(1) / yes))
    if 0.4 not in (y for _, y in curve):
        place = next(place for place, point in enumerate(curve) if point[1] > 0.4)
        (x0, y0), (x1, y1) = curve[place - 1 : place + 1]
        curve.insert(place, (x0 + (x1 - x0) * (0.4 - y0) / (y1 - y0), 0.4))
    low, high = band(curve, 0.0, 0.4), band(curve, 0.4, 1.0)
    return (2 * low + high) / 1.4


def band(curve: Sequence[tuple[float, float]], low: float, high: float) -> float:
    """The area between two true positive rates, by the trapezoid rule."""
    points = [(x, y - low) for x, y in curve if low <= y <= high] + [(1.0, high - low)]
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points))


JUDGES = {
    "alaska2-image-steganalysis": hidden_messages,
    "dogs-vs-cats-redux-kernels-edition": dogs,
    "histopathologic-cancer-detection": partial(auc_of, key="id", target="label"),
    "invasive-species-monitoring": partial(auc_of, key="name", target="invasive"),
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
