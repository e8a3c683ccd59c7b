"""Phishing websites."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution
from benchmarks.mini.solutions.models import (
    classifiers,
    gaussian_process,
    logistic,
    scaled,
    slow_boosting,
)
from benchmarks.mini.solutions.tables import columns, ranking

TARGET = "is_phishing"
SINGLE = ("https", "popup_window", "long_url", "ip_in_url", "anchor_from_other_domain")


def numbers(table: pd.DataFrame) -> Any:
    return table.drop(columns=["id", TARGET], errors="ignore").to_numpy(float)


def values(table: pd.DataFrame) -> Any:
    """A column for each value of each column."""
    known = numbers(table)
    return np.column_stack([known == value for value in (0.0, 0.5, 1.0)]).astype(float)


def solutions() -> dict[str, Solution]:
    made = {f"logistic by {name}": ranking(logistic, columns(name), TARGET) for name in SINGLE}
    for name, make in classifiers().items():
        made[name] = ranking(make, numbers, TARGET)
    return made | {
        "logistic by value": ranking(lambda: scaled(logistic(0.1)), values, TARGET),
        "LightGBM by value": ranking(slow_boosting, values, TARGET),
        "Gaussian process": ranking(gaussian_process, numbers, TARGET),
    }
