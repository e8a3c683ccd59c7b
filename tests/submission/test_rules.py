"""Rules: what they refuse, what they let pass, and examples that obey them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import NotAllBelow, NotConstant, RowsSumToOne, Rule

NOTHING = pd.DataFrame()


def refused_rows(rule: Rule, **columns: list[Any]) -> list[int]:
    """The rows of the submitted file that a rule complains about."""
    try:
        rule.check(pd.DataFrame(columns), NOTHING)
    except InvalidSubmissionError as error:
        return list(error.rows)
    return []


@pytest.mark.parametrize(
    ("sums", "rows"),
    [
        ([1.0, 1.0], []),
        ([1.0, 1 + 1.05e-5], []),
        ([1.0, 1 - 1.05e-5], []),
        ([1.0, 1 + 1.2e-5], [2]),
        ([0.9, 1 - 1.2e-5], [1, 2]),
    ],
)
def test_rows_sum_to_one(sums: list[float], rows: list[int]) -> None:
    halves = [total / 2 for total in sums]
    assert refused_rows(RowsSumToOne(("cat", "dog")), cat=halves, dog=halves) == rows


@pytest.mark.parametrize(
    ("total", "is_refused"),
    [(1.000005, False), (0.999995, False), (1.000006, True), (0.999994, True), (1.00001, True)],
)
def test_sums_may_be_rounded(total: float, is_refused: bool) -> None:
    rule = RowsSumToOne(("cat", "dog"), decimals=5)
    rest = total - 0.5
    assert bool(refused_rows(rule, cat=[0.5], dog=[rest])) == is_refused
    assert "5 decimals" in rule.describe()


def test_truth_values_count_as_1_and_0() -> None:
    rule = RowsSumToOne(("cat", "dog"))
    assert refused_rows(rule, cat=[True, False, True], dog=[0.0, 1.0, 0.5]) == [3]


def test_missing_values_count_as_nothing() -> None:
    columns = {"cat": [1.0, 0.5], "dog": [np.nan, np.nan]}
    assert refused_rows(RowsSumToOne(("cat", "dog")), **columns) == [2]


@pytest.mark.parametrize("with_further", [False, True])
def test_further_columns_may_count(with_further: bool) -> None:
    rule = RowsSumToOne(("cat", "dog"), with_further=with_further)
    rows = refused_rows(rule, cat=[0.5, 1.0], dog=[0.5, 0.0], bird=[0.0, 0.1])
    assert rows == ([2] if with_further else [])
    assert ("further" in rule.describe()) == with_further


@pytest.mark.parametrize(
    ("values", "rows"),
    [([1, 2, 1], []), ([0.5], []), ([], []), ([3, 3, 3], [1, 2, 3]), ([True, True], [1, 2])],
)
def test_a_constant_is_refused(values: list[Any], rows: list[int]) -> None:
    assert refused_rows(NotConstant("price"), price=values) == rows


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ([-1, -2], [1, 2]),
        ([-np.inf, -1e-300], [1, 2]),
        ([-1, 0], []),
        ([-1, -0.0], []),
        ([-1, np.nan], []),
        ([False, False], []),
        ([], []),
    ],
)
def test_values_that_are_all_too_small_are_refused(values: list[Any], rows: list[int]) -> None:
    assert refused_rows(NotAllBelow("price", bound=0), price=values) == rows


@pytest.mark.parametrize("rule", [RowsSumToOne(("cat", "dog")), NotAllBelow("cat", bound=0.25)])
@pytest.mark.parametrize("scale", [0.01, 1])
def test_adjusted_examples_obey(rule: Rule, scale: float) -> None:
    values = np.random.default_rng(0).random((5, 2)) * scale
    example = rule.adjust(pd.DataFrame(values, columns=["cat", "dog"]))
    rule.check(example, NOTHING)
    assert example.shape == (5, 2)
