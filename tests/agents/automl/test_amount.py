"""Very many rows are cut to what can be learned from in time, in the way rows are held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from mlebench.agents.automl.automl.amount import MOST_PREDICTED, bounded
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Problem

ROWS, ASKED = 60_000, 500


def _problem(known: pd.DataFrame, asked: pd.DataFrame) -> Problem:
    target = np.arange(len(known), dtype=float)[:, None]
    ids = tuple(map(str, range(len(known))))
    return Problem(
        "numbers", known, asked, target, ("y",), METRICS["rmse"], pd.DataFrame, train_ids=ids
    )


def _of_one_piece(problem: Problem) -> bool:
    """Whether rows, their target and their names still belong together."""
    places = problem.target[:, 0].astype(int)
    return (
        problem.train["place"].tolist() == places.tolist()
        and list(problem.train_ids) == [str(place) for place in places]
        and problem.train.index.tolist() == list(range(len(places)))
    )


def test_more_time_is_more_rows_until_there_are_all() -> None:
    chance = np.random.default_rng(0)
    known = pd.DataFrame({"place": range(ROWS), "x": chance.random(ROWS)})
    problem = _problem(known, pd.DataFrame({"place": 0, "x": chance.random(ASKED)}))
    sizes = []
    for seconds in (1, 8, 600):
        some = bounded(problem, seconds, 0)
        assert _of_one_piece(some)
        sizes.append(len(some.target))
    assert sizes[0] < sizes[1] < sizes[2] == ROWS
    assert bounded(problem, 600, 0) is problem


def test_where_rows_to_predict_come_later_the_latest_stay() -> None:
    days = pd.date_range("2001-01-01", periods=ROWS, freq="h")
    later = pd.date_range(days[-1] + pd.Timedelta("1h"), periods=ASKED, freq="h")
    known = pd.DataFrame({"place": range(ROWS), "date": days.astype(str)})
    asked = pd.DataFrame({"place": 0, "date": later.astype(str)})
    some = bounded(_problem(known, asked), 1, 0)
    assert _of_one_piece(some)
    assert some.target.min() == ROWS - len(some.target)


def test_groups_stay_whole_where_rows_to_predict_have_others() -> None:
    size = 30
    groups = np.arange(ROWS) // size
    known = pd.DataFrame({"place": range(ROWS), "breath": groups})
    asked = pd.DataFrame({"place": 0, "breath": ROWS + np.arange(ASKED) // size})
    some = bounded(_problem(known, asked), 1, 0)
    assert _of_one_piece(some)
    counts = np.bincount(some.train["breath"])
    assert np.sum((counts > 0) & (counts < size)) <= 1


def test_long_texts_are_many_cells() -> None:
    chance = np.random.default_rng(0)
    rows = 12_000
    short = pd.DataFrame({"place": range(rows), "x": chance.random(rows)})
    long = short.assign(x=[f"{value} " + "so many words " * 60 for value in short["x"]])
    asked = pd.DataFrame({"place": [0], "x": [0]})
    assert bounded(_problem(short, asked), 4, 0).train.shape[0] == rows
    some = bounded(_problem(long, asked), 4, 0)
    assert _of_one_piece(some)
    assert len(some.target) < rows


def test_many_classes_cost_no_rows_where_trees_are_not_grown_for_each() -> None:
    chance = np.random.default_rng(0)
    known = pd.DataFrame({"place": range(ROWS), "x": chance.random(ROWS)})
    known = known.assign(**{f"x{n}": known["x"] for n in range(18)})
    problem = _problem(known, known[:ASKED])
    sizes = []
    for classes in (20, 39):
        names = tuple(map(str, range(classes)))
        target = np.arange(ROWS, dtype=float) % classes
        of_classes = replace(problem, kind="classes", target=target, names=names)
        sizes.append(len(bounded(of_classes, 30, 0).target))
    assert sizes[0] < sizes[1] < ROWS


def test_predictions_of_very_many_classes_fit_into_memory() -> None:
    chance = np.random.default_rng(0)
    known = pd.DataFrame({"place": range(ROWS), "x": chance.random(ROWS)})
    problem = _problem(known, known[:ASKED])
    names = tuple(map(str, range(2000)))
    target = np.arange(ROWS, dtype=float) % 2000
    some = bounded(replace(problem, kind="classes", target=target, names=names), 1e9, 0)
    assert len(some.target) * len(names) <= MOST_PREDICTED
