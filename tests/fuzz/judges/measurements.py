"""Judges of competitions that ask for measurements."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
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


def as_floats(cells: list[Any]) -> list[float]:
    """What Python's ``float`` makes of each cell; invalid unless all of it is finite."""
    try:
        values = [float(cell) for cell in cells]
    except (ValueError, OverflowError) as error:
        require(False, str(error))
    require(all(map(math.isfinite, values)), "missing or infinite")
    return values


def breaths(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "pressure")["pressure"]
    scored = [row for row, out in enumerate(answers["u_out"]) if out == 0]
    guesses = as_floats([cells[row] for row in scored])
    truth = [answers["pressure"][row] for row in scored]
    errors = [abs(guess - true) for guess, true in zip(guesses, truth, strict=True)]
    return sum(errors) / len(errors)


def fares(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "fare_amount", "key")
    require(len(table) == len(answers), "row count")
    finite(table["fare_amount"])
    numbered = table.assign(fare_amount=numbers(table["fare_amount"]))
    try:
        guesses = numbered.sort_values("key")["fare_amount"]
    except TypeError as error:
        require(False, str(error))
    truth = answers.sort_values("key")["fare_amount"]
    pairs = zip(guesses.tolist(), truth.tolist(), strict=True)
    return root_mean_square([float(guess) - true for guess, true in pairs])


def neutrinos(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require(sorted(table.columns) == ["azimuth", "event_id", "zenith"], "columns")
    for angle in ("azimuth", "zenith"):
        require(not pd.api.types.is_bool_dtype(table[angle].dtype), "truth values")
        finite(table[angle])
    cells = in_order(table, answers, "event_id", "azimuth", "zenith")
    rows = zip(answers["azimuth"], answers["zenith"], *cells.values(), strict=True)
    angles = []
    for azimuth, zenith, guess, height in rows:
        turn = math.cos(azimuth) * math.cos(guess) + math.sin(azimuth) * math.sin(guess)
        level = math.sin(zenith) * math.sin(height)
        cosine = level * turn + math.cos(zenith) * math.cos(height)
        angles.append(math.acos(min(max(cosine, -1.0), 1.0)))
    return sum(angles) / len(angles)


def trips(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    places = ["LatitudeDegrees", "LongitudeDegrees"]
    require_columns(table, "tripId", "UnixTimeMillis", *places)
    require(len(table) == len(answers), "row count")
    for degrees in places:
        numbers(table[degrees])
    scores = []
    for trip in answers["tripId"].unique():
        given, wanted = table[table["tripId"] == trip], answers[answers["tripId"] == trip]
        require(len(given) == len(wanted), "rows of a trip")
        columns = [side[degrees] for degrees in places for side in (wanted, given)]
        with np.errstate(invalid="ignore"):
            metres = distances(*(np.radians(column.to_numpy()) for column in columns))
        scores.append((np.quantile(metres, 0.5) + np.quantile(metres, 0.95)) / 2)
    return float(np.mean(scores))


def distances(first: Any, second: Any, east: Any, other_east: Any) -> Any:
    """Metres between places in radians: two latitudes, two longitudes."""
    across = np.sin((other_east - east) / 2) ** 2
    halves = np.sin((second - first) / 2) ** 2 + np.cos(first) * np.cos(second) * across
    return 2 * 6_371_000 * np.arcsin(np.sqrt(halves))


def bases(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    targets = ("reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C")
    in_order(table, answers, "id_seqpos", *targets)
    by_id = sorted(range(len(table)), key=table["id_seqpos"].tolist().__getitem__)
    kept = answers["keep"].tolist()
    truth = answers.sort_values("id_seqpos")[answers.sort_values("id_seqpos")["keep"]]
    errors = []
    for target in ("reactivity", "deg_Mg_pH10", "deg_Mg_50C"):
        cells = table[target].tolist()
        guesses = as_floats([cells[row] for row in by_id if kept[row]])
        pairs = zip(guesses, truth[target].tolist(), strict=True)
        errors.append(root_mean_square([guess - true for guess, true in pairs]))
    return sum(errors) / len(errors)


def root_mean_square(errors: list[float]) -> float:
    try:
        return math.sqrt(sum(error**2 for error in errors) / len(errors))
    except OverflowError:
        return math.inf


def lungs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    require_columns(table, "Patient_Week", "FVC", "Confidence")
    require(len(table), "untyped columns")
    require(set(table["Patient_Week"].tolist()) <= set(answers["Patient_Week"]), "other ids")
    volumes, spreads = numbers(table["FVC"]), numbers(table["Confidence"])
    visits = answers[answers["FVC"].notna()].sort_values("Weeks").groupby("Patient").tail(3)
    truth = dict(zip(visits["Patient_Week"], visits["FVC"], strict=True))
    rows = zip(table["Patient_Week"].tolist(), volumes, spreads, strict=True)
    scored = [row for row in rows if row[0] in truth]
    given = {one for one, *_ in scored}
    require(len(given) == len(scored) or len(given) == 1, "a scored week twice")
    values = []
    for one, volume, confidence in scored:
        spread = max(0 if math.isnan(confidence) else confidence, 70)
        if math.isnan(volume):
            return math.nan
        error = min(abs(truth[one] - volume), 1000)
        values.append(-math.sqrt(2) * error / spread - math.log(math.sqrt(2) * spread))
    return sum(values) / len(values) if values else math.nan


JUDGES = {
    "champs-scalar-coupling": couplings,
    "icecube-neutrinos-in-deep-ice": neutrinos,
    "new-york-city-taxi-fare-prediction": fares,
    "osic-pulmonary-fibrosis-progression": lungs,
    "playground-series-s3e18": enzymes,
    "predict-volcanic-eruptions-ingv-oe": eruptions,
    "smartphone-decimeter-2022": trips,
    "stanford-covid-vaccine": bases,
    "tabular-playground-series-dec-2021": partial(accuracy_of, key="Id", target="Cover_Type"),
    "tabular-playground-series-may-2022": partial(auc_of, key="id", target="target"),
    "ventilator-pressure-prediction": breaths,
}
