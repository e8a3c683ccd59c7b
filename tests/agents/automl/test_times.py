"""Dates are understood however they are written, and read no more often than need be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.features import columns
from mlebench.agents.automl.automl.features.columns import as_times
from mlebench.agents.automl.automl.folds import times_of_later
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import Problem

ROWS = 30_000
WRITTEN = "%Y-%m-%d %H:%M:%S UTC"


def _dates(begin: str, count: int, written: str = WRITTEN) -> pd.Series:
    return pd.Series(pd.date_range(begin, periods=count, freq="h").strftime(written))


@pytest.fixture
def guessed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many dates are read by guessing how each is written."""
    sizes: list[int] = []
    read = pd.to_datetime

    def counting(values: Any, **options: Any) -> Any:
        if options.get("format") == "mixed":
            sizes.append(len(values))
        return read(values, **options)

    monkeypatch.setattr(columns.pd, "to_datetime", counting)
    return sizes


@pytest.mark.parametrize("written", [WRITTEN, "%Y-%m-%d", "%Y%m%d", "%Y/%m/%d %H:%M"])
def test_only_dates_that_are_written_otherwise_are_guessed(
    written: str, guessed: list[int]
) -> None:
    dates = _dates("2009-06-15", 500, written).astype(object)
    dates[3], dates[7], dates[9] = None, "2011-02-03T04:00", "nothing"
    days = as_times(dates)
    assert guessed == [2]
    assert days is not None
    expected = pd.to_datetime(dates, errors="coerce", utc=True, format="mixed")
    assert np.array_equal(np.isnan(days), expected.isna())
    assert days[7] == pytest.approx((pd.Timestamp("2011-02-03T04:00").timestamp()) / 86_400)
    known = expected.notna()
    stamps = [stamp.timestamp() / 86_400 for stamp in expected[known]]
    assert np.allclose(days[known], stamps, rtol=0, atol=1e-6)


def _problem(known: pd.Series, asked: pd.Series) -> Problem:
    train, test = pd.DataFrame({"when": known}), pd.DataFrame({"when": asked})
    target = np.zeros((len(train), 1))
    return Problem("numbers", train, test, target, ("y",), METRICS["rmse"], pd.DataFrame)


def test_many_dates_are_not_all_read_to_see_that_none_comes_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dates = _dates("2009-06-15", ROWS)
    read: list[int] = []

    def counting(column: pd.Series) -> Any:
        read.append(len(column))
        return as_times(column)

    monkeypatch.setattr(columns, "as_times", counting)
    assert times_of_later(_problem(dates, dates.sample(frac=1, random_state=1))) is None
    assert sum(read) < ROWS / 2


def test_where_nearly_all_come_later_that_is_found_among_many() -> None:
    known, asked = _dates("2001-01-01", ROWS), _dates("2004-06-04", ROWS)
    assert asked[0] > known.iloc[-1]
    asked[: ROWS // 100] = known.iloc[-1]
    found = times_of_later(_problem(known, asked))
    assert found is not None
    assert [len(days) for days in found[1:]] == [ROWS, ROWS]
    asked[: ROWS // 2 + 1] = known.iloc[-1]
    assert times_of_later(_problem(known, asked)) is None
