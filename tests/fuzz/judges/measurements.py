"""Judges of competitions that ask for measurements."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from tests.fuzz.judges.families import accuracy_of, auc, auc_of, finite, in_order
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


def enzymes(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "EC1", "EC2")
    for column in cells:
        finite(table[column])
    return sum(auc(answers[column].tolist(), own) for column, own in cells.items()) / 2


def eruptions(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "segment_id", "time_to_eruption")
    require(pd.api.types.is_numeric_dtype(table["segment_id"].dtype), "ids are text")
    truth = dict(zip(answers["segment_id"], answers["time_to_eruption"], strict=True))
    require(set(table["segment_id"].tolist()) == set(truth), "other ids")
    finite(table["time_to_eruption"])
    guesses = zip(table["segment_id"], numbers(table["time_to_eruption"]), strict=True)
    errors = [abs(float(guess) - truth[one]) for one, guess in guesses]
    mean = sum(errors) / len(errors)
    require(math.isfinite(mean), "no whole number")
    return round(mean)


JUDGES = {
    "champs-scalar-coupling": couplings,
    "playground-series-s3e18": enzymes,
    "predict-volcanic-eruptions-ingv-oe": eruptions,
    "tabular-playground-series-dec-2021": partial(accuracy_of, key="Id", target="Cover_Type"),
    "tabular-playground-series-may-2022": partial(auc_of, key="id", target="target"),
}
