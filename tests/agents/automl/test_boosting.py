"""Boosted trees learn from what the rows to predict will be able to tell, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from mlebench.agents.automl.automl.features.frame import frame_of
from mlebench.agents.automl.automl.folds import Folds, make_folds
from mlebench.agents.automl.automl.learners.boosting import Trees, boost
from mlebench.agents.automl.automl.learners.encoding import MeanTargets, NeighbourTargets
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Array, Problem

GROUPS, SIZE, ASKED = 80, 20, 30
TREES = Trees(rounds=400, rate=0.05, leaves=12, columns=0.5)


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(1)


def _problem(table: pd.DataFrame, target: Array) -> Problem:
    known, asked = table[: len(target)], table[len(target) :].reset_index(drop=True)
    return Problem("numbers", known, asked, target[:, None], ("y",), METRICS["rmse"], pd.DataFrame)


@pytest.fixture
def groups(chance: np.random.Generator) -> Problem:
    """Rows of groups that are told by a column, while rows to predict are of other groups."""
    group = np.repeat(np.arange(GROUPS + ASKED), SIZE)
    tells, other = chance.normal(size=GROUPS + ASKED)[group], chance.normal(size=len(group))
    target = 3 * tells + other + chance.normal(size=len(group))
    table = pd.DataFrame({"group": [f"g{k}" for k in group], "tells": tells, "other": other})
    return _problem(table, target[: GROUPS * SIZE])


def _error(problem: Problem, trees: Trees) -> float:
    folds = make_folds(problem, 0)
    assert folds.groups is not None
    frame = frame_of(problem.train, problem.test)
    assert frame.repeated
    held_out = boost(problem, folds, frame, trees, 0, 1).held_out
    return float(np.sqrt(np.mean((held_out - problem.target) ** 2)))


def test_means_of_groups_that_others_do_not_share_do_no_harm(groups: Problem) -> None:
    pytest.importorskip("lightgbm")
    without = replace(TREES, has_means=False)
    assert _error(groups, TREES) < 1.02 * _error(groups, without)


def test_a_seed_decides_all(groups: Problem) -> None:
    pytest.importorskip("lightgbm")
    few = Trees(rounds=20)
    assert _error(groups, few) == _error(groups, few)


def test_rows_of_new_groups_are_told_what_those_to_learn_from_are() -> None:
    codes = np.repeat(np.arange(12), 10)
    known, asked = np.arange(100), np.arange(100, 120)
    target = codes[known, None] + 1.0
    folds = Folds((known,), "for a test", groups=codes[known])
    parts = folds.drawn_parts(known, 5, 0)
    learned, wanted = MeanTargets(codes[:, None])(known, asked, target, parts)
    assert np.unique(np.vstack([learned, wanted])) == pytest.approx(target.mean())
    learned, wanted = NeighbourTargets(codes[:, None], csr_matrix(np.eye(120)))(
        known, asked, target, parts
    )
    assert np.isnan(learned).all()
    assert np.isnan(wanted).all()


def test_parts_are_drawn_as_rows_are_held_out(chance: np.random.Generator) -> None:
    rows, groups = chance.permutation(300)[:240], np.arange(300) // 15
    apart = Folds((rows,), "for a test", groups=groups).drawn_parts(rows, 6, 0)
    for part in range(6):
        assert not {*groups[rows[apart == part]]} & {*groups[rows[apart != part]]}
    by_lot = Folds((rows,), "for a test").drawn_parts(rows, 6, 0)
    assert np.bincount(by_lot).tolist() == [40] * 6
    assert np.bincount(apart) == pytest.approx(40, abs=15)


def test_rows_of_one_group_are_drawn_by_themselves() -> None:
    rows = np.arange(60)
    folds = Folds((rows,), "for a test", groups=np.zeros(60, dtype=np.int64))
    assert np.bincount(folds.drawn_parts(rows, 6, 0)).tolist() == [10] * 6
