"""Columns are features where rows to learn from differ by them."""

from __future__ import annotations

import numpy as np
import pytest

from mlebench.agents.automl.automl.features.files import described_rows
from mlebench.agents.automl.automl.features.frame import Frame

MISSING = np.nan


@pytest.mark.parametrize(
    ("learned", "asked", "is_kept"),
    [
        ([1, 1, 1], [2, 3], False),
        ([1, 1, 1], [MISSING, 1], False),
        ([MISSING, MISSING, MISSING], [2, 3], False),
        ([1, MISSING, 1], [1, 1], True),
        ([1, 2, 1], [MISSING, MISSING], True),
        ([1, 2, 1], [1, 1], True),
    ],
)
def test_a_column_is_kept_if_rows_to_learn_from_differ_by_it(
    learned: list[float], asked: list[float], is_kept: bool
) -> None:
    frame = Frame(len(learned))
    frame.add("a", np.array([*learned, *asked], dtype=np.float64))
    assert frame.names == (["a"] if is_kept else [])


def test_that_infinite_values_of_rows_to_predict_are_missing() -> None:
    frame = Frame(2)
    frame.add("a", np.array([1.0, 2.0, np.inf]))
    assert np.isnan(frame.columns[0][2])


def test_how_many_files_a_row_has_does_not_describe_it() -> None:
    frame = Frame(3)
    frame.add("scans files", np.array([1, 2, 3, 2]))
    assert described_rows(frame).tolist() == [True] * 4  # nothing else is told of any
    frame.add("scans size", np.array([MISSING, 2, 1, MISSING]))
    assert described_rows(frame).tolist() == [False, True, True, False]
