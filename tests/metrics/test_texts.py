"""Texts, against the definitions of their distances."""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.texts import (
    levenshtein,
    levenshtein_of_each,
    mean_levenshtein,
    mean_word_jaccard,
    share_of_equal_texts,
    word_jaccard,
)

# Few letters, so that much is alike; long enough to need several machine words.
texts = st.text("abß", max_size=12) | st.text("ab", min_size=50, max_size=150)


def slow_levenshtein(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The table of all distances, row by row."""
    above = [*range(len(second) + 1)]
    for number, one in enumerate(first, start=1):
        row = [number]
        for place, other in enumerate(second):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (one != other)))
        above = row
    return above[-1]


@pytest.mark.parametrize("kind", [object, pd.ArrowDtype(pa.string()), "str"])
def test_texts_are_equal_to_the_letter(kind: Any) -> None:
    truth, predicted = pd.Series(["a", "b ", "Ä"], dtype=kind), ["a", "b", "Ä"]
    assert share_of_equal_texts(truth, predicted) == pytest.approx(2 / 3)
    assert share_of_equal_texts(predicted, pd.Series(predicted, dtype=kind)) == 1.0
    assert math.isnan(share_of_equal_texts([], []))
    with pytest.raises(ValueError, match="3 true texts"):
        share_of_equal_texts(truth, ["a"])


@given(texts, texts)
def test_levenshtein_equals_the_slow_version(first: str, second: str) -> None:
    assert levenshtein(first, second) == slow_levenshtein(first, second)


@given(st.lists(st.tuples(texts, texts), max_size=5), st.integers(0, 70))
def test_many_distances_equal_the_slow_version(pairs: list[tuple[str, str]], extra: int) -> None:
    # Enough that some are compared together, others alone, and many are equal in part.
    pairs = pairs * 16 + [(one[extra:], one) for one, _ in pairs]
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    expected = [slow_levenshtein(one, other) for one, other in pairs]
    assert levenshtein_of_each(first, second).tolist() == expected
    assert mean_levenshtein(first, second) == pytest.approx(
        sum(expected) / len(pairs) if pairs else math.nan, nan_ok=True
    )


def test_many_distances_of_all_sorts_equal_single_ones() -> None:
    rng = np.random.default_rng(0)
    alphabet = np.array([*"ab\xe9\U0001f600\0 "])
    first = ["".join(rng.choice(alphabet, rng.integers(0, 300))) for _ in range(600)]
    second = [
        [one, one[7:], one[:-70], one[:90] + "x" + one[95:], other][number % 5]
        for number, (one, other) in enumerate(zip(first, reversed(first), strict=True))
    ]
    expected = [levenshtein(one, other) for one, other in zip(first, second, strict=True)]
    assert levenshtein_of_each(first, second).tolist() == expected


def test_a_single_long_text_among_short_ones_takes_no_time() -> None:
    started = time.process_time()
    assert levenshtein_of_each(["ab", "c" * 200], ["ab", "d" * 200_000]).tolist() == [0, 200_000]
    assert time.process_time() - started < 1


@given(st.lists(st.integers(0, 3), max_size=9), st.lists(st.integers(0, 3), max_size=9))
def test_levenshtein_of_lists_equals_the_slow_version(first: list[int], second: list[int]) -> None:
    expected = slow_levenshtein(first, second)
    assert levenshtein(first, second) == expected
    assert levenshtein(np.array(first), tuple(second)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("flaw", "lawn", 2),
        ("a" * 1000, "b" * 1000, 1000),
        ("ab" * 500, "ba" * 500, 2),
        (["the", "cat", "sat"], ["the", "cat", "sat", "down"], 1),
    ],
)
def test_levenshtein_of_examples(
    first: Sequence[Hashable], second: Sequence[Hashable], distance: int
) -> None:
    assert levenshtein(first, second) == levenshtein(second, first) == distance


def test_mean_levenshtein_is_taken_over_cases() -> None:
    assert mean_levenshtein(["abc", "x"], ["abd", "xyz"]) == pytest.approx(1.5)
    assert mean_levenshtein(pd.Series([[1, 2], [3]]), [[1], [3]]) == pytest.approx(0.5)
    assert math.isnan(mean_levenshtein([], []))
    with pytest.raises(ValueError, match="1 true cases"):
        mean_levenshtein(["a"], [])


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("a good day", "a bad day", 0.5),
        ("a a  a\n", "a", 1.0),
        ("Good", "good", 0.0),
        ("", "word", 0.0),
        ("", " ", 1.0),
    ],
)
def test_words_are_compared_as_sets(first: str, second: str, share: float) -> None:
    assert word_jaccard(first, second) == word_jaccard(second, first) == share


def test_mean_word_jaccard_knows_no_capitals_and_counts_empty_cases_as_told() -> None:
    actual, predicted = ["A good day", "ÄRA\xa0x", "", "word"], ["a bad DAY", "x ära", " ", ""]
    assert mean_word_jaccard(actual, predicted) == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    assert mean_word_jaccard(actual, predicted, empty=0.0) == pytest.approx((0.5 + 1) / 4)
    assert math.isnan(mean_word_jaccard([], []))
