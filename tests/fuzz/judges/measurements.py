"""Judges of competitions that ask for measurements."""

from __future__ import annotations

import math

import pandas as pd

from tests.fuzz.judges.families import finite
from tests.fuzz.reading import numbers, require, require_columns


def couplings(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "id", "scalar_coupling_constant")
    require(pd.api.types.is_numeric_dtype(table["id"].dtype), "ids are text")
    require(set(table["id"].tolist()) == set(answers["id"].tolist()), "other ids")
    finite(table["scalar_coupling_constant"])
    truth = answers.set_index("id")
    errors: dict[str, list[float]] = {}
    guesses = numbers(table["scalar_coupling_constant"])
    for one, guess in zip(table["id"].tolist(), guesses, strict=True):
        row = truth.loc[one]
        error = abs(float(guess) - row["scalar_coupling_constant"])
        errors.setdefault(row["type"], []).append(error)
    means = [sum(own) / len(own) for own in errors.values()]
    logs = [math.log(mean) if mean else -math.inf for mean in means]
    return sum(logs) / len(logs)


JUDGES = {
    "champs-scalar-coupling": couplings,
}
