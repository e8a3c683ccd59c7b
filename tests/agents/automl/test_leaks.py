"""What tells too much is told; what only helps is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.features.frame import Frame, frame_of
from mlebench.agents.automl.automl.folds import Folds, Index
from mlebench.agents.automl.automl.leaks import Leak, suspected
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Array, Problem

ROWS = 900


def _problem(kind: str, target: Array, names: tuple[str, ...]) -> Problem:
    nothing = pd.DataFrame(index=range(len(target)))
    metric = METRICS["rmse" if kind == "numbers" else "log loss"]
    return Problem(kind, nothing, nothing, target, names, metric, pd.DataFrame)


def _suspected(problem: Problem, frame: Frame, groups: Index | None = None) -> list[Leak]:
    rows = np.arange(len(problem.target))
    return suspected(problem, Folds((rows,), "for a test", groups=groups), frame, 0)


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(0)


def _frame(**columns: Array) -> Frame:
    frame = Frame(ROWS)
    for name, values in columns.items():
        frame.add(name, values)
    return frame


def test_a_marker_that_equals_the_class_is_told(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    codes = chance.integers(0, 2, ROWS).astype(float)
    frame = _frame(marker=3 - 2 * codes, helpful=codes + chance.normal(0, 1, ROWS))
    (leak,) = _suspected(_problem("classes", codes, ("no", "yes")), frame)
    assert leak.told() == {"feature": "marker", "what": "yes follows from it", "share": 1.0}


def test_what_is_known_only_afterwards_is_told_for_the_rows_it_is_known_of(
    chance: np.random.Generator,
) -> None:
    pytest.importorskip("lightgbm")
    codes = (chance.random(ROWS) < 0.3).astype(float)
    is_known = (codes == 1) & (chance.random(ROWS) < 0.2)
    names = pd.Series(np.where(is_known, [f"giver {n}" for n in range(ROWS)], "N/A"))
    table = pd.DataFrame({"giver": names, "size": chance.normal(size=ROWS)})
    frame = frame_of(table, table.head(0))
    found = _suspected(_problem("classes", codes, ("no", "yes")), frame)
    assert {leak.feature.split()[0] for leak in found} == {"giver"}
    assert found[0].what.endswith("yes holds always")
    assert found[0].share == pytest.approx(is_known.mean())


def test_a_number_that_follows_from_another_is_told(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    price = chance.gamma(2, 100, ROWS)
    frame = _frame(tax=price * 0.2, rooms=np.round(price / 50 + chance.normal(0, 1, ROWS)))
    problem = _problem("numbers", price[:, None], ("price",))
    assert [leak.feature for leak in _suspected(problem, frame)] == ["tax"]


@pytest.mark.parametrize("kind", ["classes", "marks", "numbers"])
def test_nothing_is_suspected_of_chance(kind: str, chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    names = ("a", "b", "c")
    target = {
        "classes": chance.integers(0, 3, ROWS).astype(float),
        "marks": (chance.random((ROWS, 3)) < 0.02).astype(float),
        "numbers": chance.normal(size=(ROWS, 3)),
    }[kind]
    columns = {
        "codes": chance.integers(0, 40, ROWS).astype(float),
        "numbers": chance.normal(size=ROWS),
        "gaps": np.where(chance.random(ROWS) < 0.5, np.nan, 1.0),
    }
    assert _suspected(_problem(kind, target, names), _frame(**columns)) == []


def test_that_one_of_many_classes_is_easily_told_is_no_leak(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    codes = chance.integers(0, 5, ROWS).astype(float)
    bright = np.where(codes == 0, 9.0, 1.0) + chance.normal(0, 0.1, ROWS)
    inked = np.where(codes == 1, 0.0, chance.integers(0, 9, ROWS))
    problem = _problem("classes", codes, tuple("abcde"))
    assert _suspected(problem, _frame(bright=bright, inked=inked)) == []


def test_that_what_grows_follows_from_the_date_is_no_leak(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    days = pd.Series(pd.date_range("2000-01-01", periods=ROWS + 100).astype(str))
    train, test = pd.DataFrame({"day": days[:ROWS]}), pd.DataFrame({"day": days[ROWS:]})
    target = np.arange(ROWS)[:, None] + chance.normal(0, 1, (ROWS, 1))
    problem = Problem("numbers", train, test, target, ("y",), METRICS["rmse"], pd.DataFrame)
    assert _suspected(problem, frame_of(train, test)) == []


def test_only_the_date_itself_is_passed_over(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    years = pd.DataFrame({"year": np.arange(ROWS + 100)})
    target = np.arange(ROWS)[:, None] + chance.normal(0, 1, (ROWS, 1))
    train, test = years[:ROWS], years[ROWS:]
    problem = Problem("numbers", train, test, target, ("y",), METRICS["rmse"], pd.DataFrame)
    frame = _frame(year=years["year"].to_numpy()[:ROWS], yearly=target[:, 0])
    assert [leak.feature for leak in _suspected(problem, frame)] == ["yearly"]


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_what_tells_groups_apart_is_no_leak_where_others_are_asked_for(
    kind: str, chance: np.random.Generator
) -> None:
    pytest.importorskip("lightgbm")
    groups = np.arange(ROWS) // 30
    of_group = chance.integers(0, 2, ROWS) + (kind == "numbers") * chance.random(ROWS)
    target = of_group[groups].astype(float)
    problem = (
        _problem(kind, target[:, None], ("y",))
        if kind == "numbers"
        else _problem(kind, target, ("no", "yes"))
    )
    frame = _frame(group=groups.astype(float), real=target * 2)
    assert {leak.feature for leak in _suspected(problem, frame)} == {"group", "real"}
    assert {leak.feature for leak in _suspected(problem, frame, groups)} == {"real"}


def test_that_rows_of_one_group_are_alike_is_no_leak(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    groups = np.arange(ROWS) // 60
    codes = np.where(groups == 3, 1, chance.integers(0, 2, ROWS)).astype(float)
    marker = np.where((codes == 1) & (chance.random(ROWS) < 0.3), 1.0, 0.0)
    problem = _problem("classes", codes, ("no", "yes"))
    frame = _frame(group=groups.astype(float))
    assert [leak.what for leak in _suspected(problem, frame)] == ["where it is 3, yes holds always"]
    assert _suspected(problem, frame, groups) == []
    (told,) = _suspected(problem, _frame(marker=marker), np.arange(ROWS) // 10)
    assert told.what.endswith("yes holds always")  # in many groups


def test_that_one_of_many_classes_is_easily_told_from_others_is_no_leak(
    chance: np.random.Generator,
) -> None:
    pytest.importorskip("lightgbm")
    codes = chance.integers(0, 4, ROWS).astype(float)
    frame = _frame(is_grass=codes == 2)
    assert _suspected(_problem("classes", codes, ("sky", "path", "grass", "wall")), frame) == []


def test_what_a_handful_of_rows_have_in_common_is_no_leak(chance: np.random.Generator) -> None:
    pytest.importorskip("lightgbm")
    rows = 10_000
    codes = chance.integers(0, 2, rows).astype(float)
    odd = np.zeros(rows)
    odd[np.flatnonzero(codes)[:35]] = 1
    frame = Frame(rows)
    frame.add("odd", odd)
    assert _suspected(_problem("classes", codes, ("no", "yes")), frame) == []
