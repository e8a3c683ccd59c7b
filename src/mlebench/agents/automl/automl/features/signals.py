"""Tables and arrays that belong to single rows: how their columns run."""

from __future__ import annotations

import io
import itertools
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .images import SIDE, of_grey

Values = NDArray[np.float64]

MOST_SIGNALS, MOST_VALUES = 24, 200_000
WINDOWS, WAVES, LAGS = 6, 10, (1, 2, 4, 8, 16, 64)
QUANTILES = (0.01, 0.1, 0.5, 0.9, 0.99)
LEAST_SIDE = 24
SMALL = 1e-12


def describe_csv(content: bytes) -> Mapping[str, float]:
    """What can be told of a table of numbers with a line of names."""
    return _of_table(pd.read_csv(io.BytesIO(content), low_memory=False))


def describe_parquet(content: bytes) -> Mapping[str, float]:
    """The same for a table in columns."""
    return _of_table(pd.read_parquet(io.BytesIO(content)))


def describe_array(content: bytes) -> Mapping[str, float]:
    """What can be told of an array: of signals side by side, or of pictures."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    values = np.nan_to_num(np.asarray(array, dtype=np.float64))
    told = {f"side {place}": float(side) for place, side in enumerate(values.shape)}
    if values.ndim >= 2 and min(sorted(values.shape)[-2:]) >= LEAST_SIDE:
        return told | _of_pictures(values)
    table = values.reshape(len(values), -1) if values.ndim > 1 else values[:, None]
    table = table if len(table) >= table.shape[1] else table.T
    return told | _of_signals([f"{place}" for place in range(table.shape[1])], table)


def _of_table(table: pd.DataFrame) -> dict[str, float]:
    numbers = table.select_dtypes(include=["number", "bool"]).iloc[:MOST_VALUES]
    told = {"rows count": float(len(table))}
    if numbers.empty:
        return told
    values = numbers.to_numpy(dtype=float, na_value=np.nan)
    told["missing share"] = float(np.isnan(values).mean())
    names = [str(name) for name in numbers.columns]
    means = np.where(np.isnan(values).all(axis=0), 0.0, np.nan_to_num(np.nanmean(values, axis=0)))
    return told | _of_signals(names, np.where(np.isnan(values), means, values))


def _of_signals(names: list[str], values: Values) -> dict[str, float]:
    """How columns run, each by itself and all of them on average."""
    told: dict[str, float] = {}
    each = [of_signal(values[:, place]) for place in range(min(values.shape[1], MOST_SIGNALS))]
    for name, of_one in zip(names, each, strict=False):
        told |= {f"{name} {what}": value for what, value in of_one.items()}
    if len(each) > 1:
        for what in each[0]:
            column = np.array([of_one[what] for of_one in each])
            told[f"all {what} mean"] = float(column.mean())
            told[f"all {what} most"] = float(column.max())
    return told


def of_signal(values: Values) -> dict[str, float]:
    """What can be told of numbers one after the other."""
    told = {
        f"quantile {q:g}": float(cut)
        for q, cut in zip(QUANTILES, np.quantile(values, QUANTILES), strict=True)
    }
    mean, spread = float(values.mean()), float(values.std())
    centred = values - mean
    told |= {
        "mean": mean, "spread": spread, "least": float(values.min()), "most": float(values.max()),
        "skew": float((centred**3).mean() / (spread**3 + SMALL)),
        "peaks": float((centred**4).mean() / (spread**4 + SMALL)),
        "first": float(values[0]), "last": float(values[-1]),
    }  # fmt: skip
    if len(values) < 2 * WINDOWS:
        return told
    steps = np.diff(values)
    told["steps"] = float(np.abs(steps).mean())
    told["steps spread"] = float(steps.std())
    told["crossings"] = float(np.diff(np.signbit(centred)).mean())
    for lag in LAGS:
        if lag < len(values) // 2:
            product = float((centred[lag:] * centred[:-lag]).mean())
            told[f"like {lag} before"] = product / (spread**2 + SMALL)
    for place, part in enumerate(np.array_split(values, WINDOWS)):
        told[f"window {place} mean"] = float(part.mean())
        told[f"window {place} spread"] = float(part.std())
    power = np.abs(np.fft.rfft(centred))[1:] ** 2 / len(values)
    # Ever wider bands: low waves are told apart more finely than high ones.
    edges = np.unique(np.geomspace(1, len(power), WAVES + 1).astype(int))
    for place, (low, high) in enumerate(itertools.pairwise(edges)):
        told[f"waves {place}"] = float(np.log(power[low - 1 : high].mean() + SMALL))
    told["strongest wave"] = float((power.argmax() + 1) / len(power))
    return told


def _of_pictures(values: Values) -> dict[str, float]:
    """Pictures in the two longest axes; others are looked at one by one, then at their mean."""
    short = list(np.argsort(values.shape, kind="stable"))[: values.ndim - 2]
    order = [*sorted(short), *sorted(set(range(values.ndim)) - set(short))]
    pages = values.transpose(order).reshape(-1, *(values.shape[axis] for axis in order[-2:]))
    told: dict[str, float] = {}
    for place, page in enumerate(pages[:MOST_SIGNALS]):
        told[f"page {place} mean"] = float(page.mean())
        told[f"page {place} spread"] = float(page.std())
        for q, cut in zip(QUANTILES, np.quantile(page, QUANTILES), strict=True):
            told[f"page {place} quantile {q:g}"] = float(cut)
    for start, name in ((0, "all"), (0, "even"), (1, "odd"))[: 3 if len(pages) > 2 else 1]:
        mean = pages[start :: 1 if name == "all" else 2].mean(axis=0)
        told |= {f"{name} {what}": value for what, value in of_grey(as_square(mean)).items()}
        for axis, along in enumerate(("down", "across")):
            profile = as_square(mean).mean(axis=axis)
            told[f"{name} {along} profile most"] = float(profile.max() - np.median(profile))
            told[f"{name} {along} profile spread"] = float(profile.std())
    return told


def as_square(page: Values) -> NDArray[np.float32]:
    """A page as a small square of values from 0 to 1."""
    from PIL import Image

    low, high = np.quantile(page, (0.005, 0.995))
    scaled = np.clip((page - low) / max(float(high - low), SMALL), 0, 1).astype(np.float32)
    picture = Image.fromarray(scaled).resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(picture, dtype=np.float32)
