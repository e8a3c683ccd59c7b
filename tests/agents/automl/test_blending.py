"""What is told of a blend is what other rows will have, however many were to choose from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl import blending
from mlebench.agents.automl.automl.averaging import weights_of
from mlebench.agents.automl.automl.blending import alone, best_blend, judge
from mlebench.agents.automl.automl.folds import Folds
from mlebench.agents.automl.automl.learners.constants import held_out_constants
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.offers import Offers, best_alone
from mlebench.agents.automl.automl.problem import Array, Prediction, Problem

ROWS, ASKED = 400, 200


def _problem(target: Array, metric: str, names: tuple[str, ...] = ("y",)) -> Problem:
    kind = "classes" if len(names) > 1 else "numbers"
    known, asked = pd.DataFrame(index=range(ROWS)), pd.DataFrame(index=range(ASKED))
    return Problem(kind, known, asked, target, names, METRICS[metric], pd.DataFrame)


def _folds(rows: int = ROWS) -> Folds:
    return Folds(tuple(np.array_split(np.arange(rows), 5)), "for a test")


def test_of_predictions_by_chance_nothing_good_is_told() -> None:
    pytest.importorskip("lightgbm")
    chance = np.random.default_rng(0)
    codes = chance.integers(0, 2, ROWS).astype(float)
    library = {}
    for n in range(30):
        second = chance.random(ROWS + ASKED)
        both = np.column_stack([1 - second, second])
        library[str(n)] = Prediction(both[:ROWS], both[ROWS:])
    problem = _problem(codes, "auc", ("no", "yes"))
    blend = best_blend(problem, _folds(), library, 0, 1)
    luckiest = max(judge(problem, _folds(), one.held_out).score for one in library.values())
    assert luckiest > 0.54
    assert blend.verdict.score < 0.5 + 1.5 * blend.verdict.error
    assert blend.finished.shape == (ASKED, 2)


def test_predictions_that_err_apart_are_better_together() -> None:
    pytest.importorskip("lightgbm")
    chance = np.random.default_rng(1)
    truth = chance.normal(size=(ROWS + ASKED, 1))
    library = {
        str(n): Prediction(said[:ROWS], said[ROWS:])
        for n in range(4)
        if (said := truth + chance.normal(size=truth.shape)) is not None
    }
    problem = _problem(truth[:ROWS], "rmse")
    blend = best_blend(problem, _folds(), library, 0, 1)
    alone = min(judge(problem, _folds(), one.held_out).score for one in library.values())
    assert blend.verdict.score < 0.7 * alone
    real = float(np.sqrt(np.mean((blend.finished - truth[ROWS:]) ** 2)))
    assert abs(real - blend.verdict.score) < 2 * blend.verdict.error


def test_rows_that_some_predictions_do_not_know_are_left_out() -> None:
    pytest.importorskip("lightgbm")
    chance = np.random.default_rng(2)
    truth = chance.normal(size=(ROWS + ASKED, 1))
    full = truth + chance.normal(size=truth.shape)
    part, hardly = full.copy(), full.copy()
    part[: ROWS // 2], hardly[3:ROWS] = np.nan, np.nan
    library = {
        name: Prediction(said[:ROWS], said[ROWS:])
        for name, said in (("full", full), ("part", part), ("hardly", hardly))
    }
    blend = best_blend(_problem(truth[:ROWS], "rmse"), _folds(), library, 0, 1)
    assert np.isfinite(blend.finished).all()
    known = slice(ROWS // 2, ROWS)
    expected = float(np.sqrt(np.mean((full[known] - truth[known]) ** 2)))
    assert 0.6 * expected < blend.verdict.score < 1.1 * expected


@pytest.mark.parametrize(("spread", "is_joined"), [(1.5, False), (0.3, True)])
def test_what_knows_few_rows_is_joined_only_if_it_is_better_on_them(
    spread: float, is_joined: bool
) -> None:
    pytest.importorskip("lightgbm")
    chance = np.random.default_rng(4)
    truth = chance.normal(size=(ROWS + ASKED, 1))
    full, few = (truth + chance.normal(0, size, truth.shape) for size in (1.0, spread))
    few[: 7 * ROWS // 10] = np.nan
    library = {
        name: Prediction(said[:ROWS], said[ROWS:]) for name, said in (("full", full), ("few", few))
    }
    blend = best_blend(_problem(truth[:ROWS], "rmse"), _folds(), library, 0, 1)
    judged = int(np.isfinite(blend.judged).all(axis=1).sum())
    assert judged == (3 * ROWS // 10 if is_joined else ROWS)


def test_rows_of_a_group_err_together_so_that_fewer_of_them_tell_less() -> None:
    chance = np.random.default_rng(3)
    groups = np.arange(ROWS) // 20
    truth = chance.normal(size=(ROWS, 1))
    said = truth + chance.normal(size=ROWS // 20)[groups][:, None]
    problem = _problem(truth, "mae")
    apart = judge(problem, _folds(), said)
    together = judge(problem, Folds(_folds().parts, "for a test", groups=groups), said)
    assert together.score == apart.score
    assert together.error > 2 * apart.error


def test_of_stretches_of_time_the_best_in_all_is_told_with_how_unsure_that_is() -> None:
    pytest.importorskip("lightgbm")
    chance = np.random.default_rng(2)
    truth = chance.normal(size=(ROWS + ASKED, 1))
    parts = tuple(np.array_split(np.arange(ROWS), 3))
    library = {}
    for name, sizes in (("good", (1.0, 1.0, 3.0)), ("bad", (4.0, 4.0, 0.5))):
        said = truth.copy()
        for part, size in zip(parts, sizes, strict=True):
            said[part] *= 1 - size
        library[name] = Prediction(said[:ROWS], said[ROWS:])
    folds = Folds(parts, "for a test", is_in_time=True)
    problem = _problem(truth[:ROWS], "mae")
    blend = best_blend(problem, folds, library, 0, 1)
    assert blend.verdict.gain >= judge(problem, folds, library["good"].held_out).gain
    assert blend.verdict.error > 0.2


def test_weights_hold_for_all_rows_of_a_sorted_file() -> None:
    pytest.importorskip("lightgbm")
    rows = 50_000
    codes = (np.arange(rows) >= 45_000).astype(float)
    good = np.where(codes, 0.9, 0.1)
    library = {
        name: Prediction(np.column_stack([1 - said, said]), np.zeros((ASKED, 2)) + 0.5)
        for name, said in (("good", good), ("rare", np.full(rows, 0.02)))
    }
    nothing = pd.DataFrame(index=range(rows))
    problem = Problem(
        "classes", nothing, nothing[:ASKED], codes, ("no", "yes"), METRICS["log loss"], pd.DataFrame
    )
    weights = weights_of(
        problem, np.stack([one.held_out for one in library.values()]), codes, lambda values: values
    )
    assert weights[0] > 0.9


def test_what_knows_only_easy_rows_does_not_win_by_that() -> None:
    pytest.importorskip("lightgbm")
    codes = np.arange(ROWS) % 2.0
    chance = np.random.default_rng(3)
    good = np.clip(codes + chance.normal(0, 0.5, ROWS), 0.01, 0.99)
    easy = np.where((codes - good) ** 2 < 0.05, 0.9 * good + 0.05, np.nan)
    problem = _problem(codes, "auc", ("no", "yes"))
    blends = []
    for name, said in (("good", good), ("easy", easy)):
        both = np.column_stack([1 - said, said])
        one = Prediction(both, np.zeros((ASKED, 2)))
        blends.append(alone(problem, _folds(), name, one, judge(problem, _folds(), both)))
    assert blends[1].verdict.gain > blends[0].verdict.gain
    assert not blends[1].is_better_than(blends[0], problem)


@pytest.mark.parametrize("metric", ["auc", "average precision"])
def test_a_constant_is_told_as_good_as_chance(metric: str) -> None:
    codes = np.zeros(ROWS)
    codes[7] = 1.0
    problem = _problem(codes, metric, ("no", "yes"))
    said = held_out_constants(problem, _folds()).held_out
    constant = np.tile([0.5, 0.5], (ROWS, 1))
    assert judge(problem, _folds(), said).score == problem.metric(codes, constant)


def _by_chance(seed: int) -> tuple[Problem, Folds, dict[str, Prediction]]:
    """Many models that know nothing of a few rows."""
    chance, rows = np.random.default_rng(seed), 40
    known, asked = pd.DataFrame(index=range(rows)), pd.DataFrame(index=range(ASKED))
    codes = chance.permutation(rows) % 2.0
    problem = Problem("classes", known, asked, codes, ("no", "yes"), METRICS["auc"], pd.DataFrame)
    library = {}
    for name in "abcdefghijkl":
        second = chance.random(rows + ASKED)
        both = np.column_stack([1 - second, second])
        library[name] = Prediction(both[:rows], both[rows:])
    return problem, _folds(rows), library


def test_the_best_of_many_by_chance_is_told_as_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blending, "RESAMPLES", 2)  # how unsure it is does not matter here
    lucky, told, offered = [], [], []
    for seed in range(6):
        problem, folds, library = _by_chance(seed)
        verdicts = {name: judge(problem, folds, one.held_out) for name, one in library.items()}
        ranked = sorted(verdicts, key=lambda name: -verdicts[name].gain)
        lucky.append(verdicts[ranked[0]].score)
        best = best_alone(problem, folds, {name: verdicts[name] for name in ranked}, library.get)
        assert best.name == ranked[0]
        assert (best.finished == library[ranked[0]].test).all()
        told.append(best.verdict.score)
        offers, taken = Offers(problem, folds), None
        for name, one in library.items():
            blend = alone(problem, folds, name, one, verdicts[name])
            if taken is None or blend.is_better_than(taken, problem):
                taken = blend
                offers.add(blend)
        offered.append(offers.verdict_of(taken).score)
    assert np.mean(lucky) > 0.63
    assert abs(np.mean(told) - 0.5) < 0.06
    assert np.mean(offered) < np.mean(lucky) - 0.05


def test_the_best_model_in_a_blend_is_told_as_chance_too() -> None:
    pytest.importorskip("lightgbm")
    told = []
    for seed in range(3):
        problem, folds, library = _by_chance(seed)
        few = dict(list(library.items())[:4])
        told.append(best_blend(problem, folds, few, 0, 1).verdict.score)
    assert np.mean(told) < 0.55


def test_what_was_never_wrong_may_still_be() -> None:
    codes = np.arange(ROWS) % 2.0
    problem = _problem(codes, "auc", ("no", "yes"))
    verdict = judge(problem, _folds(), np.column_stack([1 - codes, codes]))
    assert verdict.score == 1.0
    assert 0.001 < verdict.error < 0.05
