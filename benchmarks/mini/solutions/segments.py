"""Segments of pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution
from benchmarks.mini.solutions.models import classifiers, extra_trees, logistic, scaled
from benchmarks.mini.solutions.tables import columns, sharing

TARGET = "category"
SINGLE = ("hue_mean", "region_centroid_row", "hedge_mean")
LONG_TAILS = ("vedge_mean", "vedge_sd", "hedge_mean", "hedge_sd")


def numbers(table: pd.DataFrame) -> Any:
    return table.drop(columns=["id", TARGET], errors="ignore").to_numpy(float)


def drawn_in(table: pd.DataFrame) -> Any:
    """All columns, those with long tails by their logarithm."""
    return np.column_stack([numbers(table), np.log1p(table[[*LONG_TAILS]])])


def solutions() -> dict[str, Solution]:
    made = {
        f"logistic by {name}": sharing(lambda: scaled(logistic()), columns(name), TARGET)
        for name in SINGLE
    }
    for name, make in classifiers().items():
        made[name] = sharing(make, numbers, TARGET)
    return made | {
        "logistic with logarithms": sharing(lambda: scaled(logistic(10)), drawn_in, TARGET),
        "mean of five models with logarithms": sharing(
            classifiers()["mean of five models"], drawn_in, TARGET
        ),
        "stack of five models with logarithms": sharing(
            classifiers()["stack of five models"], drawn_in, TARGET
        ),
        "extra trees of all columns": sharing(
            lambda: extra_trees(500, max_features=None), drawn_in, TARGET
        ),
    }
