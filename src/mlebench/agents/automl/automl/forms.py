"""Answers that are neither numbers nor classes nor marks: texts, masks, boxes, orders."""

from __future__ import annotations

import re

import pandas as pd

from .metrics import Metric

NUMBERS = re.compile(r"(?:-?\d+(?:\.\d+)?(?:e-?\d+)?[ ,;]+){3,}-?\d+(?:\.\d+)?", re.IGNORECASE)
LOOKED_AT = 2000
MANY_DIFFERENT = 0.5
SOME = 0.02


def odd_form(
    train: pd.DataFrame, test: pd.DataFrame, target: str, metric: Metric | None
) -> str | None:
    """Why a column to be predicted is no list of classes; None if it may be one."""
    column = train[target].dropna()
    if column.dtype.kind in "biuf" or column.empty:
        return None
    texts = column.head(LOOKED_AT).astype(str)
    if texts.str.contains(NUMBERS).mean() > MANY_DIFFERENT:
        return "Lists of numbers are to be predicted."
    if (name := text_within(train, test, target)) is not None:
        return f"What is to be predicted is a part of {name}, or says the same."
    words = texts.map(str.split)
    is_ranking = metric is not None and metric.wants == "ranking"
    if not is_ranking and (words.map(len) > 1).mean() > SOME:
        repeated = words.explode().value_counts()
        if texts.nunique() > MANY_DIFFERENT * len(texts) and len(repeated) > texts.nunique() / 2:
            return "Texts are to be predicted."
    if not is_ranking and texts.nunique() > 0.9 * len(texts) and len(texts) > 20:
        return "Nearly every row has an answer of its own."
    if texts.str.len().mean() > 20 and column.nunique() > 0.3 * len(column):
        return "Texts are to be predicted."
    return None


def text_within(train: pd.DataFrame, test: pd.DataFrame, target: str) -> str | None:
    """The column of texts, known of all rows, that mostly contains what is to be predicted."""
    known = train[train[target].notna()].head(LOOKED_AT)
    wanted = known[target].astype(str).str.strip()
    if wanted.nunique() < 3:
        return None
    for name in train.columns:
        if name == target or name not in test.columns or known[name].dtype.kind in "biuf":
            continue
        pairs = zip(wanted, known[name], strict=True)
        if sum(isinstance(text, str) and one in text for one, text in pairs) > MANY_DIFFERENT * len(
            known
        ):
            return str(name)
    return None
