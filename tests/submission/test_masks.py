"""Run-length encoded masks, against masks painted pixel by pixel."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.masks import encode
from mlebench.submission import RunLengths
from tests.helpers import refusal

PIXELS = 50
ROWS = pd.DataFrame(index=range(3))
MASK = RunLengths("mask", pixels=PIXELS)
LENIENT = RunLengths("mask", pixels=PIXELS, odd_counts=True)


def decode(text: str, kind: RunLengths = MASK) -> np.ndarray:
    """The runs behind one text, among others."""
    cells = pd.Series(["1 1", text, "2 3"], name="mask")
    return kind.parse(cells, ROWS)[1]


def painted(runs: np.ndarray) -> set[int]:
    return {pixel for start, end in runs for pixel in range(start, end)}


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), max_size=8))
def test_decoding_paints_the_listed_pixels(steps: list[tuple[int, int]]) -> None:
    pairs, pixels, position = [], set(), 1
    for gap, length in steps:
        start = position + gap
        pairs.append(f"{start} {length}")
        pixels |= {pixel - 1 for pixel in range(start, start + length) if pixel <= PIXELS}
        position = start + length
    assert painted(decode(" ".join(pairs))) == pixels


@given(st.sets(st.integers(0, PIXELS - 1)))
def test_encoding_is_undone_by_decoding(pixels: set[int]) -> None:
    runs = np.array([(pixel, pixel + 1) for pixel in sorted(pixels)]).reshape(-1, 2)
    assert painted(decode(encode(runs))) == pixels


@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_blank_text_is_an_empty_mask(text: str) -> None:
    assert decode(text).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1", "pairs"),
        ("1 2 3", "pairs"),
        ("a b", "whole numbers"),
        ("1.0 2", "whole numbers"),
        ("0 5", "positive"),
        ("-1 5", "positive"),
        ("1 0", "positive"),
        ("5 2 1 2", "sorted"),
        ("1 5 3 2", "overlap"),
        ("1 2 1 2", "overlap"),
        ("9" * 5000 + " 1", ""),
    ],
)
def test_bad_masks_are_refused_with_the_row_and_the_reason(text: str, message: str) -> None:
    error = refusal(MASK.parse, pd.Series(["1 1", text, "2 3"], name="mask"), ROWS)
    assert (error.code, error.column, error.rows) == ("bad_mask", "mask", (2,))
    assert message in str(error)
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("text", "pixels"), [("7", set()), ("1 2 5", {0, 1, 4, 5}), ("1 2 4 3", {0, 1, 3, 4, 5})]
)
def test_odd_counts_broadcast_where_allowed(text: str, pixels: set[int]) -> None:
    assert painted(decode(text, LENIENT)) == pixels


def test_longer_odd_counts_are_never_allowed() -> None:
    error = refusal(LENIENT.parse, pd.Series(["1 1", "1 2 5 2 9", ""], name="mask"), ROWS)
    assert "pairs" in str(error)


def test_runs_past_the_end_are_cut() -> None:
    assert painted(decode(f"{PIXELS} 9223372036854775807")) == {PIXELS - 1}
    assert painted(decode(f"{PIXELS + 1} 3")) == set()
    assert painted(decode("99999999999999999999 1")) == set()


@pytest.mark.parametrize(
    "text", [f"1 {PIXELS + 1}", f"{PIXELS} 2", f"{PIXELS + 1} 1", "9" * 30 + " 1"]
)
def test_runs_past_the_end_are_refused_where_they_must_fit(text: str) -> None:
    strict = RunLengths("mask", pixels=PIXELS, must_fit=True)
    error = refusal(strict.parse, pd.Series(["1 1", text, ""], name="mask"), ROWS)
    assert (error.code, error.rows) == ("bad_mask", (2,))
    assert "past the last pixel" in str(error)
    assert painted(decode(f"1 {PIXELS}", strict)) == set(range(PIXELS))
    assert not [trial for trial in strict.trials() if trial.name.endswith("end") and trial.is_valid]


def test_arrow_columns_are_parsed_like_others() -> None:
    texts = ["1 1", None, "", " 7  2 ", "+3 2", "1 2 9 99"]
    rows = pd.DataFrame(index=range(len(texts)))
    columns = (pd.Series(texts, dtype=kind) for kind in (object, pd.ArrowDtype(pa.string())))
    plain, arrow = (LENIENT.parse(column, rows).map(np.ndarray.tolist) for column in columns)
    assert plain.tolist() == arrow.tolist()
    assert plain.tolist()[3:] == [[[6, 8]], [[2, 4]], [[0, 2], [8, PIXELS]]]


def test_numbers_in_the_whole_column_are_not_masks() -> None:
    assert refusal(MASK.parse, pd.Series([1, 2, 3], name="mask"), ROWS).code == "not_text"


def test_examples_are_valid() -> None:
    rows = pd.DataFrame(index=range(100))
    examples = MASK.example(np.random.default_rng(0), rows)
    MASK.parse(pd.Series(examples, name="mask"), rows)
    assert "" in examples
