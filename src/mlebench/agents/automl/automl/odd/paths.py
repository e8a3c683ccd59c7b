"""Places along a way: between those that a device measured itself, smoothed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..surface import is_plain_file
from ..tables import read_table
from .looking import Answer, Look

TIME = re.compile(r"millis|timestamp|time", re.IGNORECASE)
AXES = re.compile(r"([xyz])\W?ecef", re.IGNORECASE)
LONG_HALF, FLATTENING = 6378137.0, 1 / 298.257223563  # of the earth, in metres
DEPTH = 4
MOST_JUDGED = 30
WINDOWS = (1, 3, 5, 9)
Values = NDArray[np.float64]


def answers(look: Look) -> Iterator[Answer]:
    """Latitude and longitude of each group at each time."""
    where = [name for name in look.outputs if re.match(r"lat|lon|lng", name, re.IGNORECASE)]
    when = [name for name in look.outputs if TIME.search(name)]
    if len(where) != 2 or len(when) != 1:
        return
    measured = _measured(look.data, look.memory)
    truths = _truths(look, where, when[0])
    window = _window(measured, truths)
    if window is None:
        return
    size, error = window
    usual = look.sample[where].astype(float).to_numpy().mean(axis=0)
    plain = np.concatenate([_metres(truth[1], usual) for truth in truths.values()]).mean()
    values = look.sample[where].astype(float).to_numpy()
    for group, rows in look.sample.groupby(look.key).groups.items():
        folder = next((one for one in measured if _is_of(one, str(group), look.data)), None)
        if folder is not None:
            times, places = _smooth(measured[folder], size)
            asked = look.sample.loc[rows, when[0]].astype(float).to_numpy()
            values[rows] = _at(times, places, asked)
    table = look.filled(**{name: values[:, place] for place, name in enumerate(where)})
    yield Answer("places that devices measured", -error, -float(plain), table)


def _is_of(folder: Path, group: str, data: Path) -> bool:
    """Whether the path of a folder says the name of a group."""
    parts = folder.relative_to(data).parts
    ends = [parts[place:] for place in range(len(parts))]
    return any(group in ("-".join(end), "_".join(end)) for end in ends)


def _tables(data: Path) -> Iterator[Path]:
    for depth in range(2, DEPTH + 1):
        found = sorted(data.glob("/".join(["*"] * depth) + ".csv"))
        yield from (path for path in found if is_plain_file(path, data))


def _measured(data: Path, memory: int) -> dict[Path, tuple[Values, Values]]:
    """Times and places in tables with three axes from the middle of the earth, by folder."""
    found = {}
    for path in _tables(data):
        names = list(pd.read_csv(path, nrows=0).columns)
        axes = {match.group(1).lower(): name for name in names if (match := AXES.search(name))}
        axes = {key: axes[key] for key in "xyz" if key in axes}
        times = [name for name in names if TIME.search(name)]
        if len(axes) < 3 or not times:
            continue
        table = read_table(path, memory // 20)[[times[0], *axes.values()]].dropna()
        table = table.groupby(times[0]).median()
        places = _degrees(table.to_numpy(dtype=float))
        found[path.parent] = (table.index.to_numpy(dtype=float), places)
    return found


def _truths(look: Look, where: Sequence[str], when: str) -> dict[Path, tuple[Values, Values]]:
    """What is known of times and places, by folder."""
    found = {}
    for path in _tables(look.data):
        names = set(pd.read_csv(path, nrows=0).columns)
        if {when, *where} <= names:
            table = read_table(path, look.memory // 20)[[when, *where]].dropna()
            found[path.parent] = (
                table[when].to_numpy(dtype=float), table[list(where)].to_numpy(dtype=float),
            )  # fmt: skip
            if len(found) >= MOST_JUDGED:
                break
    return found


def _window(
    measured: dict[Path, tuple[Values, Values]], truths: dict[Path, tuple[Values, Values]]
) -> tuple[int, float] | None:
    """Over how many measurements places are best averaged, and how far off they then are."""
    shared = [folder for folder in truths if folder in measured and len(measured[folder][0])]
    if not shared:
        return None
    tried = []
    for size in WINDOWS:
        errors = []
        for folder in shared:
            times, places = truths[folder]
            errors.append(_metres(places, _at(*_smooth(measured[folder], size), times)).mean())
        tried.append((float(np.mean(errors)), size))
    error, size = min(tried)
    return size, error


def _smooth(track: tuple[Values, Values], size: int) -> tuple[Values, Values]:
    frame = pd.DataFrame(track[1])
    rolled = frame.rolling(size, center=True, min_periods=1).median()
    return track[0], np.asarray(rolled.to_numpy(), dtype=float)


def _at(times: Values, places: Values, asked: Values) -> Values:
    return np.column_stack([np.interp(asked, times, places[:, k]) for k in range(2)])


def _degrees(places: Values) -> Values:
    """Latitude and longitude of places by their distance from the middle of the earth."""
    x, y, z = places.T
    square = FLATTENING * (2 - FLATTENING)
    flat = np.hypot(x, y)
    latitude = np.arctan2(z, flat * (1 - square))
    for _ in range(6):
        curve = LONG_HALF / np.sqrt(1 - square * np.sin(latitude) ** 2)
        latitude = np.arctan2(z + square * curve * np.sin(latitude), flat)
    return np.asarray(np.degrees(np.column_stack([latitude, np.arctan2(y, x)])))


def _metres(one: Values, other: Values) -> Values:
    """How far places are from others, about."""
    apart = np.radians(one - other) * LONG_HALF
    apart[:, 1] *= np.cos(np.radians(one[:, 0]))
    return np.asarray(np.hypot(apart[:, 0], apart[:, 1]))
