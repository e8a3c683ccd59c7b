"""Series of several groups, named by group and time, with how sure one is of each value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .looking import Answer, Look

SPREAD = re.compile(r"confid|spread|sigma|std|uncert|error", re.IGNORECASE)
SLOPE_SHRUNK = 0.5
Values = NDArray[np.float64]


@dataclass(frozen=True)
class _Series:
    """A table of values by group and time, and the beginning of the series that go on."""

    group: str
    time: str
    known: pd.DataFrame
    begun: pd.DataFrame


def answers(look: Look) -> Iterator[Answer]:
    """The value a group had when it was last known, and the change that is usual since then."""
    spreads = [name for name in look.outputs if SPREAD.search(name)]
    values = [name for name in look.outputs if name not in spreads]
    if len(spreads) != 1 or len(values) != 1:
        return
    parts = look.sample[look.key].str.extract(r"(.+)_(-?\d+(?:\.\d+)?)")
    found = None if parts.isna().any().any() else _find(look, parts, values[0])
    if found is None:
        return
    value, spread = values[0], spreads[0]
    slope, errors = _learned(found, value)
    base = found.begun.drop_duplicates(found.group).set_index(found.group)
    asked_at = parts[1].astype(float).to_numpy()
    begun_at = base[found.time].reindex(parts[0]).to_numpy(dtype=float)
    begun = base[value].reindex(parts[0]).to_numpy(dtype=float)
    width = max(float(np.sqrt(2) * np.abs(errors).mean()), 1e-9)
    usual = (
        float(look.sample[value].astype(float).mean()),
        float(look.sample[spread].astype(float).mean()),
    )
    truth = found.known[value].to_numpy(dtype=float)
    table = look.filled(**{value: begun + slope * (asked_at - begun_at), spread: width})
    yield Answer(
        "the last value and its usual change", _likelihood(errors, width),
        _likelihood(truth - usual[0], usual[1]), table,
    )  # fmt: skip


def _find(look: Look, parts: pd.DataFrame, value: str) -> _Series | None:
    for _, begun in look.called("test"):
        for _, known in look.called("train"):
            shared = [name for name in begun.columns if name in known.columns]
            group = [n for n in shared if parts[0].isin(begun[n].astype(str)).all()]
            time = [
                name
                for name in shared
                if known[name].dtype.kind in "iuf" and name not in (*group, value)
                and parts[1].astype(float).isin(known[name]).mean() > 0.3
                and name.lower().rstrip("s") in look.key.lower()
            ]  # fmt: skip
            if group and time and value in shared:
                return _Series(str(group[0]), str(time[0]), known, begun)
    return None


def _learned(series: _Series, value: str) -> tuple[float, Values]:
    """The usual change by time, and how far values told from the first one are off."""
    ordered = series.known.sort_values([series.group, series.time])
    first = ordered.groupby(series.group)[[series.time, value]].transform("first")
    since = (ordered[series.time] - first[series.time]).to_numpy(dtype=float)
    change = (ordered[value] - first[value]).to_numpy(dtype=float)
    later = since > 0
    slope = 0.0
    if later.any():
        slope = SLOPE_SHRUNK * float(
            (since[later] * change[later]).sum() / (since[later] ** 2).sum()
        )
    return slope, (change - slope * since)[later] if later.any() else change


def _likelihood(errors: Values, width: float) -> float:
    """The mean logarithm of how likely errors of these sizes are."""
    return float(np.mean(-np.sqrt(2) * np.abs(errors) / width - np.log(np.sqrt(2) * width)))
