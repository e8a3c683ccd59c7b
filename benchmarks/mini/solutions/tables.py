"""Solutions that learn from one table and predict for the rows of another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution
from benchmarks.mini.solutions.models import Make

Features = Callable[[pd.DataFrame], Any]
"""Makes numbers of the rows of either table."""


def read(public: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows to learn from, and those to predict."""
    train, test = (pd.read_csv(public / f"{side}.csv") for side in ("train", "test"))
    return train, test


def predicting(make: Make, features: Features, target: str, low: float = -np.inf) -> Solution:
    """A number for each row, never below ``low``."""

    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        model = make().fit(features(train), train[target].to_numpy())
        return test[["id"]].assign(**{target: np.maximum(model.predict(features(test)), low)})

    return solve


def ranking(make: Make, features: Features, target: str) -> Solution:
    """The probability of the second of two classes for each row."""

    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        model = make().fit(features(train), train[target].to_numpy())
        return test[["id"]].assign(**{target: model.predict_proba(features(test))[:, 1]})

    return solve


def sharing(make: Make, features: Features, target: str) -> Solution:
    """The probabilities of all classes for each row; none is quite 0."""

    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        model = make().fit(features(train), train[target].to_numpy())
        shares = np.clip(model.predict_proba(features(test)), 1e-4, None)
        shares /= shares.sum(axis=1, keepdims=True)
        return test[["id"]].join(pd.DataFrame(shares, columns=model.classes_))

    return solve


def columns(*names: str) -> Features:
    """Some columns as they are."""
    return lambda table: table[[*names]].to_numpy(float)
