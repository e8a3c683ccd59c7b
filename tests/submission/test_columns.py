"""What each kind of column takes, and how it refuses the rest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.submission import (
    CastNumber,
    CutLabel,
    FirstLabel,
    Ignored,
    Label,
    Number,
    NumberWhere,
    Text,
    parse_each,
)
from mlebench.submission.refusals import SHOWN_ROWS
from tests.helpers import refusal

NUMBER = Number("x", low=0, high=10)
WHOLE = replace(NUMBER, whole=True)
CAST = CastNumber("x", low=0)
GRADE = Label("x", choices=(0, 1, 2))
SOMEWHERE = NumberWhere("x", low=0, where=("scored", 1))


CUT = CutLabel("x")
FIRST = FirstLabel("x")
TEXT = Text("x")

NOTHING = pd.DataFrame()  # no public columns
FIRST_TWO = pd.DataFrame({"scored": [1, 1, 0]})
FIFTY = pd.DataFrame(index=range(50))


def column(*cells: Any, dtype: Any = None) -> pd.Series:
    return pd.Series(list(cells), name="x", dtype=dtype)


@pytest.mark.parametrize(
    ("kind", "cells", "code", "rows"),
    [
        (NUMBER, column("1", "b", "2", "c"), "not_a_number", [2, 4]),
        (NUMBER, column("1", None, "2", dtype=object), "missing_value", [2]),
        (NUMBER, column("b", None, dtype=object), "not_a_number", [1]),
        (NUMBER, column("True", "1"), "mixed_types", [1]),
        (replace(NUMBER, may_be_truth=False), column(True, False), "not_a_number", [1, 2]),
        (NUMBER, column(1.0, math.nan), "missing_value", [2]),
        (NUMBER, column(1.0, math.inf, -math.inf), "infinite_value", [2, 3]),
        (NUMBER, column(-0.1, 5.0, 10.5), "out_of_range", [1, 3]),
        (NUMBER, column(-1, 5, 11), "out_of_range", [1, 3]),
        (WHOLE, column(1.0, 2.5), "not_whole", [2]),
        (WHOLE, column(1, 11), "out_of_range", [2]),
        (CAST, column("1", "b", None, dtype=object), "not_a_number", [2]),
        (CAST, column("1" * 30, None, dtype=object), "missing_value", [2]),
        (CAST, column("1", "9" * 400), "infinite_value", [2]),
        (CAST, column("True", "1"), "not_a_number", [1]),
        (CAST, column("-" + "1" * 30, "1"), "out_of_range", [1]),
        (CAST, column("1", " nan", None, dtype=object), "missing_value", [2, 3]),
        (CAST, column(True, None, dtype=object), "missing_value", [2]),
        (replace(CAST, words_are_missing=True), column("1", "b"), "missing_value", [2]),
        (GRADE, column(0.0, 0.5), "not_a_label", [2]),
        (GRADE, column("0", "good"), "not_a_label", [2]),
        (CUT, column(1.0, math.nan), "missing_value", [2]),
        (CUT, column("1", None), "missing_value", [2]),
        (CUT, column("1", "7.0"), "not_a_label", [2]),
        (CUT, column(1.0, 2.0**63), "not_a_label", [2]),
        (CUT, column(1, 2**63, dtype=np.uint64), "not_a_label", [2]),
        (CUT, column("1", "-9223372036854775809", "9" * 40), "not_a_label", [2, 3]),
        (FIRST, column(1.0, 2.0), "not_a_label", [1, 2]),
        (FIRST, column(1.0, math.nan), "missing_value", [2]),
        (FIRST, column("1 2", None), "missing_value", [2]),
        (FIRST, column("1 2", "  "), "missing_value", [2]),
        (FIRST, column("1 2", "3.0 4", "3,4"), "not_a_label", [2, 3]),
        (FIRST, column(1, 2**63, dtype=np.uint64), "not_a_label", [2]),
        (TEXT, column(1, 2), "not_text", [1, 2]),
        (TEXT, column(1.5, math.nan), "not_text", [1]),
        (TEXT, column(True, False), "not_text", [1, 2]),
        (TEXT, column("a", True, "b"), "not_text", [2]),
    ],
)
def test_refusal_names_code_column_and_rows(
    kind: Any, cells: pd.Series, code: str, rows: list[int]
) -> None:
    error = refusal(kind.parse, cells, NOTHING)
    assert (error.code, error.column, error.rows) == (code, "x", tuple(rows))
    assert "'x'" in str(error)
    assert f"row {rows[0]}" in str(error)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (column(3.9, -0.9, 2.0), [3, 0, 2]),
        (column(True, False), [1, 0]),
        (column(7, 2**63 - 1), [7, 2**63 - 1]),
        (column("12_0", " 7", "-3"), [120, 7, -3]),
        (column("1", "9223372036854775807", "4611686018427387905"), [1, 2**63 - 1, 2**62 + 1]),
    ],
)
def test_labels_are_cut_to_whole_numbers(cells: pd.Series, labels: list[int]) -> None:
    assert CUT.parse(cells, NOTHING).tolist() == labels


def test_texts_are_cast_cell_by_cell() -> None:
    lenient = CastNumber("x", may_be_missing=True, words_are_missing=True)
    cells = column("1_0", "b", None, "-.5e1", "18446744073709551616", dtype=object)
    values = lenient.parse(cells, NOTHING).tolist()
    assert np.array_equal(values, [10, math.nan, math.nan, -5, 2.0**64], equal_nan=True)
    assert lenient.parse(column(True, None, False, dtype=object), NOTHING).tolist()[::2] == [1, 0]
    assert lenient.parse(column(True, False), NOTHING).tolist() == [True, False]
    assert {trial.name for trial in lenient.trials() if trial.is_valid} == {
        "a word",
        "an empty cell",
    }
    assert not any(trial.is_valid for trial in CAST.trials())


def test_only_the_first_offending_rows_are_shown() -> None:
    error = refusal(NUMBER.parse, column(*[-1.0] * 8), NOTHING)
    assert error.rows == tuple(range(1, SHOWN_ROWS + 1))
    assert "and 3 more" in str(error)


def test_rows_are_those_of_the_submitted_file() -> None:
    error = refusal(NUMBER.parse, column(1.0, 99.0, 98.0).take([2, 0, 1]), NOTHING)
    assert error.rows == (3, 2)


def test_long_cells_are_cut_in_messages() -> None:
    message = str(refusal(NUMBER.parse, column("y" * 10_000, "1"), NOTHING))
    assert len(message) < 300


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (column(3, 2**63 - 1), [3, 2**63 - 1]),
        (column(True, False), [1, 0]),
        (column("3 1 4", "\t 007 x", "5"), [3, 7, 5]),
    ],
)
def test_the_first_label_of_a_cell_counts(cells: pd.Series, labels: list[int]) -> None:
    assert FIRST.parse(cells, NOTHING).tolist() == labels


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        (NUMBER, column(0, 10)),
        (NUMBER, column(0.0, 10.0, 3.3)),
        (NUMBER, column(True, False)),
        (Number("x"), column(-1e308, 1e308)),
        (Number("x", may_be_missing=True), column(1.0, math.nan)),
        (Number("x", may_be_infinite=True), column(1.0, math.inf)),
        (Number("x", low=0, may_be_missing=True), column(1.0, math.nan)),
        (WHOLE, column(1.0, 2.0)),
        (GRADE, column(0, 7)),
        (GRADE, column(True, False)),
    ],
)
def test_admissible_numbers_come_back_as_they_were(kind: Number, cells: pd.Series) -> None:
    pd.testing.assert_series_equal(kind.parse(cells, NOTHING), cells)


@pytest.mark.parametrize(
    "cells",
    [column("1" * 30, "2_000", " 3 "), column(2**62, -1), column(True, False), column(0.5, 1.5)],
)
def test_whatever_is_a_number_to_python_is_cast(cells: pd.Series) -> None:
    expected = column(*map(float, cells), dtype=np.float64)
    pd.testing.assert_series_equal(
        CastNumber("x").parse(cells, NOTHING), expected, check_names=False
    )


def test_empty_cells_are_empty_texts() -> None:
    assert TEXT.parse(column("a", None, dtype=object), NOTHING).tolist() == ["a", ""]
    assert TEXT.parse(column(math.nan, math.nan), NOTHING).tolist() == ["", ""]


def test_texts_come_back_as_python_strings_with_their_row_labels() -> None:
    texts = TEXT.parse(column("b", "a", dtype="string[pyarrow]").take([1, 0]), NOTHING)
    assert texts.tolist() == ["a", "b"]
    assert texts.index.tolist() == [1, 0]


def test_parser_of_single_cells_refuses_the_row_with_its_message() -> None:
    error = refusal(parse_each, "x", "bad_thing", column("1", "two", "3"), int)
    assert (error.code, error.column, error.rows) == ("bad_thing", "x", (2,))
    assert "invalid literal" in str(error)


@pytest.mark.parametrize(
    "kind",
    [
        Number("x"),
        NUMBER,
        WHOLE,
        Number("x", low=5),
        Number("x", high=-5),
        GRADE,
        Label("x", choices=(True, False)),
        TEXT,
    ],
)
def test_examples_are_valid_and_varied(kind: Any) -> None:
    cells = kind.example(np.random.default_rng(0), FIFTY)
    assert len(cells) == 50
    assert len(set(cells)) > 1
    kind.parse(column(*cells), FIFTY)
    assert cells == kind.example(np.random.default_rng(0), FIFTY)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Number("x"), "a number"),
        (NUMBER, "a number; values must lie between 0 and 10"),
        (Number("x", low=1), "a number; values must be at least 1"),
        (Number("x", high=1), "a number; values must not exceed 1"),
        (WHOLE, "a whole number; values must lie between 0 and 10"),
        (GRADE, "one of `0`, `1`, `2`"),
        (TEXT, "text, may be empty"),
    ],
)
def test_description_says_what_is_expected(kind: Any, words: str) -> None:
    assert kind.describe() == words


@pytest.mark.parametrize(
    "cells",
    [
        column(1.0, 2.0, -9.0),
        column(1.0, 2.0, math.nan),
        column(1.0, 2.0, math.inf),
        column("1", " 2e0 ", "a lot"),
        column("1", "2", None, dtype=object),
    ],
)
def test_numbers_count_only_where_they_are_asked_for(cells: pd.Series) -> None:
    numbers = SOMEWHERE.parse(cells.set_axis([5, 3, 4]), FIRST_TWO)
    assert numbers.iloc[:2].tolist() == [1, 2]
    assert math.isnan(numbers.iloc[2])
    assert numbers.index.tolist() == [5, 3, 4]


@pytest.mark.parametrize(
    ("cells", "code", "rows"),
    [
        (column(1.0, -2.0, 3.0), "out_of_range", [2]),
        (column(1.0, math.nan, 3.0), "missing_value", [2]),
        (column("1", "two", "three"), "not_a_number", [2]),
        (column("True", "2", "three"), "not_a_number", [1]),
        (column(None, "2", "three", dtype=object), "missing_value", [1]),
        (column("1", "inf", "three"), "infinite_value", [2]),
    ],
)
def test_numbers_are_checked_where_they_are_asked_for(
    cells: pd.Series, code: str, rows: list[int]
) -> None:
    error = refusal(SOMEWHERE.parse, cells, FIRST_TWO)
    assert (error.code, error.rows) == (code, tuple(rows))


def test_truth_values_count_although_one_is_missing_elsewhere() -> None:
    numbers = SOMEWHERE.parse(column(True, False, None, dtype=object), FIRST_TWO)
    assert numbers.iloc[:2].tolist() == [1, 0]


def test_numbers_that_count_somewhere_tell_where() -> None:
    assert SOMEWHERE.describe().endswith("where `scored` is 1; elsewhere anything")
    assert SOMEWHERE.public_columns == ("scored",)


@pytest.mark.parametrize("cells", [column(1, 2), column("a", None, dtype=object)])
def test_ignored_columns_hold_anything(cells: pd.Series) -> None:
    pd.testing.assert_series_equal(Ignored("x").parse(cells, NOTHING), cells)


@pytest.mark.parametrize("bound", [0, 1, -7.5, 1e12, 1e300, -1e300])
def test_there_is_something_beyond_every_bound(bound: float) -> None:
    trials = {
        trial.name: float(trial.cell)
        for trial in Number("x", bound, bound).trials()
        if trial.name.startswith("too")
    }
    assert trials["too little"] < bound < trials["too much"]
