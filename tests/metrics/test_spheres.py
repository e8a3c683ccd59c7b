"""Angles and distances on spheres, against formulas that are too simple to be wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.spheres import MANY, angles_between, haversine

angles = st.floats(-20, 20)


def vector(azimuth: float, zenith: float) -> np.ndarray:
    return np.array(
        [
            math.cos(azimuth) * math.sin(zenith),
            math.sin(azimuth) * math.sin(zenith),
            math.cos(zenith),
        ]
    )


def slow_angle(first: np.ndarray, second: np.ndarray) -> float:
    """Exact for small angles as well, unlike the arc cosine."""
    return 2 * math.atan2(*(float(np.linalg.norm(first + sign * second)) for sign in (-1, 1)))


@given(st.tuples(angles, angles, angles, angles))
def test_angles_are_those_between_vectors(four: tuple[float, float, float, float]) -> None:
    found = angles_between(*([angle] for angle in four))
    expected = slow_angle(vector(*four[:2]), vector(*four[2:]))
    assert found == pytest.approx([expected], abs=1e-6)


def test_angles_far_round_are_reduced_before_they_are_added() -> None:
    turns = 1e15
    found = angles_between([turns], [1.0], [0.5], [1.0])
    expected = slow_angle(vector(math.fmod(turns, 2 * math.pi), 1), vector(0.5, 1))
    exact = slow_angle(vector(turns, 1), vector(0.5, 1))
    assert found == pytest.approx([exact])
    assert exact != pytest.approx(expected)  # nobody knows pi that well


def test_many_angles_are_those_of_a_few() -> None:
    rng = np.random.default_rng(0)
    columns = rng.uniform(0, 3, (4, MANY + 1))
    some = rng.integers(0, MANY, 50)
    assert angles_between(*columns)[some] == pytest.approx(angles_between(*columns[:, some]))
    assert angles_between(*columns)[-1:] == pytest.approx(angles_between(*columns[:, -1:]))


def test_nothing_has_no_angles() -> None:
    assert angles_between([], [], [], []).tolist() == []


def test_columns_must_be_of_one_length() -> None:
    with pytest.raises(ValueError, match="different shapes"):
        angles_between([1.0], [1.0], [1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("places", "metres"),
    [
        ((37.4, -122.1, 37.4, -122.1), 0.0),
        ((0, 10, 1, 10), 6_371_000 * math.pi / 180),
        ((0, 179, 0, -179), 6_371_000 * math.pi / 90),
        ((90, 0, -90, 77), 6_371_000 * math.pi),
        ((math.nan, 0, 0, 0), math.nan),
        ((0, math.inf, 0, 0), math.nan),
    ],
)
def test_distances_on_the_globe(places: tuple[float, ...], metres: float) -> None:
    found = haversine(*([degrees] for degrees in places))
    assert found == pytest.approx([metres], abs=1e-6, nan_ok=True)


@given(st.tuples(st.floats(-90, 90), angles))
def test_the_other_side_of_the_globe_has_a_distance(place: tuple[float, float]) -> None:
    latitude, longitude = place
    found = haversine([latitude], [longitude], [-latitude], [longitude + 180])
    assert found == pytest.approx([6_371_000 * math.pi])
