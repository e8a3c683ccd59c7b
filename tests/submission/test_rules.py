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
