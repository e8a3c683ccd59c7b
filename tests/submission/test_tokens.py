"""Splitting and converting tokens, against Python's own split, int and float."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.submission.tokens import (
    LARGEST,
    Tokens,
    as_objects,
    floats,
    ragged,
    split_numbers,
    split_on_blank,
    split_on_space,
    whole_numbers,
)

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
SPACES = [character for character in CHARACTERS if character.isspace()]

spaced_texts = st.lists(
    st.sampled_from([*SPACES, "a", "1", "é", "漢", "\u200b", "\ufeff"]), max_size=12
).map("".join)
columns = st.lists(spaced_texts, max_size=6)


def column(texts: list[str]) -> pd.Series:
    return pd.Series(texts, dtype=object)


def lists(tokens: Tokens) -> list[list[str]]:
    cells = ragged(tokens.flat.to_numpy(zero_copy_only=False), tokens.counts)
    return [cell.tolist() for cell in cells]


def test_python_knows_more_white_space_than_the_blank() -> None:
    assert len(SPACES) > 25


def test_every_character_splits_or_not_as_in_python() -> None:
    texts = [f"a{character}b" for character in CHARACTERS]
    assert_split(split_on_space(column(texts)), [text.split() for text in texts])
    edges = [text for space in SPACES for text in (f"{space}a", f"a{space}", space, space * 2)]
    assert_split(split_on_space(column(edges)), [text.split() for text in edges])


def test_every_character_alone_is_nothing_or_not_as_in_python() -> None:
    alone = [text.split(" ") if text.strip() else [] for text in CHARACTERS]
    assert_split(split_on_blank(column(CHARACTERS), blank_is_nothing=True), alone)


def assert_split(tokens: Tokens, expected: list[list[str]]) -> None:
    assert tokens.counts.tolist() == [len(cell) for cell in expected]
    assert tokens.flat.to_pylist() == [token for cell in expected for token in cell]


@given(columns)
def test_columns_are_split_at_white_space_as_in_python(texts: list[str]) -> None:
    assert lists(split_on_space(column(texts))) == [text.split() for text in texts]


@pytest.mark.parametrize("letters", [" 1", " \t1", " \u2000漢", "\x1e\x85é"])
def test_white_space_at_the_very_end_is_no_token(letters: str) -> None:
    """What stands in the memory behind the last text must not matter, so we try often."""
    random = Random(0)
    for _ in range(1500):
        texts = ["".join(random.choices(letters, k=random.randrange(40))) for _ in range(3)]
        assert lists(split_on_space(column(texts))) == [text.split() for text in texts]


@given(columns)
def test_columns_are_split_at_single_blanks_as_in_python(texts: list[str]) -> None:
    assert lists(split_on_blank(column(texts))) == [text.split(" ") for text in texts]
    expected = [text.split(" ") if text.strip() else [] for text in texts]
    assert lists(split_on_blank(column(texts), blank_is_nothing=True)) == expected


@given(columns)
def test_marked_tokens_lead_back_to_their_cells(texts: list[str]) -> None:
    tokens = split_on_space(column(texts))
    flat = [token for text in texts for token in text.split()]
    assert tokens.flat.to_pylist() == flat
    marks = np.array(["1" in token for token in flat], bool)
    expected = [any("1" in token for token in text.split()) for text in texts]
    assert tokens.cells_with(marks).tolist() == expected
    owners = [number for number, text in enumerate(texts) for _ in text.split()]
    assert tokens.cells.tolist() == owners


ODD_NUMBERS = [
    *["", "0", "-0", "+0", "007", "-007", "+5", "- 5", "--5", "5-", "1_0", "_1", "1_", "1__0"],
    *["٣", "٣٤", "１２", "²", "½", "Ⅷ", "𝟙", "0x10", "0b1", "0o7", "1L", "1f", "1d5", "1j"],
    *["nan", "-nan", "+nan", "NaN", "inf", "-inf", "+inf", "iNf", "Infinity", "infinit", "1inf"],
    *["1e5", "1E5", "1e+5", "1e-5", "1e", "e5", "1e5.0", "1e400", "-1e400", "1e-400", "1e_5"],
    *[".5", "5.", ".", "-.5", "-.", "1.5", "1.5.2", "1,5", "1.0", "0.1" + "0" * 5000],
    *["4.9e-324", "2.5e-324", "1.7976931348623157e308", "1.7976931348623159e308"],
    *["9" * 17, "9" * 18, "9" * 19, "-" + "9" * 18, "9" * 20, "-" + "9" * 30, "9" * 400],
    *["9" * 4300, "9" * 4301, "9" * 5000, "0" * 30 + "1", "0" * 5000, "1" + "0" * 308],
    *["9223372036854775807", "9223372036854775808", str(2**62), str(-(2**62)), str(2**64)],
    *["1\0", "\u200b1", "−1", "1 000", "true", "None", "e", "-", "+", "E-", "..", "-e-"],
]  # fmt: skip


def python_int(token: str) -> int | None:
    try:
        return min(max(int(token), -LARGEST), LARGEST)
    except ValueError:
        return None


def python_float(token: str) -> str | None:
    try:
        return repr(float(token))
    except ValueError:
        return None


def converted(convert: Any, tokens: list[str], show: Callable[[Any], Any]) -> list[Any]:
    values, bad = convert(pa.array(tokens, pa.large_string()))
    return [None if wrong else show(value) for value, wrong in zip(values, bad, strict=True)]


def ours(token: Any) -> str:
    return repr(float(token))


@pytest.mark.parametrize("token", ODD_NUMBERS, ids=lambda token: repr(token[:12]))
def test_odd_spellings_mean_what_python_makes_of_them(token: str) -> None:
    for tokens in ([token], ["1", token], [token, "2.5"], [token, "+1"]):
        whole = [python_int(one) for one in tokens]
        assert converted(whole_numbers, tokens, int) == whole
        assert converted(floats, tokens, ours) == [python_float(one) for one in tokens]


numberish = (
    st.text("0123456789+-_.eExinfaN٣ ", max_size=8)
    | st.integers().map(str)
    | st.floats().map(repr)
    | st.decimals(allow_nan=False).map(str)
    | st.text("0123456789", min_size=17, max_size=25)
)


@given(st.lists(numberish, max_size=4))
def test_tokens_mean_what_python_makes_of_them(tokens: list[str]) -> None:
    assert converted(whole_numbers, tokens, int) == [python_int(token) for token in tokens]
    assert converted(floats, tokens, ours) == [python_float(token) for token in tokens]


@given(st.lists(st.integers(0, 10**18 - 1).map(str), max_size=20))
def test_plain_whole_numbers_are_exact(tokens: list[str]) -> None:
    assert converted(whole_numbers, tokens, int) == [int(token) for token in tokens]


@given(st.lists(st.lists(numberish, max_size=3).map(" ".join), max_size=4), st.booleans())
def test_cells_of_numbers_mean_what_python_makes_of_them(texts: list[str], plain: bool) -> None:
    if plain:
        texts = ["".join(filter(" 0123456789".__contains__, text)) for text in texts]
    cells = [[python_int(token) for token in text.split()] for text in texts]
    for kind in (object, pd.ArrowDtype(pa.string())):
        numbers, counts, bad = split_numbers(pd.Series(texts, dtype=kind))
        assert counts.tolist() == [len(cell) for cell in cells]
        assert bad.tolist() == [None in cell for cell in cells]
        expected = [0 if number is None else number for cell in cells for number in cell]
        assert numbers.tolist() == expected


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20))
def test_plain_floats_are_rounded_as_python_does(numbers: list[float]) -> None:
    tokens = [repr(number) for number in numbers]
    values, bad = floats(pa.array(tokens, pa.large_string()))
    assert not bad.any()
    assert values.tolist() == numbers
    signs = [math.copysign(1, number) for number in numbers]
    assert np.copysign(1, values).tolist() == signs


@given(st.lists(st.integers(0, 4), max_size=8))
def test_ragged_values_are_one_array_for_each_cell(counts: list[int]) -> None:
    values = np.arange(sum(counts))
    cells = ragged(values, np.array(counts, np.int64))
    assert [len(cell) for cell in cells] == counts
    assert [value for cell in cells for value in cell.tolist()] == values.tolist()
    column_of_arrays = as_objects(cells, pd.RangeIndex(5, 5 + len(counts)))
    assert column_of_arrays.dtype == object
    assert column_of_arrays.index.tolist() == list(range(5, 5 + len(counts)))
