"""Sets of tags, against tables of all tags."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics.tags import f1_over_tags, jaccard, mean_jaccard
from mlebench.submission import LabelSet

TAGS = ["red", "green", "blue", "9"]
some_tags = st.sets(st.sampled_from(TAGS))
rows_of_tags = st.lists(st.tuples(some_tags, some_tags), min_size=1, max_size=12)

Rows = list[tuple[set[str], set[str]]]


def of_scikit_learn(name: str, rows: Rows, average: str) -> float:
    """Its opinion of the same tags as a table of 0 and 1, a column a tag."""
    function: Any = getattr(pytest.importorskip("sklearn.metrics"), name)
    tables = [[[int(tag in row[side]) for tag in TAGS] for row in rows] for side in (0, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*tables, average=average))


@pytest.mark.parametrize("average", ["micro", "samples"])
@given(rows_of_tags)
def test_f1_equals_scikit_learn(average: Any, rows: Rows) -> None:
    actual, predicted = zip(*rows, strict=True)
    expected = of_scikit_learn("f1_score", rows, average)
    assert f1_over_tags(actual, predicted, average) == pytest.approx(expected)


@given(rows_of_tags)
def test_f1_equals_the_slow_version(rows: Rows) -> None:
    each, all_hits, all_tags = [], 0, 0
    for actual, predicted in rows:
        hits = sum(tag in predicted for tag in actual)
        tags = len(actual) + len(predicted)
        each.append(2 * hits / tags if tags else 0.0)
        all_hits, all_tags = all_hits + hits, all_tags + tags
    truth, guesses = zip(*rows, strict=True)
    assert f1_over_tags(truth, guesses, "samples") == pytest.approx(sum(each) / len(each))
    expected = 2 * all_hits / all_tags if all_tags else 0.0
    assert f1_over_tags(truth, guesses) == pytest.approx(expected)


@given(rows_of_tags)
def test_jaccard_equals_scikit_learn(rows: Rows) -> None:
    actual, predicted = zip(*rows, strict=True)
    expected = of_scikit_learn("jaccard_score", rows, "samples")
    assert mean_jaccard(actual, predicted) == pytest.approx(expected)


@given(some_tags, some_tags)
def test_jaccard_equals_the_slow_version(first: set[str], second: set[str]) -> None:
    either = [tag for tag in TAGS if tag in first or tag in second]
    both = [tag for tag in TAGS if tag in first and tag in second]
    assert jaccard(first, second) == (len(both) / len(either) if either else 0.0)


@pytest.mark.parametrize("average", ["micro", "samples"])
@given(rows_of_tags)
def test_unknown_tags_cost_nothing_where_they_are_free(average: Any, rows: Rows) -> None:
    actual, predicted = zip(*rows, strict=True)
    known = set().union(*actual)
    kept = [tags & known for tags in predicted]
    score = f1_over_tags(actual, predicted, average, unknown_is_free=True)
    assert score == f1_over_tags(actual, kept, average)


@pytest.mark.parametrize("average", ["micro", "samples"])
@given(rows_of_tags)
def test_tags_in_the_memory_of_arrow_mean_the_same(average: Any, rows: Rows) -> None:
    actual, predicted = zip(*rows, strict=True)
    in_arrow = [as_parsed(actual), as_parsed(predicted)]
    expected = f1_over_tags(actual, predicted, average)
    assert f1_over_tags(*in_arrow, average) == expected
    assert f1_over_tags(in_arrow[0], predicted, average) == expected
    assert f1_over_tags(actual, in_arrow[1], average) == expected


def as_parsed(rows: Iterable[Iterable[str]]) -> pd.Series[Any]:
    """Tags as a column of a submission gives them."""
    cells = pd.Series([" ".join(tags) for tags in rows])
    return LabelSet("tags").parse(cells, pd.DataFrame())


def test_repeated_tags_count_once() -> None:
    assert jaccard(["a", "a", "b"], ["b", "a"]) == 1
    assert f1_over_tags([["a", "a"]], [["a"]]) == 1
    assert f1_over_tags(as_parsed([["a", "a"]]), as_parsed([["a"]])) == 1


def test_tags_of_no_rows_are_undefined() -> None:
    assert math.isnan(f1_over_tags([], []))
    assert math.isnan(f1_over_tags([], [], "samples"))
    assert math.isnan(mean_jaccard([], []))


@pytest.mark.parametrize("average", ["micro", "samples"])
def test_unequal_numbers_of_rows_are_refused(average: Any) -> None:
    with pytest.raises(ValueError, match="1 true cases, but 0 predicted"):
        f1_over_tags([["a"]], [], average)


def test_unknown_average_is_refused() -> None:
    with pytest.raises(ValueError, match="no average 'macro'"):
        f1_over_tags([["a"]], [["a"]], "macro")  # type: ignore[arg-type]
