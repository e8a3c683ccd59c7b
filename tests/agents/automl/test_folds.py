"""Rows are held out as the rows to predict differ from those to learn from, and only then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.folds import Folds, make_folds
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Problem

RNG = np.random.default_rng(0)


def _folds(train: pd.DataFrame, test: pd.DataFrame) -> Folds:
    target = RNG.normal(size=(len(train), 1))
    problem = Problem("numbers", train, test, target, ("y",), METRICS["rmse"], pd.DataFrame)
    folds = make_folds(problem, 0)
    held_out = np.concatenate(folds.parts)
    assert len(held_out) == len(set(held_out))  # none twice
    for place in range(len(folds.parts)):
        assert not set(folds.learned_from(place, len(train))) & set(folds.parts[place])
    return folds


def test_groups_that_the_test_does_not_share_are_kept_together() -> None:
    patients = np.repeat([f"p{k}" for k in range(40)], 10)
    others = np.repeat([f"q{k}" for k in range(10)], 10)
    train = pd.DataFrame({"patient": patients, "a": RNG.normal(size=400)})
    folds = _folds(train, pd.DataFrame({"patient": others, "a": RNG.normal(size=100)}))
    assert "patient" in folds.reason
    for part in folds.parts:
        assert not set(patients[part]) & set(np.delete(patients, part))


def test_groups_that_the_test_shares_are_not() -> None:
    names = np.array([f"p{k}" for k in range(40)])
    train = pd.DataFrame({"patient": RNG.choice(names, 400)})
    folds = _folds(train, pd.DataFrame({"patient": RNG.choice(names, 100)}))
    assert folds.reason.startswith("at random")


def test_where_the_test_is_later_parts_are_later_and_as_long() -> None:
    days = pd.date_range("2000-01-01", periods=1000).astype(str)
    folds = _folds(pd.DataFrame({"day": days[:800]}), pd.DataFrame({"day": days[800:]}))
    assert folds.is_in_time
    for place, part in enumerate(folds.parts):
        assert folds.learned_from(place, 800).max() < part.min()
        assert abs(len(part) - 200) <= 1


@pytest.mark.parametrize("per_day", [1, 150])
def test_where_the_test_is_longer_than_what_can_be_held_out_its_halves_are_predicted_at_once(
    per_day: int,
) -> None:
    days = np.repeat(pd.date_range("2000-01-01", periods=1095).astype(str), per_day)
    rows = 730 * per_day
    folds = _folds(pd.DataFrame({"day": days[:rows]}), pd.DataFrame({"day": days[rows:]}))
    earlier, later = folds.parts
    assert folds.is_in_time
    assert days[earlier].max() <= days[later].min()
    for place in range(2):
        learned = folds.learned_from(place, rows)
        assert (learned.min(), learned.max()) == (0, earlier.min() - 1)
    assert folds.models == 2  # of the rows that are held out, and of those to predict


def test_where_the_last_row_is_far_from_the_others_two_are_held_out() -> None:
    days = [0, 1, 2, 3, 4, 500]
    folds = _folds(pd.DataFrame({"year": days}), pd.DataFrame({"year": [800, 900, 990]}))
    assert [part.tolist() for part in folds.parts] == [[4], [5]]


def test_where_the_test_is_of_the_same_time_they_are_not() -> None:
    days = np.array(pd.date_range("2000-01-01", periods=1000).astype(str))
    order = RNG.permutation(1000)
    train, test = pd.DataFrame({"day": days[order[:800]]}), pd.DataFrame({"day": days[order[800:]]})
    assert not _folds(train, test).is_in_time


def test_of_many_rows_some_are_held_out_at_once() -> None:
    rows = 200_000
    folds = _folds(pd.DataFrame({"a": np.zeros(rows)}), pd.DataFrame({"a": np.zeros(10)}))
    assert folds.is_at_once
    assert folds.models == 1
    assert 0.02 * rows < len(folds.seen) < 0.25 * rows
    for place in range(len(folds.parts)):  # the model of one is that of all
        assert not set(folds.learned_from(place, rows)) & set(folds.seen)


def test_of_many_rows_whole_groups_are_held_out() -> None:
    shops = np.arange(100_000) // 50
    table = pd.DataFrame({"shop": [f"s{shop}" for shop in shops]})
    folds = _folds(table, pd.DataFrame({"shop": [f"t{k // 50}" for k in range(2_000)]}))
    assert folds.is_at_once
    assert "shop" in folds.reason
    assert not set(shops[folds.seen]) & set(np.delete(shops, folds.seen))


def test_one_missing_group_leaves_the_others_together() -> None:
    patients = np.repeat([f"p{k}" for k in range(40)], 10).astype(object)
    patients[7] = None
    others = np.repeat([f"q{k}" for k in range(10)], 10)
    folds = _folds(pd.DataFrame({"patient": patients}), pd.DataFrame({"patient": others}))
    assert "patient" in folds.reason
    for part in folds.parts:
        assert not {*patients[part]} & {*np.delete(patients, part)}


def test_one_missing_day_leaves_the_others_in_time() -> None:
    days = pd.Series(pd.date_range("2000-01-01", periods=1000).astype(str)).astype(object)
    days[5] = None
    folds = _folds(pd.DataFrame({"day": days[:800]}), pd.DataFrame({"day": days[800:]}))
    assert folds.is_in_time


def test_of_a_few_large_groups_not_too_many_are_held_out() -> None:
    table = pd.DataFrame({"shop": [f"s{k // 10_000}" for k in range(100_000)]})
    folds = _folds(table, pd.DataFrame({"shop": [f"t{k // 50}" for k in range(2_000)]}))
    assert len(folds.seen) <= 0.25 * 100_000


@pytest.mark.parametrize("is_missing", [False, True])
def test_rows_are_the_same_whatever_numbers_are_read_as(is_missing: bool) -> None:
    table = pd.DataFrame({"a": np.arange(300) // 2, "b": 1})
    test = table.astype(float)
    if is_missing:
        test.loc[0, "a"] = np.nan
    # Rows to predict say the same as those to learn from, so these need not be kept together.
    assert "the same" not in _folds(table, test).reason


def _grouped(seed: int, count: int, size: int = 10) -> np.ndarray:
    """The group of each row, mixed."""
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(count), size))


def test_groups_are_known_by_a_number_that_only_their_rows_have() -> None:
    groups, others = _grouped(0, 40), _grouped(1, 10)
    said, also = RNG.normal(size=40)[groups], RNG.normal(size=10)[others]
    folds = _folds(
        pd.DataFrame({"a": RNG.normal(size=400), "age": said}),
        pd.DataFrame({"a": RNG.normal(size=100), "age": also}),
    )
    assert folds.reason == "rows to predict have other values of age"
    for part in folds.parts:
        assert not set(said[part]) & set(np.delete(said, part))


def test_numbers_that_the_test_shares_tell_no_groups() -> None:
    said = RNG.normal(size=500).round(1)
    folds = _folds(pd.DataFrame({"a": said[:400]}), pd.DataFrame({"a": said[400:]}))
    assert folds.reason.startswith("at random")


def test_groups_are_known_by_a_part_of_names() -> None:
    names = [f"p{group:03d}_{row}" for row, group in enumerate(_grouped(0, 40))]
    others = [f"p{group + 40:03d}_{row}" for row, group in enumerate(_grouped(1, 10))]
    folds = _folds(pd.DataFrame({"id": names}), pd.DataFrame({"id": others}))
    assert folds.reason == "rows to predict have other values of id part 0"
    people = np.array([name[:4] for name in names])
    for part in folds.parts:
        assert not set(people[part]) & set(np.delete(people, part))


@pytest.mark.parametrize("is_chained", [False, True])
def test_of_two_columns_of_groups_both_are_kept_apart_if_they_can_be(is_chained: bool) -> None:
    values, block = (200, 0) if is_chained else (5, 5)
    one, two = (RNG.integers(0, values, 600) + block * (np.arange(600) // 15) for _ in range(2))
    train = pd.DataFrame({"one": [f"t{k}" for k in one], "two": [f"t{k}" for k in two]})
    test = pd.DataFrame({name: [f"u{k // 3}" for k in range(90)] for name in train})
    folds = _folds(train, test)
    assert "one and two" in folds.reason
    assert ("only" in folds.reason) == is_chained
    both = [folds.learned_from(place, 600) for place in range(len(folds.parts))]
    is_apart = all(
        not set(names[part]) & set(names[learned])
        for names in (one, two)
        for part, learned in zip(folds.parts, both, strict=True)
    )
    assert is_apart == (not is_chained)
