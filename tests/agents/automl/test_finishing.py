"""Thresholds, cuts, temperatures and ranges are chosen so that scores get better, honestly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from mlebench.agents.automl.automl.blending import best_blend, judge
from mlebench.agents.automl.automl.finishing import chosen_finish, honest
from mlebench.agents.automl.automl.folds import Folds, make_folds
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Kind, Prediction, Problem


def _problem(kind: Kind, metric: str, target: np.ndarray, columns: int = 1) -> Problem:
    rows = pd.DataFrame({"a": np.arange(len(target))})
    names = tuple(str(place) for place in range(columns))
    return Problem(kind, rows, rows, target, names, METRICS[metric], pd.DataFrame)


def test_rare_classes_are_chosen_where_f_scores_count() -> None:
    rng = np.random.default_rng(0)
    target = (rng.random(2000) < 0.05).astype(float)
    chance = np.clip(0.05 + 0.1 * target + rng.normal(0, 0.03, 2000), 0, 1)
    predicted = np.column_stack([1 - chance, chance])
    metric = METRICS["f1"]
    finish = chosen_finish(metric, "classes", target, predicted)
    assert metric(target, predicted.argmax(axis=1).astype(float)) < 0.1
    assert metric(target, finish(predicted)) > 0.6


def test_grades_are_cut_where_kappa_is_best() -> None:
    rng = np.random.default_rng(0)
    target = rng.integers(1, 6, 1000).astype(float)
    said = 0.5 * target + 7 + rng.normal(0, 0.1, 1000)  # another unit altogether
    finish = chosen_finish(METRICS["kappa"], "numbers", target[:, None], said[:, None])
    finished = finish(said[:, None])
    assert METRICS["kappa"](target, finished) > 0.9
    assert set(finished) <= set(target)


def test_probabilities_that_are_too_sure_are_tempered() -> None:
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, 500).astype(float)
    logits = rng.normal(0, 1, (500, 3)) + 1.0 * np.eye(3)[target.astype(int)]
    sure = np.exp(3 * logits) / np.exp(3 * logits).sum(1, keepdims=True)
    metric = METRICS["log loss"]
    finished = chosen_finish(metric, "classes", target, sure)(sure)
    assert metric(target, finished) < metric(target, sure) - 0.1
    np.testing.assert_allclose(finished.sum(axis=1), 1.0)


def test_numbers_may_pass_what_was_seen_but_no_bound_that_many_reach() -> None:
    shares = np.concatenate([np.zeros(50), np.ones(50), np.linspace(0, 1, 100)])[:, None]
    finish = chosen_finish(METRICS["rmse"], "numbers", shares, shares)
    np.testing.assert_array_equal(finish(np.array([[-1.0], [2.0]])), [[0.0], [1.0]])
    rising = np.linspace(300.0, 360.0, 500)[:, None]
    finish = chosen_finish(METRICS["rmse"], "numbers", rising, rising)
    assert finish(np.array([[370.0]]))[0, 0] == 370.0


def test_an_honest_score_is_not_better_for_what_was_chosen_on_it() -> None:
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 60).astype(float)
    noise = rng.random((60, 1))
    predicted = np.hstack([1 - noise, noise])
    problem = _problem("classes", "f1", target, 2)
    folds = make_folds(problem, 0)
    chosen = chosen_finish(METRICS["f1"], "classes", target, predicted)(predicted)
    apart = honest(problem, predicted, folds.parts)
    assert METRICS["f1"](target, apart) <= METRICS["f1"](target, chosen)


def test_the_error_of_a_score_covers_what_chance_does() -> None:
    """Of many samples, nearly all have a score within two errors of the one that is told."""
    rng = np.random.default_rng(0)

    def drawn(size: int) -> tuple[np.ndarray, np.ndarray]:
        target = rng.normal(0, 1, (size, 1))
        return target, target + rng.normal(0, 0.5, (size, 1))

    target, said = drawn(400)
    problem = _problem("numbers", "rmse", target)
    verdict = judge(problem, make_folds(problem, 0), said)
    others = [METRICS["rmse"](*drawn(400)) for _ in range(200)]
    inside = np.abs(np.array(others) - verdict.score) <= 2 * verdict.error
    assert inside.mean() >= 0.9
    assert verdict.error < 0.1 * verdict.score


def test_a_blend_of_models_that_err_apart_is_better_than_each() -> None:
    rng = np.random.default_rng(0)
    target = rng.normal(0, 1, (300, 1))
    problem = _problem("numbers", "rmse", target)
    folds: Folds = make_folds(problem, 0)
    library = {}
    for name in "abc":
        said = target + rng.normal(0, 0.5, target.shape)
        library[name] = Prediction(said, said)
    single = min(judge(problem, folds, one.held_out).score for one in library.values())
    blend = best_blend(problem, folds, library, 0, 1)
    assert blend.verdict.score < 0.75 * single
    assert blend.finished.shape == target.shape


def test_bounds_of_very_many_grades_are_not_moved_one_by_one() -> None:
    target = np.arange(3000.0)
    asked = []

    def score(truth: np.ndarray, said: np.ndarray) -> float:
        asked.append(len(said))
        return METRICS["kappa"].function(truth, said)

    metric = replace(METRICS["kappa"], function=score)
    finish = chosen_finish(metric, "numbers", target[:, None], -5 * target[::-1, None])
    assert METRICS["kappa"](target, finish(-5 * target[::-1, None])) > 0.99
    assert len(asked) < 10
