"""Columns that are not there are told in our words, however the library puts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.lacking_columns import describe_lacking_columns
from mlebench.preparing.tables import read_csv
from mlebench.preparing.trail import followed

Use = Callable[[pd.DataFrame], Any]

USES: dict[str, Use] = {
    "one": lambda table: table["x"],
    "some": lambda table: table[["x", "a"]],
    "none": lambda table: table[["x"]],
    "attribute": lambda table: table.x,
    "drop": lambda table: table.drop(columns=["x"]),
    "rename": lambda table: table.rename(columns={"x": "y"}, errors="raise"),
    "index": lambda table: table.set_index("x"),
    "merge": lambda table: table.merge(table, on="x"),
    "group": lambda table: table.groupby("x"),
    "sort": lambda table: table.sort_values("x"),
    "loc": lambda table: table.loc[:, "x"],
    "locs": lambda table: table.loc[:, ["x"]],
    "dropna": lambda table: table.dropna(subset=["x"]),
    "duplicates": lambda table: table.drop_duplicates("x"),
    "melt": lambda table: table.melt("x"),
    "pivot": lambda table: table.pivot(index="x", columns="a", values="b"),
    "types": lambda table: table.astype({"x": int}),
    "pop": lambda table: table.pop("x"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "train.csv"
    path.write_text("a,b\n1,2\n")
    return path


def told(path: Path, use: Use) -> str | None:
    """What is said of a table that is read and then used."""
    with followed(), pytest.raises(Exception) as caught:  # noqa: PT011 (of any kind)
        use(read_csv(path))
    with followed():
        read_csv(path)
        return describe_lacking_columns(caught.value)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_file_and_columns_are_named(use: Use, path: Path) -> None:
    assert told(path, use) == f"{path} lacks the column 'x'; it has a, b."


def test_several(path: Path) -> None:
    message = told(path, lambda table: table[["x", "a", "y"]])
    assert message == f"{path} lacks the columns 'x', 'y'; it has a, b."


def test_a_table_of_unknown_origin(path: Path) -> None:
    message = told(path, lambda table: table.assign(c=1)["x"])
    assert message == "A table lacks the column 'x'; it has a, b, c."


@pytest.mark.parametrize("option", ["usecols", "parse_dates"])
def test_columns_that_reading_asks_for(option: str, path: Path) -> None:
    with pytest.raises(DataSourceError) as caught:
        read_csv(path, **{option: ["x"]})
    assert str(caught.value) == f"{path} lacks the column 'x'; it has a, b."


def test_columns_that_cannot_be_merged(path: Path) -> None:
    message = told(path, lambda table: table.merge(table.assign(a="text"), on="a"))
    assert message == "The column 'a' holds numbers in one table and texts in another."


@pytest.mark.parametrize(
    "use",
    [
        lambda table: {"y": 1}["x"],
        lambda table: table.set_index("a").loc[7],
        lambda table: table["a"].loc[7],
        lambda table: int("x"),
    ],
)
def test_other_errors_are_not_about_columns(use: Use, path: Path) -> None:
    assert told(path, use) is None


@pytest.mark.parametrize("wanted", [["x"], ["x", "1"]])
def test_rows_are_no_columns(wanted: list[str], path: Path) -> None:
    message = told(path, lambda table: table.astype(str).set_index("a").loc[wanted])
    assert message == "A table lacks the rows 'x'."


def test_a_misspelt_column_is_named_however_many_others_there_are(path: Path) -> None:
    others = ",".join(f"column{number}" for number in range(12))
    path.write_text(f"{others},Transprted\n" + ",".join("1" * 13) + "\n")
    sentence = told(path, lambda table: table["Transported"])
    assert sentence is not None
    assert sentence.endswith("column7 and 5 more. Did you mean 'Transprted'?")
