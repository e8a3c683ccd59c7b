"""Diamond prices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution
from benchmarks.mini.solutions.models import (
    mean_of_regressors,
    of_logarithm,
    regressors,
    scaled,
    small_steps,
    stack_of_regressors,
)
from benchmarks.mini.solutions.tables import columns, predicting, read
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

GRADES = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": [*"JIHGFED"],
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}
NUMBERS = ("carat", "depth", "table", "x", "y", "z")
LEAST = 100.0


def graded(table: pd.DataFrame) -> Any:
    """All columns, grades as their rank."""
    ranks = [table[name].map(order.index).to_numpy() for name, order in GRADES.items()]
    return np.column_stack([table[[*NUMBERS]].to_numpy(float), *ranks])


def divided(table: pd.DataFrame) -> Any:
    """All columns, with a column of its own for each grade."""
    grades = [table[name].eq(grade) for name, order in GRADES.items() for grade in order]
    return np.column_stack([table[[*NUMBERS]].to_numpy(float), *grades]).astype(float)


def logarithmic(table: pd.DataFrame) -> Any:
    """The logarithm of the weight, and a column for each grade."""
    return np.column_stack([np.log(table["carat"]), divided(table)[:, len(NUMBERS) :]])


def enriched(table: pd.DataFrame) -> Any:
    """Grades as ranks, and what follows from the sizes."""
    volume = table["x"] * table["y"] * table["z"]
    return np.column_stack([graded(table), volume, volume / table["carat"], np.log(table["carat"])])


def always(number: Any) -> Solution:
    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        return test[["id"]].assign(price=number(train["price"]))

    return solve


def means_by(name: str) -> Solution:
    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        means = train.groupby(name)["price"].mean()
        return test[["id"]].assign(price=test[name].map(means).fillna(train["price"].mean()))

    return solve


def solutions() -> dict[str, Solution]:
    made = {
        "mean price": always(pd.Series.mean),
        "median price": always(pd.Series.median),
        **{f"mean by {name}": means_by(name) for name in GRADES},
        **{
            f"linear in {name}": predicting(LinearRegression, columns(name), "price")
            for name in ("carat", "depth", "table", "x")
        },
        "logarithms: price by carat": predicting(
            lambda: of_logarithm(LinearRegression()), lambda t: np.log(t[["carat"]]), "price"
        ),
        "tree by carat": predicting(
            lambda: DecisionTreeRegressor(max_depth=5, random_state=0), columns("carat"), "price"
        ),
        "linear in all sizes": predicting(LinearRegression, columns(*NUMBERS), "price", LEAST),
    }
    for name, make in regressors().items():
        made[name] = predicting(make, graded, "price", LEAST)
    made |= {
        "ridge with a column for each grade": predicting(
            lambda: scaled(Ridge(1)), divided, "price", LEAST
        ),
        "logarithms: ridge": predicting(
            lambda: of_logarithm(scaled(Ridge(1))), logarithmic, "price", LEAST
        ),
        "logarithms: support vectors": predicting(
            lambda: of_logarithm(scaled(SVR(C=10, gamma=0.03, epsilon=0.03))),
            enriched,
            "price",
            LEAST,
        ),
        "logarithms: LightGBM in small steps": predicting(
            lambda: of_logarithm(small_steps()), enriched, "price", LEAST
        ),
        "LightGBM with ratios": predicting(small_steps, enriched, "price", LEAST),
        "mean of five models": predicting(mean_of_regressors, enriched, "price", LEAST),
        "stack of five models": predicting(stack_of_regressors, enriched, "price", LEAST),
    }
    return made
