"""Networks see what is in pictures wherever it is, and say the same again with the same seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.features.pictures import Squares
from mlebench.agents.automl.automl.folds import Folds
from mlebench.agents.automl.automl.learners.classical import fitted_by, linear
from mlebench.agents.automl.automl.learners.holding_out import hold_out
from mlebench.agents.automl.automl.learners.mirrors import Mirrors, harmless_mirrors
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Array, Kind, Prediction, Problem

ROWS, ASKED, SIDE = 320, 80, 16
ACROSS = np.arange(5)
PLUS = (ACROSS[:, None] == 2) | (ACROSS == 2)
TIMES = (ACROSS[:, None] == ACROSS) | (ACROSS[:, None] == 4 - ACROSS)
IS_PLUS = np.random.default_rng(1).random(ROWS + ASKED) < 0.5


@pytest.fixture(scope="module")
def squares() -> Squares:
    """A sign somewhere in each picture; both are made of as many points."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 80, (ROWS + ASKED, SIDE, SIDE, 1), dtype=np.uint8)
    for picture, is_plus in zip(pixels, IS_PLUS, strict=True):
        top, left = rng.integers(0, SIDE - 5, 2)
        sign = PLUS if is_plus else TIMES
        picture[top : top + 5, left : left + 5, 0] += 150 * sign.astype(np.uint8)
    return Squares(pixels, np.ones(len(pixels), dtype=bool), is_shrunk=False)


def _problem(kind: Kind, target: Array, names: tuple[str, ...], metric: str) -> Problem:
    known, asked = pd.DataFrame(index=range(ROWS)), pd.DataFrame(index=range(ASKED))
    return Problem(kind, known, asked, target[:ROWS], names, METRICS[metric], pd.DataFrame)


def _folds() -> Folds:
    return Folds(tuple(np.array_split(np.arange(ROWS), 2)), "for a test")


def _classes() -> Problem:
    return _problem("classes", IS_PLUS.astype(float), ("times", "plus"), "accuracy")


def _said(
    problem: Problem, squares: Squares, folds: Folds | None = None, **given: Any
) -> Prediction:
    pytest.importorskip("torch")
    from mlebench.agents.automl.automl.learners.convolutions import Convolutions, convolve

    convolutions = Convolutions(**{"widths": (8,), "epochs": 12, **given})
    return convolve(problem, folds or _folds(), squares, convolutions)


def _accuracy(prediction: Prediction) -> float:
    said = np.concatenate([prediction.held_out, prediction.test]).argmax(axis=1)
    return float(np.mean(said == IS_PLUS))


def test_signs_are_told_apart_wherever_they_are(squares: Squares) -> None:
    pytest.importorskip("sklearn")
    problem = _classes()
    flat = squares.pixels.reshape(ROWS + ASKED, -1) / 255
    fit = fitted_by(problem, linear("classes", 1.0))
    classical = hold_out(problem, _folds(), flat[:ROWS], flat[ROWS:], fit)
    said = _said(problem, squares)
    assert _accuracy(classical) < 0.75
    assert _accuracy(said) > 0.9
    assert np.allclose(said.test.sum(axis=1), 1)


def test_several_marks_are_told(squares: Squares) -> None:
    marks = np.column_stack([IS_PLUS, ~IS_PLUS]).astype(float)
    said = _said(_problem("marks", marks, ("plus", "times"), "log loss"), squares)
    assert np.mean((said.held_out > 0.5) == marks[:ROWS]) > 0.9
    assert said.test.min() >= 0
    assert said.test.max() <= 1


@pytest.mark.parametrize("metric", ["rmse", "rmsle"])
def test_numbers_are_told_in_their_size(metric: str, squares: Squares) -> None:
    sizes = np.where(IS_PLUS, 9000.0, 4000.0)[:, None]
    said = _said(_problem("numbers", sizes, ("size",), metric), squares)
    assert np.mean((said.test > 6000) == (sizes[ROWS:] > 6000)) > 0.9
    assert 2000 < said.test.min() < said.test.max() < 18_000


def test_the_seed_decides(squares: Squares) -> None:
    problem = _classes()
    one, same = (_said(problem, squares, epochs=2, seed=3) for _ in range(2))
    other = _said(problem, squares, epochs=2, seed=4)
    assert np.array_equal(one.test, same.test)
    assert np.array_equal(one.held_out, same.held_out)
    assert not np.array_equal(one.test, other.test)


def test_rows_without_a_picture_cost_only_themselves(squares: Squares) -> None:
    without = (3, 200, ROWS + 5)
    is_known = squares.is_known.copy()
    is_known[[*without]] = False
    folds = _folds().among(np.flatnonzero(is_known[:ROWS]))
    said = _said(_classes(), replace(squares, is_known=is_known), folds, epochs=2)
    assert np.flatnonzero(np.isnan(said.held_out).any(axis=1)).tolist() == [3, 200]
    assert np.isfinite(said.test).all()
    share = IS_PLUS[:ROWS].mean()
    assert said.test[5] == pytest.approx([1 - share, share], abs=0.05)


def test_without_time_nothing_is_said(squares: Squares, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlebench.agents.automl.automl.pace._deadline", 0.0)
    with pytest.raises(TimeoutError, match="too little time"):
        _said(_classes(), squares)


def test_signs_that_mirrors_change_are_not_mirrored() -> None:
    rng = np.random.default_rng(0)
    is_left = rng.random(200) < 0.5
    pixels = rng.integers(0, 80, (200, SIDE, SIDE, 3), dtype=np.uint8)
    pixels[is_left, 4:12, :4] += 150
    pixels[~is_left, 4:12, -4:] += 150
    assert harmless_mirrors(pixels, is_left[:, None].astype(float)) == Mirrors(
        across=False, down=True
    )


@pytest.mark.parametrize("channels", [1, 3])
def test_where_nothing_is_known_only_colours_are_mirrored(channels: int) -> None:
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (200, SIDE, SIDE, channels), dtype=np.uint8)
    target = rng.random((200, 1))
    assert harmless_mirrors(pixels, target) == Mirrors(across=channels == 3, down=False)


@pytest.mark.parametrize("parts", [2, 3])
def test_parts_are_joined_for_what_takes_long(parts: int) -> None:
    pieces = tuple(np.array_split(np.arange(ROWS), 10))
    joined = Folds(pieces, "for a test").joined(parts)
    assert len(joined.parts) == parts
    assert np.array_equal(np.sort(joined.seen), np.arange(ROWS))
    for piece in pieces:
        assert sum(bool(np.isin(piece, part).all()) for part in joined.parts) == 1
    in_time = Folds(pieces, "for a test", is_in_time=True)
    assert in_time.joined(parts) == in_time
