"""Splits are those of scikit-learn, row for row."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlebench.errors import ConfigError
from mlebench.preparing.partitions import (
    partition_and_stack,
    partition_by_value,
    partition_groups,
    partition_list,
    partition_positions,
    partition_rows,
    partition_stratified,
)

model_selection = pytest.importorskip("sklearn.model_selection")

sizes = st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.5, 1 / 3, 0.01, 0.7, 1631 / (1631 + 4040)])


@given(rows=st.integers(2, 3000), test_size=sizes, seed=st.integers(0, 2**32 - 1))
def test_positions_equal_those_of_train_test_split(rows: int, test_size: float, seed: int) -> None:
    if not rows * (1 - test_size) - 1 > 0:
        return
    expected = model_selection.train_test_split(range(rows), test_size=test_size, random_state=seed)
    assert partition_positions(rows, test_size, seed) == tuple(expected)


@given(rows=st.integers(2, 400), numerator=st.integers(1, 399))
def test_every_share_rounds_as_in_train_test_split(rows: int, numerator: int) -> None:
    test_size = numerator / 400
    try:
        expected = model_selection.train_test_split(
            range(rows), test_size=test_size, random_state=0
        )
    except ValueError:
        return  # nothing would be left to train on
    assert partition_positions(rows, test_size) == tuple(expected)


def test_tables_and_lists_are_split_alike() -> None:
    items = [f"item {number}" for number in range(57)]
    table = pd.DataFrame({"item": items, "length": [len(item) for item in items]})
    train, test = partition_rows(table, 0.1)
    assert (train["item"].tolist(), test["item"].tolist()) == partition_list(items, 0.1)
    expected_train, expected_test = model_selection.train_test_split(
        table, test_size=0.1, random_state=0
    )
    pd.testing.assert_frame_equal(train, expected_train)
    pd.testing.assert_frame_equal(test, expected_test)


def test_nothing_is_lost_and_nothing_leaks() -> None:
    train, test = partition_positions(1000, 0.1)
    assert sorted(train + test) == list(range(1000))
    assert len(test) == 100


seeds = st.integers(0, 2**32 - 1)
# Two of a class are as few as can be divided; equal sizes make ties that are broken by lot.
class_sizes = st.lists(st.integers(2, 4) | st.integers(2, 60), min_size=1, max_size=8)


def table_of(values: list, seed: int = 0) -> pd.DataFrame:
    """A shuffled table with a column of its own for each row."""
    shuffled = np.random.RandomState(seed).permutation(len(values))
    return pd.DataFrame({"row": range(len(values)), "class": [values[n] for n in shuffled]})


def members(sizes: list[int], name: str = "{}") -> list[str]:
    return [name.format(number) for number, size in enumerate(sizes) for _ in range(size)]


def check_stratified(table: pd.DataFrame, test_size: float, seed: int) -> None:
    """The rows of train_test_split, or an error where it has one."""
    try:
        expected = model_selection.train_test_split(
            range(len(table)), test_size=test_size, random_state=seed, stratify=table["class"]
        )
    except ValueError:
        with pytest.raises(ConfigError):
            partition_stratified(table, "class", test_size, seed)
        return
    parts = partition_stratified(table, "class", test_size, seed)
    assert [part["row"].tolist() for part in parts] == expected


@settings(max_examples=50)
@given(class_sizes, sizes, seeds)
def test_stratified_rows_equal_those_of_train_test_split(
    counts: list[int], test_size: float, seed: int
) -> None:
    check_stratified(table_of(members(counts), seed % 100), test_size, seed)


@given(st.integers(2, 60), st.integers(1, 399), st.lists(st.integers(2, 40), max_size=40))
def test_many_shares_and_classes_are_drawn_as_in_train_test_split(
    size: int, numerator: int, counts: list[int]
) -> None:
    check_stratified(table_of(members([size] * 5 + counts)), numerator / 400, seed=1)


@pytest.mark.parametrize(
    "values",
    [
        [True] * 9 + [False] * 3,
        [10, 9, 2] * 6,
        [0.5, -1.0] * 5,
        ["ä", "Z", "a", "10", "9"] * 4,
        pd.Categorical(["low", "high"] * 8, categories=["low", "high", "none"]),
    ],
    ids=["booleans", "numbers", "floats", "texts", "categories"],
)
def test_classes_of_any_kind_are_divided_as_in_train_test_split(values: list) -> None:
    table = pd.DataFrame({"class": values}, index=range(100, 100 + len(values)))
    expected = model_selection.train_test_split(
        table, test_size=0.4, random_state=3, stratify=table["class"]
    )
    for ours, theirs in zip(partition_stratified(table, "class", 0.4, 3), expected, strict=True):
        pd.testing.assert_frame_equal(ours, theirs)


def test_stratified_parts_lose_nothing_and_keep_the_shares() -> None:
    table = table_of(members([500, 300, 200]))
    train, test = partition_stratified(table, "class", 0.1)
    assert sorted([*train["row"], *test["row"]]) == list(range(1000))
    assert test["class"].value_counts().to_dict() == {"0": 50, "1": 30, "2": 20}


@pytest.mark.parametrize(
    ("values", "test_size", "message"),
    [
        (["a", "a", "b", "b", "c"], 0.5, r"single row .* there are 1: 'c'\."),
        ([*range(9)], 0.5, r"there are 9: 0, 1, 2, 3, 4, …\."),
        (["a", "b", "c"] * 4, 0.1, "3 classes, but the held-out part would have 2 of 12 rows"),
        (["a", "b", "c"] * 4, 0.9, "3 classes, but the training part would have 1 of 12 rows"),
        (["a", "a", None, "b", "b"], 0.5, "'class' lacks values"),
        (["a", "a", 1, 1], 0.5, "'class' cannot be sorted"),
        ([], 0.5, "without rows"),
        (["a", "b"] * 4, 4, "a share between 0 and 1, not 4"),
        (["a", "b"] * 4, 0.0, "a share between 0 and 1, not 0.0"),
    ],
)
def test_classes_that_cannot_be_divided_are_refused(
    values: list, test_size: float, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        partition_stratified(pd.DataFrame({"class": values}), "class", test_size)


@pytest.mark.parametrize("partition", [partition_stratified, partition_groups])
def test_unknown_column_is_refused(partition: object) -> None:
    assert callable(partition)
    with pytest.raises(ConfigError, match="no column 'kind'; it has row, class"):
        partition(table_of(["a", "b"] * 4), "kind", 0.5)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), sizes, seeds)
def test_groups_held_out_are_those_of_group_shuffle_split(
    counts: list[int], test_size: float, seed: int
) -> None:
    table = table_of(members(counts, "group {}"), seed % 100)
    splitter = model_selection.GroupShuffleSplit(n_splits=1, test_size=test_size, random_state=seed)
    try:
        ((train, test),) = splitter.split(table, groups=table["class"])
    except ValueError:
        with pytest.raises(ConfigError, match="to train on"):
            partition_groups(table, "class", test_size, seed)
        return
    ours = partition_groups(table, "class", test_size, seed)
    assert [part["row"].tolist() for part in ours] == [train.tolist(), test.tolist()]
    assert not set(ours[0]["class"]) & set(ours[1]["class"])
    assert all(part["row"].is_monotonic_increasing for part in ours)


@pytest.mark.parametrize(
    ("values", "test_size", "message"),
    [
        (["a"] * 9, 0.5, "1 different values.* leave 0 to train on and 1 held out"),
        (["a", "b", None], 0.5, "lacks values"),
        (["a", "b", "c"], 1, "a share between 0 and 1"),
        ([], 0.5, "0 different values"),
    ],
)
def test_groups_that_cannot_be_divided_are_refused(
    values: list, test_size: float, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        partition_groups(pd.DataFrame({"class": values}), "class", test_size)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=12, max_size=60), seeds)
def test_rows_of_one_value_stay_together_and_in_order(values: list[str], seed: int) -> None:
    table = table_of(values)
    distinct = list(dict.fromkeys(table["class"]))
    if len(distinct) < 2:
        return
    kept, held_out = model_selection.train_test_split(
        distinct, test_size=0.3, random_state=seed % 1000
    )
    train, test = partition_by_value(table, "class", 0.3, seed % 1000)
    assert train["row"].tolist() == table[table["class"].isin(kept)]["row"].tolist()
    assert test["row"].tolist() == table[table["class"].isin(held_out)]["row"].tolist()


@given(st.lists(st.sampled_from("abcdefgh"), min_size=12, max_size=60), seeds)
def test_stacked_groups_come_in_the_order_of_the_lot(values: list[str], seed: int) -> None:
    table = table_of(values)
    groups = [rows["row"].tolist() for _, rows in table.groupby("class")]
    if len(groups) < 2:
        return
    expected = model_selection.train_test_split(groups, test_size=0.3, random_state=seed % 1000)
    ours = partition_and_stack(table, "class", 0.3, seed % 1000)
    assert [part["row"].tolist() for part in ours] == [[*chain(*part)] for part in expected]


@given(st.integers(5, 200), st.integers(1, 4), seeds)
def test_a_whole_number_is_a_count(rows: int, count: int, seed: int) -> None:
    expected = model_selection.train_test_split(
        range(rows), test_size=count, random_state=seed % 1000
    )
    assert [*partition_positions(rows, count, seed % 1000)] == [*map(list, expected)]
