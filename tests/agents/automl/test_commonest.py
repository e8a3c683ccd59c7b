"""Of more classes than can be learned the commonest are, and what is told of them is honest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl import commonest
from mlebench.agents.automl.automl.blending import judge
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.learners.constants import constant, held_out_constants
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Problem

MEMORY = 2**30
MOST, RARE = 10, 5


def _problem(folder: Path, classes: list[str], score: str) -> Problem:
    order = np.random.default_rng(0).permutation(len(classes))
    known = pd.DataFrame({"id": np.arange(len(classes)) + 1000, "y": np.array(classes)[order]})
    known.insert(1, "a", order)
    asked = pd.DataFrame({"id": range(20), "a": range(20)})
    known.to_csv(folder / "train.csv", index=False)
    asked.to_csv(folder / "test.csv", index=False)
    asked[["id"]].assign(y=classes[0]).to_csv(folder / "sample_submission.csv", index=False)
    (folder / "description.md").write_text(f"The score is {score}.")
    return infer(folder, MEMORY)


@pytest.mark.parametrize("score", ["accuracy", "mean average precision at 3 (MAP@3)"])
def test_the_commonest_classes_are_learned_and_others_count_as_wrong(
    score: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commonest, "MOST_CLASSES", MOST)
    common = [f"common {n}" for n in range(MOST) for _ in range(9)]
    rare = [f"a rare one {n}" for n in range(RARE) for _ in range(2)]
    problem = _problem(tmp_path, common + rare, score)
    assert problem.names == tuple(sorted(set(common)))
    assert len(problem.train) == len(problem.train_ids) == len(problem.target) == len(common)
    assert [common[a] for a in problem.train["a"]] == [problem.names[k] for k in problem.codes]
    assert "10 of 100 rows" in problem.notes[-1]
    sure = np.eye(MOST)[problem.codes]
    folds = make_folds(problem, 0)
    assert judge(problem, folds, sure).score == pytest.approx(0.9)
    assert judge(problem, folds, held_out_constants(problem, folds).held_out).score < 0.5


def test_an_error_rate_counts_rows_of_other_classes() -> None:
    column = pd.Series(["a"] * 6 + ["b"] * 3 + ["c"])
    metric = commonest.of_all(METRICS["error rate"], ["a", "b"], column)
    target = np.array([0.0] * 6 + [1.0] * 3)
    assert metric(target, target) == pytest.approx(0.1)
    assert metric(target, np.zeros(9)) == pytest.approx(0.4)


def test_what_hardly_repeats_is_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commonest, "MOST_CLASSES", MOST)
    names = [f"name {n}" for n in range(50)]
    assert commonest.commonest(pd.Series(names)) == []
    assert commonest.commonest(pd.Series(names[:MOST])) == names[:MOST]
    assert commonest.commonest(pd.Series(names * 2)) == sorted(names[:MOST])


def test_what_is_best_said_of_classes_needs_no_table_of_them() -> None:
    rows, classes = 40_000, 50_000
    names = tuple(map(str, range(classes)))
    table = pd.DataFrame({"a": np.zeros(rows)})
    target = np.arange(rows) % 4 + 7.0
    problem = Problem("classes", table, table, target, names, METRICS["accuracy"], pd.DataFrame)
    shares = constant(problem)  # a table would have 16 GB
    assert np.flatnonzero(shares).tolist() == [7, 8, 9, 10]
    assert shares[7] == 0.25
