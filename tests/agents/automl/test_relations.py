"""Features of several columns or rows: how far apart things are, what was in the rows before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.features.columns import columns_of
from mlebench.agents.automl.automl.features.distances import MOST_ADDED, add_distances
from mlebench.agents.automl.automl.features.frame import Frame, frame_of
from mlebench.agents.automl.automl.features.sequences import add_sequences
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.planning.bench import Bench
from mlebench.agents.automl.automl.problem import Problem
from mlebench.agents.automl.automl.store import Store

ROWS, KNOWN, STEPS = 100, 60, 5


def _of(frame: Frame, name: str) -> np.ndarray:
    return frame.columns[frame.names.index(name)]


def _cut(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return table[:KNOWN], table[KNOWN:].reset_index(drop=True)


def _distances(table: pd.DataFrame) -> Frame:
    frame = Frame(KNOWN)
    add_distances(frame, columns_of(*_cut(table)))
    return frame


@pytest.mark.parametrize(
    "names",
    [
        ("pickup_longitude", "pickup_latitude", "dropoff_longitude", "dropoff_latitude"),
        ("x1", "y1", "x2", "y2"),
        ("northFrom", "eastFrom", "northTo", "eastTo"),
    ],
)
def test_columns_of_like_names_tell_how_far_apart_things_are(names: tuple[str, ...]) -> None:
    chance = np.random.default_rng(0)
    a, b, c, d = (chance.uniform(low, low + 1, ROWS) for low in (-74, 40, -74, 40))
    frame = _distances(pd.DataFrame(dict(zip(names, (a, b, c, d), strict=True))))
    first, second = f"{names[2]} less {names[0]}", f"{names[3]} less {names[1]}"
    assert frame.names == [first, second, f"length of {first} and {second}"]
    assert _of(frame, first) == pytest.approx(c - a, abs=1e-4)
    assert _of(frame, frame.names[2]) == pytest.approx(np.hypot(c - a, d - b), abs=1e-4)


def test_columns_in_long_lists_and_those_of_other_things_are_left_alone() -> None:
    chance = np.random.default_rng(0)
    table = pd.DataFrame({f"pixel{n}": chance.random(ROWS) for n in range(30)})
    table["mean_age"], table["mean_income"] = chance.random(ROWS), 1000 + chance.random(ROWS)
    table["old_one"], table["new_one"] = chance.integers(0, 2, (2, ROWS))
    assert not _distances(table).names


def test_there_is_an_end_to_distances() -> None:
    chance = np.random.default_rng(0)
    columns = {f"{a}_{b}": chance.random(ROWS) for a in "klmn" for b in "wxyz"}
    assert len(_distances(pd.DataFrame(columns)).names) == MOST_ADDED


def _breaths() -> pd.DataFrame:
    chance = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "breath": np.repeat(np.arange(ROWS // STEPS) + 500, STEPS),
            "step": np.tile(np.arange(STEPS) * 3, ROWS // STEPS),
            "air": chance.random(ROWS),
        }
    )


def _sequences(train: pd.DataFrame, test: pd.DataFrame) -> Frame:
    frame = frame_of(train, test)
    add_sequences(frame, columns_of(train, test), "breath")
    return frame


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_rows_know_their_place_in_the_group_and_what_is_before(is_shuffled: bool) -> None:
    train, test = _cut(_breaths())
    if is_shuffled:
        train, test = (one.sample(frac=1, random_state=0) for one in (train, test))
        train, test = (one.reset_index(drop=True) for one in (train, test))
    frame = _sequences(train, test)
    both = pd.concat([train, test], ignore_index=True)
    air = both.set_index(["breath", "step"])["air"]
    for row, (breath, step) in enumerate(zip(both["breath"], both["step"], strict=True)):
        own = air[breath].sort_index()
        before = own[own.index < step]
        told = {
            "place in group": step // 3,
            "air rank in group": own.rank(pct=True)[step],
            "air since the row before": own[step] - before.iloc[-1] if step else np.nan,
            "air sum so far": before.sum() + own[step],
            "air mean so far": (before.sum() + own[step]) / (len(before) + 1),
            "air mean of group": own.mean(),
        }
        for name, value in told.items():
            assert _of(frame, name)[row] == pytest.approx(value, abs=1e-5, nan_ok=True), name


def test_groups_of_both_tables_have_nothing_to_do_with_each_other() -> None:
    train, test = _cut(_breaths())
    test.loc[: STEPS - 1, "breath"] = train["breath"][0]
    frame = _sequences(train, test)
    assert _of(frame, "place in group").tolist() == [*range(STEPS)] * (ROWS // STEPS)


def test_rows_in_no_order_have_none_before_them() -> None:
    train, test = _cut(_breaths().drop(columns="step"))
    assert _sequences(train, test).names == frame_of(train, test).names


@pytest.mark.parametrize("is_apart", [True, False])
def test_sequences_are_told_where_groups_are_kept_apart(is_apart: bool, tmp_path: Path) -> None:
    train, test = _cut(_breaths())
    if not is_apart:
        test["breath"] = train["breath"][: len(test)].to_numpy()
    target = train[["air"]].to_numpy()
    ids = tuple(f"row {n}" for n in range(KNOWN))
    problem = Problem(
        "numbers", train, test, target, ("y",), METRICS["rmse"], pd.DataFrame, train_ids=ids
    )
    bench = Bench(problem, make_folds(problem, 0), Store(tmp_path), 0, 1)
    *_, frame = bench.stages()
    assert ("air since the row before" in frame.names) is is_apart
