"""Numbers read from bytes, against Python's own split and int."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.submission import digits
from mlebench.submission.digits import plain_numbers

plain_texts = st.lists(st.text("0123456789 ", max_size=30), max_size=6)


def assert_read(texts: list[str]) -> None:
    found = plain_numbers(pa.array(texts, pa.large_string()))
    words = [text.split() for text in texts]
    if any(len(word) > digits.MOST_DIGITS for cell in words for word in cell):
        assert found is None
        return
    assert found is not None
    numbers, counts = found
    assert counts.tolist() == [len(cell) for cell in words]
    assert numbers.tolist() == [int(word) for cell in words for word in cell]


@given(plain_texts)
def test_columns_are_read_as_python_does(texts: list[str]) -> None:
    assert_read(texts)


@given(plain_texts, st.integers(digits.MOST_DIGITS + 1, 40))
def test_a_few_bytes_at_a_time_give_the_same(texts: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "BYTES_AT_A_TIME", size)
        assert_read(texts)


@pytest.mark.parametrize("count", range(1, digits.MOST_DIGITS + 1))
def test_numbers_of_every_length(count: int) -> None:
    assert_read([text * count for text in "0123456789"] + ["".join("1234567890"[:count])])


@pytest.mark.parametrize("text", ["+1", "-1", "1_0", "1.0", "a", "1\t1", "1\n", "٣", "\xa0", "-"])
def test_anything_else_is_left_to_others(text: str) -> None:
    assert plain_numbers(pa.array(["1 2", text, "3"], pa.large_string())) is None


def test_numbers_of_neighbouring_cells_are_not_joined() -> None:
    assert_read(["1", "2", "", "34", " 5", "6 ", "7"])


def test_a_part_of_a_column_is_read() -> None:
    column = pa.array(["1 2", "3", "", "45 6"], pa.large_string())
    found = plain_numbers(column.slice(1, 2))
    assert found is not None
    assert [part.tolist() for part in found] == [[3], [1, 0]]


def test_long_columns_are_read_in_parts() -> None:
    numbers = np.random.default_rng(0).integers(0, 10**12, 200_000)
    texts = [" ".join(map(str, part)) for part in np.array_split(numbers, 7)]
    found = plain_numbers(pa.array(texts, pa.large_string()))
    assert found is not None
    assert np.array_equal(found[0], numbers)
