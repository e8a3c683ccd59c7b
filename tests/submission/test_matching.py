"""Matching rows by key or by position."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.submission import AsFarAsBothGo, ExactKey, Position, read_table
from mlebench.submission.keys import KeyTable
from tests.helpers import refusal


def keys(*cells: Any, dtype: Any = None) -> pd.Series:
    return pd.Series(list(cells), name="id", dtype=dtype)


def key_table(cells: pd.Series) -> KeyTable:
    return KeyTable.of(cells.to_frame("id"))


def by_key(submitted: pd.Series, expected: pd.Series) -> np.ndarray:
    """For each answer its row in the submission."""
    order = ExactKey().pair(*map(key_table, (submitted, expected))).submitted
    return np.arange(len(expected)) if order is None else order


def as_read(*cells: str) -> pd.Series:
    """Ids in the type that the reader gives them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("id,x\n" + "".join(f"{cell},0\n" for cell in cells))
        return read_table(path)["id"]


some_ids = st.lists(
    st.text("abc/_-01 é", min_size=1, max_size=4)
    .map(str.strip)
    .filter(lambda text: text and not text.isdigit()),
    min_size=1,
    max_size=15,
    unique=True,
)


@given(some_ids, st.randoms(use_true_random=False))
def test_permuted_text_ids_are_put_in_order(ids: list[str], random: Any) -> None:
    shuffled = random.sample(ids, len(ids))
    order = by_key(keys(*shuffled, dtype="string[pyarrow]"), keys(*ids, dtype=object))
    assert [shuffled[position] for position in order] == ids


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, unique=True), st.randoms())
def test_permuted_whole_ids_are_put_in_order_exactly(ids: list[int], random: Any) -> None:
    shuffled = random.sample(ids, len(ids))
    order = by_key(keys(*shuffled), keys(*ids))
    assert [shuffled[position] for position in order] == ids


def test_equal_ids_keep_their_order() -> None:
    assert by_key(keys("a", "b"), keys("a", "b")).tolist() == [0, 1]


def test_whole_ids_may_be_written_as_fractions() -> None:
    assert by_key(keys(2.0, 1.0), keys(1, 2)).tolist() == [1, 0]
    assert by_key(as_read("3.0", "1.0", "2.0"), as_read("1", "2", "3")).tolist() == [1, 2, 0]


def test_leading_zeros_of_numbers_do_not_count() -> None:
    assert by_key(as_read("002", "001"), as_read("1", "2")).tolist() == [1, 0]


def test_repeated_ids_in_the_answers_are_matched_in_order() -> None:
    assert by_key(keys("b", "a", "b"), keys("b", "b", "a")).tolist() == [0, 2, 1]


def test_repeated_ids_are_not_confused_with_ids_that_look_like_them() -> None:
    ids = ["b"] * 11 + ["b1"]
    order = by_key(keys(*reversed(ids)), keys(*ids))
    assert order.tolist() == [*range(1, 12), 0]


@pytest.mark.parametrize(
    ("submitted", "expected", "code", "rows", "words"),
    [
        (keys("a", "c"), keys("a", "b"), "wrong_ids", [2], ["1 missing", "'b'", "unknown", "'c'"]),
        (keys("a", "a"), keys("a", "b"), "duplicate_ids", [2], ["1 repeated", "'a'", "missing"]),
        (keys(1, 9), keys(1, 2), "wrong_ids", [2], ["1 missing", "'2'", "'9'"]),
        (keys(1.0, 1.5), keys(1, 2), "wrong_ids", [2], ["'1.5'"]),
        (keys("a", None, dtype=object), keys("a", "b"), "wrong_ids", [2], ["empty"]),
        (keys(1.0, np.nan), keys(1, 2), "wrong_ids", [2], ["1 missing"]),
        (keys(np.nan, np.nan), keys("a", "b"), None, [], ["2 missing"]),
        (keys("a", "b"), keys("b", "b"), "wrong_ids", [1], ["1 missing", "'b'"]),
        (keys("A", "b"), keys("a", "b"), "wrong_ids", [1], ["'a'", "'A'"]),
        (keys("a ", "b"), keys("a", "b"), "wrong_ids", [1], ["'a '"]),
    ],
)
def test_wrong_ids_are_refused_with_examples(
    submitted: pd.Series, expected: pd.Series, code: str | None, rows: list[int], words: list[str]
) -> None:
    error = refusal(by_key, submitted, expected)
    assert error.column == "id"
    if code is not None:
        assert (error.code, error.rows) == (code, tuple(rows))
    for word in words:
        assert word in str(error)


@pytest.mark.parametrize(
    ("submitted", "expected"), [(keys(1, 2), keys("a", "b")), (keys("a", "b"), keys(1, 2))]
)
def test_numbers_are_no_text_ids_and_the_reverse(submitted: pd.Series, expected: pd.Series) -> None:
    error = refusal(by_key, submitted, expected)
    assert (error.code, error.column) == ("wrong_ids", "id")
    assert repr(expected.iloc[0]) in str(error) or str(expected.iloc[0]) in str(error)


@pytest.mark.parametrize(
    ("submitted", "words"),
    [
        (keys("a"), ["Expected 2 rows, found 1", "1 missing", "'b'"]),
        (keys("a", "b", "c"), ["Expected 2 rows, found 3", "1 unknown", "'c'"]),
        (keys("a", "b", "b"), ["Expected 2 rows, found 3", "1 repeated", "'b'"]),
        (keys(dtype=object), ["Expected 2 rows, found 0", "2 missing"]),
    ],
)
def test_wrong_number_of_rows_is_refused_with_the_ids_at_fault(
    submitted: pd.Series, words: list[str]
) -> None:
    error = refusal(by_key, submitted, keys("a", "b"))
    assert error.code == "row_count"
    for word in words:
        assert word in str(error)


@pytest.mark.parametrize("expected", [keys("a", "b"), keys(1, 2)], ids=["text", "numbers"])
def test_header_without_rows_has_too_few_rows(expected: pd.Series) -> None:
    assert refusal(by_key, as_read(), expected).code == "row_count"


def test_many_wrong_ids_are_not_all_listed() -> None:
    error = refusal(by_key, keys(*map(str, range(1000))).add("x"), keys(*map(str, range(1000))))
    assert len(str(error)) < 400
    assert error.rows == (1, 2, 3, 4, 5)


def test_long_ids_are_cut() -> None:
    assert len(str(refusal(by_key, keys("z" * 9999, "b"), keys("a", "b")))) < 400


def test_rows_are_paired_by_position() -> None:
    three = key_table(keys("a", "b", "c"))
    assert Position().pair(key_table(keys("?", "?", "?")), three) == (None, None)
    assert refusal(Position().pair, key_table(keys("a", "b")), three).code == "row_count"


def test_only_the_first_key_column_must_be_filled_where_none_is_compared() -> None:
    wanted = KeyTable.of(pd.DataFrame({"id": ["a", "b"], "class": ["x", "y"]}))
    filled = KeyTable.of(pd.DataFrame({"id": ["c", "d"], "class": ["x", None]}))
    assert AsFarAsBothGo().pair(filled, wanted).submitted.tolist() == [0, 1]
    empty = KeyTable.of(pd.DataFrame({"id": ["c", None], "class": ["x", "y"]}))
    error = refusal(AsFarAsBothGo().pair, empty, wanted)
    assert (error.code, error.rows) == ("wrong_ids", (2,))
