"""Angles between directions, and distances on the globe."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mlebench.metrics.pairs import Array
from mlebench.side_by_side import side_by_side

EARTH_RADIUS = 6_371_000.0  # metres
BLOCK = 16_384  # directions that stay in the processor's cache
MANY = 20 * BLOCK
FAR_ROUND = 1000.0  # radians, up to which sums of angles are exact enough


def angles_between(
    azimuths: npt.ArrayLike,
    zeniths: npt.ArrayLike,
    other_azimuths: npt.ArrayLike,
    other_zeniths: npt.ArrayLike,
) -> Array:
    """The angle between each pair of directions; everything is in radians.

    An azimuth is counted around the vertical, a zenith from straight above.
    """
    columns = _columns(azimuths, zeniths, other_azimuths, other_zeniths)
    is_near = all(
        side.min(initial=0) >= -FAR_ROUND and side.max(initial=0) <= FAR_ROUND for side in columns
    )
    cosines = _cosines_of_sums if is_near else _cosines
    angles = np.empty(len(columns[0]))

    def fill(first: int, last: int) -> None:
        for start in range(first, last, BLOCK):
            rows = slice(start, min(start + BLOCK, last))
            found = cosines(*(side[rows] for side in columns))
            np.arccos(np.clip(found, -1, 1), out=angles[rows])

    middle = len(angles) // 2
    side_by_side(
        lambda: fill(0, middle), lambda: fill(middle, len(angles)), pays=len(angles) > MANY
    )
    return angles


def _cosines(azimuths: Array, zeniths: Array, other_azimuths: Array, other_zeniths: Array) -> Array:
    turn = np.cos(azimuths) * np.cos(other_azimuths) + np.sin(azimuths) * np.sin(other_azimuths)
    level = np.sin(zeniths) * np.sin(other_zeniths)
    return np.asarray(level * turn + np.cos(zeniths) * np.cos(other_zeniths))


def _cosines_of_sums(
    azimuths: Array, zeniths: Array, other_azimuths: Array, other_zeniths: Array
) -> Array:
    """The same by the rules for products of sines and cosines, with a third of the work."""
    turn = np.cos(azimuths - other_azimuths)
    apart, together = np.cos(zeniths - other_zeniths), np.cos(zeniths + other_zeniths)
    return np.asarray((apart * (1 + turn) + together * (1 - turn)) / 2)


def haversine(
    latitudes: npt.ArrayLike,
    longitudes: npt.ArrayLike,
    other_latitudes: npt.ArrayLike,
    other_longitudes: npt.ArrayLike,
) -> Array:
    """The distance on the globe between each pair of places in degrees, in metres.

    NaN where a number is missing or infinite. Truth values are numbers of half precision, as
    numpy has it.
    """
    places = _columns(latitudes, longitudes, other_latitudes, other_longitudes, dtype=None)
    with np.errstate(invalid="ignore", over="ignore"):
        latitude, longitude, other_latitude, other_longitude = map(np.radians, places)
        north = np.sin((other_latitude - latitude) / 2) ** 2
        east = np.sin((other_longitude - longitude) / 2) ** 2
        halves = north + np.cos(latitude) * np.cos(other_latitude) * east
        return np.asarray(2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.clip(halves, 0, 1))))


def _columns(*columns: npt.ArrayLike, dtype: npt.DTypeLike | None = np.float64) -> list[Array]:
    arrays = [np.asarray(column, dtype) for column in columns]
    if len({array.shape for array in arrays}) > 1:
        raise ValueError(f"columns of different shapes: {[array.shape for array in arrays]}")
    return arrays
