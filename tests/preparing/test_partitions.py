"""Splits are those of scikit-learn, row for row."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.preparing.partitions import partition_list, partition_positions, partition_rows

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
