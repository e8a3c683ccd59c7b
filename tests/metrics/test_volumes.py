"""Distances between bodies, against looking at every pair of voxels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import directed_hausdorff

from mlebench.metrics import volumes
from mlebench.metrics.masks import runs_of, stack
from mlebench.metrics.volumes import Body, bodies_of, body_of, hausdorff, voxel_count

Voxels = np.ndarray


def body(voxels: Voxels) -> Body:
    """The body of a painted stack: slices, rows, columns."""
    _, height, width = voxels.shape
    return body_of(stack([runs_of(picture.T) for picture in voxels]), width, height)


def brute_force(first: Voxels, second: Voxels, scale: tuple[float, float, float]) -> float:
    """What scipy says about the places of all voxels."""
    by_slice, by_column, by_row = scale
    one, other = (np.argwhere(voxels) * (by_slice, by_row, by_column) for voxels in (first, second))
    return max(directed_hausdorff(one, other)[0], directed_hausdorff(other, one)[0])


def ball(shape: tuple[int, ...], center: tuple[float, ...], radius: float) -> Voxels:
    return sum((axis - at) ** 2 for axis, at in zip(np.indices(shape), center, strict=True)) < (
        radius**2
    )


small = st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))


@given(small, small, st.integers(0, 2**32), st.floats(0.05, 0.95))
def test_small_bodies_of_any_form(
    one: tuple[int, int, int], other: tuple[int, int, int], seed: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.random(one) < share, rng.random(other) < share
    first[0, 0, 0] = second[-1, -1, -1] = True  # neither is empty
    assert voxel_count(body(first)) == first.sum()
    for scale in ((1.0, 1.0, 1.0), (1 / 3, 1 / 7, 1 / 5), (0.01, 2.0, 0.5)):
        assert hausdorff(body(first), body(second), scale) == pytest.approx(
            brute_force(first, second, scale), abs=1e-12
        )


SHAPE = (12, 40, 50)
TRUTH = ball(SHAPE, (6, 18, 22), 9) | ball(SHAPE, (4, 20, 34), 6)
SPECK = np.zeros(SHAPE, bool)
SPECK[11, 2, 48] = True


@pytest.mark.parametrize(
    "guess",
    [
        pytest.param(np.roll(TRUTH, 1, 2), id="off by one"),
        pytest.param(np.roll(TRUTH, (2, 5, -7), (0, 1, 2)), id="moved"),
        pytest.param(TRUTH | SPECK, id="a speck too much"),
        pytest.param(TRUTH & (np.indices(SHAPE)[0] > 4), id="slices missing"),
        pytest.param(ball(SHAPE, (6, 18, 22), 4), id="inside"),
        pytest.param(ball(SHAPE, (6, 18, 22), 9) & ~ball(SHAPE, (6, 18, 22), 7), id="hollow"),
        pytest.param(ball(SHAPE, (2, 35, 5), 4), id="elsewhere"),
        pytest.param(SPECK, id="a speck"),
        pytest.param(np.random.default_rng(0).random(SHAPE) < 0.01, id="noise"),
        pytest.param(np.ones(SHAPE, bool), id="everything"),
    ],
)
def test_good_and_poor_predictions_of_a_body(guess: Voxels) -> None:
    scale = (1 / 12, 1 / 50, 1 / 40)
    expected = brute_force(TRUTH, guess, scale)
    assert hausdorff(body(TRUTH), body(guess), scale) == pytest.approx(expected, abs=1e-12)
    assert hausdorff(body(guess), body(TRUTH), scale) == pytest.approx(expected, abs=1e-12)


def test_many_blocks_are_compared_with_all_of_the_other_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(volumes, "MANY_BLOCKS", 0)
    guess = np.roll(TRUTH, (2, 5, -7), (0, 1, 2))
    expected = brute_force(TRUTH, guess, (0.1, 0.2, 0.3))
    assert hausdorff(body(TRUTH), body(guess), (0.1, 0.2, 0.3)) == pytest.approx(expected)


def test_a_body_is_at_no_distance_from_itself() -> None:
    assert hausdorff(body(TRUTH), body(TRUTH), (1, 1, 1)) == 0


def test_bodies_in_stacks_of_different_shapes_are_compared_by_place() -> None:
    tall = np.zeros((3, 4, 5), bool)
    tall[2, 3, 4] = True
    flat = np.zeros((1, 1, 1), bool)
    flat[0, 0, 0] = True
    assert hausdorff(body(tall), body(flat), (1, 1, 1)) == pytest.approx(math.sqrt(4 + 9 + 16))


def test_a_run_may_go_on_in_the_next_columns() -> None:
    (one,) = bodies_of(stack([np.array([[2, 11]])]), *map(np.array, ([1], [3], [4])))
    assert one.columns.tolist() == [0, 1, 2]
    assert (one.starts.tolist(), one.ends.tolist()) == ([2, 0, 0], [4, 4, 3])


def test_stacks_are_taken_apart() -> None:
    rng = np.random.default_rng(0)
    stacks = [rng.random(shape) < 0.5 for shape in ((2, 3, 4), (1, 5, 2), (3, 2, 2))]
    masks = stack([runs_of(picture.T) for voxels in stacks for picture in voxels])
    heights, widths = ([voxels.shape[axis] for voxels in stacks] for axis in (1, 2))
    bodies = bodies_of(masks, *map(np.array, ([2, 1, 3], widths, heights)))
    for one, voxels in zip(bodies, stacks, strict=True):
        expected = body(voxels)
        assert one.shape == expected.shape
        assert [part.tolist() for part in one[:4]] == [part.tolist() for part in expected[:4]]
