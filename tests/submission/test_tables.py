"""Tables belong to whoever gets them: writing to one changes no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.errors import ConfigError
from mlebench.submission import Number, Submission, Text, read_table
from mlebench.submission.tables import LONGEST_KEPT, _kept_index, make_table

PUBLIC = pd.DataFrame({"id": ["a", "b", "c"]})
SUBMISSION = Submission(key="id", columns=(Number("x"), Text("t")))


def write_to(table: pd.DataFrame) -> None:
    table.loc[table["x"] > 1, "x"] = 0.0
    table.iloc[0, table.columns.get_loc("x")] = 9.0
    table["x"] += 1
    table.loc[0, "t"] = "other"


@pytest.fixture
def submitted(tmp_path: Path) -> pd.DataFrame:
    path = tmp_path / "submission.csv"
    path.write_text("id,x,t\na,0.5,p\nb,1.5,q\nc,2.5,r\n")
    return read_table(path, numbers=["x"])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
@pytest.mark.parametrize("kind", [lambda table: table, lambda table: table.astype({"t": object})])
def test_predictions_can_be_written_to(
    order: list[int], kind: Callable[[pd.DataFrame], pd.DataFrame], submitted: pd.DataFrame
) -> None:
    given = kind(submitted).iloc[order].reset_index(drop=True)
    before = given.copy(deep=True)
    expected = SUBMISSION.expect(PUBLIC)
    for _ in range(2):
        predicted = SUBMISSION.check(given, expected).predicted
        assert predicted["x"].tolist() == [0.5, 1.5, 2.5]
        assert predicted["t"].tolist() == ["p", "q", "r"]
        write_to(predicted)
    pd.testing.assert_frame_equal(given, before)


def test_tables_that_were_read_can_be_written_to(submitted: pd.DataFrame) -> None:
    write_to(submitted)
    assert submitted["x"].tolist() == [10.0, 1.0, 1.0]
    assert submitted["t"].tolist() == ["other", "q", "r"]


@dataclass(frozen=True)
class Own(Text):
    """A column of an author's own."""

    make: Any = None

    def parse(self, cells: pd.Series, public: pd.DataFrame) -> pd.Series:
        return self.make(cells)


@pytest.mark.parametrize("values", [[None, "b", "c"], [datetime(2020, 1, 1)] * 3, [[1], [], [2]]])
def test_objects_stay_what_they_are(values: list[Any], submitted: pd.DataFrame) -> None:
    column = Own("t", make=lambda cells: pd.Series(values, index=cells.index, dtype=object))
    predicted = Submission(key="id", columns=(column,)).check(submitted, PUBLIC).predicted
    assert predicted["t"].dtype == object
    assert [type(cell) for cell in predicted["t"]] == [type(value) for value in values]


@pytest.mark.parametrize(
    "make", [lambda cells: cells.to_numpy(), lambda cells: cells.iloc[::-1], lambda cells: [1, 2]]
)
def test_a_column_that_forgets_which_row_is_which_is_refused(
    make: Callable[[pd.Series], Any], submitted: pd.DataFrame
) -> None:
    declared = Submission(key="id", columns=(Own("t", make=make),))
    with pytest.raises(ConfigError, match="index of its cells"):
        declared.check(submitted, PUBLIC)


def test_names_given_to_one_table_are_not_those_of_the_next() -> None:
    first = make_table({"a": np.zeros(1), "b": np.ones(1)})
    first.columns.name = "mine"
    first.columns = ["c", "d"]
    second = make_table({"a": np.zeros(1), "b": np.ones(1)})
    assert second.columns.tolist() == ["a", "b"]
    assert second.columns.name is None


def test_long_names_are_not_kept() -> None:
    _kept_index.cache_clear()
    make_table({"x" * (LONGEST_KEPT + 1): np.zeros(1)})
    assert _kept_index.cache_info().currsize == 0
    make_table({"x": np.zeros(1)})
    assert _kept_index.cache_info().currsize == 1
