"""A file means what it meant to pandas 2.2, whatever it holds and whatever is installed."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import read_table, reading
from mlebench.submission.inference import MISSING_WORDS
from mlebench.submission.records import name_columns
from mlebench.submission.wide import MANY_COLUMNS
from tests import pandas22
from tests.helpers import refusal

INTEGERS = ("0", "1", "-1", "+1", "007", "-0", "12345678901", "9223372036854775807")
HUGE = ("9223372036854775808", "-9223372036854775809", "18446744073709551616", "1" * 30)
FLOATS = (
    *("0.5", "-0.0", ".5", "5.", "1e5", "1E-7", "+1.5", "0.1", "1e400", "-1e400", "1e-400"),
    *("0.30000000000000004", "1.7976931348623157e308", "4.9e-324", "123456789.123456789", "00.5"),
    *("2.2250738585072011e-308", "9007199254740993", "1e22", "1e23", "9.5e18", "1e19"),
)
WORDS_FOR_NUMBERS = (
    *("inf", "-inf", "+inf", "Inf", "INF", "infinity", "-Infinity", "iNf", "+nan", "NAN", "Nan"),
    *("1_000", "1,000", "0x10", "0X1F", "1e", "e5", "1.2.3", "--1", "+-1", "1f", "1d", "½", "１"),
    *("1 2", "1e 5", "1e+5", "- 1", "1.#INF", "TRUE1", "0b1", "1j", "1e5.5", "+", "-", "."),
)
BOOLEANS = ("True", "False", "TRUE", "FALSE", "true", "false")
NEARLY_BOOLEANS = ("tRUE", "yes", "T", "f", " True", "True ")
TEXTS = (
    *(
        "a",
        "abc def",
        "it's",
        'say "hi"',
        "semi;colon",
        "a,b",
        "line\nbreak",
        "tab\tstop",
        "#",
        "\\",
    ),
    *(
        "Zoë",
        "東京",
        "\u00a0",
        "\ufeff",
        "e\u0301",
        "🙂",
        "\u2028",
        "'quoted'",
        '"',
        '""',
        "a" * 300,
    ),
)
BLANKS = ("", " ", "  ", "\t")
PADDED = (" 1", "1 ", " 0.5 ", "\t2", " NA", "nan ", " inf")
NASTY = (
    *INTEGERS, *HUGE, *FLOATS, *WORDS_FOR_NUMBERS, *BOOLEANS, *NEARLY_BOOLEANS, *TEXTS, *BLANKS,
    *PADDED, *MISSING_WORDS,
)  # fmt: skip

# Columns of one kind with a stray cell are where inference can go wrong.
KINDS = (INTEGERS, FLOATS, INTEGERS + FLOATS, BOOLEANS, (*BOOLEANS, ""), TEXTS, MISSING_WORDS)


def cell_meanings(series: pd.Series) -> list[tuple[str, Any]]:
    """Each cell as its kind and value."""
    return [meaning(value) for value in series.astype(object)]


def meaning(value: Any) -> tuple[str, Any]:
    if pd.isna(value):
        return "missing", None
    if isinstance(value, bool | np.bool_):
        return "bool", bool(value)
    if isinstance(value, int | float | np.number):
        return "number", value  # exactly compared: 1 equals 1.0, but 2**53 + 1 is no float
    return "text", str(value)


def column_kind(series: pd.Series) -> str:
    """How graders see a column; whether numbers are whole shows in their values."""
    if pd.api.types.is_bool_dtype(series):
        return "bool"
    return "number" if pd.api.types.is_numeric_dtype(series) else "text"


def assert_read_alike(path: Path, **options: Any) -> None:
    try:
        expected = pandas22.read(path)
    except pandas22.UnreadableError:
        refusal(read_table, path)
        return
    ours = read_table(path, **options)
    assert list(ours.columns) == list(expected.columns)
    assert len(ours) == len(expected)
    assert list(ours.index) == list(range(len(ours)))
    for name in expected.columns:
        assert column_kind(ours[name]) == column_kind(expected[name]), name
        mine, theirs = ours[name], expected[name]
        if name in options.get("numbers", ()) and column_kind(theirs) == "number":
            mine, theirs = mine.astype(float), theirs.astype(float)  # as the reader was told to
        assert cell_meanings(mine) == cell_meanings(theirs), name


def quoted(cell: str, *, always: bool) -> str:
    if always or any(mark in cell for mark in ',"\n\r'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


@st.composite
def columns(draw: st.DrawFn, rows: int) -> list[str]:
    pool = draw(st.sampled_from([*KINDS, NASTY]))
    cells = draw(st.lists(st.sampled_from(pool), min_size=rows, max_size=rows))
    for _ in range(draw(st.integers(0, 2)) if rows else 0):
        cells[draw(st.integers(0, rows - 1))] = draw(st.sampled_from(NASTY))
    return cells


@st.composite
def csv_texts(draw: st.DrawFn) -> str:
    rows, width = draw(st.integers(0, 6)), draw(st.integers(1, 3))
    table = [draw(columns(rows)) for _ in range(width)]
    always = draw(st.booleans())
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [",".join(["a", "b", "c"][:width])]
    lines += [
        ",".join(quoted(column[row], always=always) for column in table) for row in range(rows)
    ]
    return newline.join(lines) + draw(st.sampled_from(["", newline]))


@given(text=csv_texts(), expected_numbers=st.sets(st.sampled_from("abc")))
def test_values_and_kinds_are_those_of_pandas_22(text: str, expected_numbers: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        path.write_bytes(text.encode())
        assert_read_alike(path)
        assert_read_alike(path, numbers=expected_numbers)


@given(st.lists(st.sampled_from([*'a1," \t\n\r\ufeff', ",", '"', "\n", "\r\n", "NA"]), max_size=16))
@example(list('a,b\r\n"\r\n'))
def test_any_scribble_is_split_as_by_pandas_22(letters: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        for header in ("", "a,b\n", "a,b\r"):
            path.write_bytes((header + "".join(letters)).encode())
            assert_read_alike(path)


NAMES = ("x", "x", "x.1", "x.1.1", "x.2", "", "Unnamed: 0", "Unnamed: 1", "x.", ".1")


@given(st.lists(st.sampled_from(NAMES), min_size=2, max_size=9))
def test_names_are_told_apart_as_by_pandas(names: list[str]) -> None:
    text = ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n"
    assert name_columns(names) == list(pd.read_csv(io.StringIO(text)).columns)


@pytest.mark.parametrize("company", ["", "1", "0.5", "True", "word"])
def test_every_spelling_means_the_same_in_any_company(company: str, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    for cell in dict.fromkeys(NASTY):
        path.write_bytes(f"id,x\n1,{quoted(cell, always=False)}\n2,{company}\n".encode())
        assert_read_alike(path)
        assert_read_alike(path, numbers=["x"])


@given(st.floats(allow_nan=False))
def test_every_float_is_read_back_exactly(value: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        path.write_text(f"id,x\n1,{value!r}\n2,0.5\n")
        for options in ({}, {"numbers": ["x"]}):
            assert read_table(path, **options)["x"].iloc[0] == value


FILES = {
    "byte order mark": b"\xef\xbb\xbfid,x\n1,2\n",
    "byte order mark before a quote": b'\xef\xbb\xbf"id","x"\n1,2\n',
    "CRLF": b"id,x\r\n1,2\r\n3,4\r\n",
    "CR only": b"id,x\r1,2\r3,4\r",
    "mixed line ends": b"id,x\n1,2\r\n3,4\r5,6\n",
    "quoted newlines": b'id,x\n1,"a\nb"\n2,"c\r\nd"\n',
    "quoted header": b'"id","x, y"\n1,2\n',
    "header with a newline": b'id,"x\ny"\n1,2\n',
    "quote inside a cell": b'id,x\n1,a"b\n2,c""d\n',
    "open quote": b'id,x\n1,"a\n2,b\n',
    "text after a quoted cell": b'id,x\n1,"a"b\n2,c\n',
    "too many cells": b"id,x\n1,2\n3,4,5\n",
    "too few cells": b"id,x\n1,2\n3\n4,5\n",
    "row labels without a header": b"id,x\n9,1,2\n8,3,4\n",
    "trailing commas": b"id,x\n1,2,\n3,4,\n",
    "repeated header": b"id,x,x\n1,2,3\n",
    "repeated header that looks renamed": b"x,x,x.1\n1,2,3\n",
    "unnamed column": b"id,,x\n1,2,3\n",
    "blank column name": b"id, ,x\n1,2,3\n",
    "unnamed first column": b",id,x\n0,1,2\n",
    "header only": b"id,x\n",
    "header only without a newline": b"id,x",
    "single column": b"id\n1\n2\n",
    "blank lines": b"id,x\n\n1,2\n\n\n3,4\n\n",
    "blank lines first": b"\n\nid,x\n1,2\n",
    "line of blanks": b"id,x\n1,2\n   \n3,4\n",
    "blank line in a single column": b"id\n1\n\n2\n",
    "line of blanks in a single column": b"id\n \n",
    "line of blanks between texts": b"id\na\n \nb\n",
    "blank lines in quotes": b'id,x\n1,"a\n\nb"\n',
    "only newlines": b"\n\n\n",
    "only blanks": b"   ",
    "one byte": b"x",
    "Latin-1": "id,x\n1,Zoë\n".encode("latin-1"),
    "Latin-1 header": "id,Größe\n1,2\n".encode("latin-1"),
    "UTF-16": "id,x\n1,2\n".encode("utf-16"),
    "zip magic": b"PK\x03\x04" + bytes(range(256)),
    "semicolons": b"id;x\n1;2\n",
    "tabs": b"id\tx\n1\t2\n",
    "comment line": b"# made by a model\nid,x\n1,2\n",
    "spaces in the header": b"id, x\n1, 2\n",
    "whole numbers and one gap": b"id,x\n1,2\n2,\n3,4\n",
    "big numbers and one gap": b"id,x\n1,9007199254740993\n2,\n",
    "unsigned": b"id,x\n1,18446744073709551615\n2,3\n",
    "number larger than any type": b"id,x\n1,99999999999999999999999\n2,3\n",
    "booleans and a gap": b"id,x\n1,True\n2,\n",
    "booleans and a number": b"id,x\n1,True\n2,1\n",
    "all missing": b"id,x\n1,\n2,NA\n",
    "quoted missing words": b'id,x\n1,"NA"\n2,""\n',
    "quoted numbers": b'id,x\n1,"2"\n2,"3.5"\n',
    "numbers, then a word far below": b"id,x\n" + b"1,2\n" * 70_000 + b"1,word\n",
    "booleans, then a word far below": b"id,x\n" + b"1,True\n" * 70_000 + b"1,word\n",
    "dates": b"id,x\n1,2020-01-01\n2,2021-02-03\n",
    "times": b"id,x\n1,12:30:00\n2,13:00:00\n",
    "form feed": b"id,x\n1,\x0c2\n",
    "vertical tab": b"id,x\n1,\x0b2\n",
}  # fmt: skip


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_odd_files_mean_what_they_mean_to_pandas(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_bytes(content)
    assert_read_alike(path)
    assert_read_alike(path, numbers=["x"])


def test_empty_file_gives_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.touch()
    assert read_table(path).shape == (0, 0)


def test_only_wanted_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text("id,x,remark\n1,0.5,a\n2,0.25,b\n")
    table = read_table(path, only=["id", "x", "absent"])
    assert list(table.columns) == ["id", "x"]


def test_only_wanted_columns_are_read_of_an_odd_file(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text("id,x,x\n1,0.5\n2\n")
    assert list(read_table(path, only=["id", "x.1"]).columns) == ["id", "x.1"]
    assert read_table(path, only=["absent"]).shape[1] == 0


def test_expected_numbers_come_back_as_floats(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    for content in ("id,x\n1,2\n", "id,x\n1,2\n \n", "id,x\n1,18446744073709551615\n"):
        path.write_text(content)
        table = read_table(path, numbers=["x", "absent"])
        assert (table["id"].dtype.kind, table["x"].dtype.kind) == ("i", "f")


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_very_many_columns_are_like_few(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    cells = ["1", "0.5", "True", "word", "", "NA", "18446744073709551615", "1e400", "inf", "-1"]
    cells = [cells[column % len(cells)] for column in range(MANY_COLUMNS + 7)]
    names = [f"c{column % 990}" for column in range(len(cells))]
    path.write_text("\n".join([",".join(names), *[",".join(cells)] * rows]))
    assert_read_alike(path)
    assert_read_alike(path, numbers=["c0", "c1", "c3", "c6"])


def test_rows_much_shorter_than_the_header_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(",".join(f"c{column}" for column in range(2000)) + "\n" + "1\n" * 2000)
    error = refusal(read_table, path)
    assert error.code == "unreadable"
    assert "2000" in str(error)


def test_text_columns_come_back_as_arrow_strings(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text("id,x\na,1\nb,2\n")
    assert isinstance(read_table(path)["id"].dtype, pd.ArrowDtype)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("quote", ["", '"'])
def test_rows_longer_than_a_block_are_left_to_arrow(
    place: int, quote: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_read_with_python", None)
    texts = ["7 8"] * 4
    texts[place] = "12345 678 " * (3 * reading.BLOCK // 10)
    rows = [f"{name},{quote}{text}{quote}\n" for name, text in zip("abcd", texts, strict=True)]
    path = tmp_path / "submission.csv"
    path.write_text("id,x\n" + "".join(rows))
    table = read_table(path)
    assert table["id"].tolist() == [*"abcd"]
    assert table["x"].tolist() == texts


def test_missing_folder_is_no_verdict_on_a_submission(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.csv")


@pytest.mark.slow
def test_ten_million_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    block = "".join(f"{number:07d},0.{number:07d}\n" for number in range(100_000))
    with path.open("w") as file:
        file.write("id,x\n")
        for _ in range(100):
            file.write(block)
    table = read_table(path, numbers=["x"])
    assert len(table) == 10_000_000
    assert table["x"].iloc[[0, -1]].tolist() == [0.0, 0.0099999]
    assert table["id"].iloc[-1] == 99_999


def test_refusal_is_an_invalid_submission(tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InvalidSubmissionError):
        read_table(path)


@pytest.mark.parametrize(
    "cells",
    [
        ("1", "0x10", "2"),
        ("1", "0X1F", "2"),
        ("1", " 7 ", "007"),
        ("1", "+5", "-0"),
        ("1", "", "9007199254740993"),
        ("1", "-9223372036854775808", ""),
        ("1", "5.0", "2"),
        ("1", "word", "2"),
        ("1", "9223372036854775808", "3"),
    ],
)
def test_what_begins_like_whole_numbers_may_be_anything(
    cells: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,x\n" + "".join(f"{cell},{row}\n" for row, cell in enumerate(cells)))
    ours, theirs = read_table(path)["id"], pandas22.read(path)["id"]
    assert [str(cell) for cell in ours] == [str(cell) for cell in theirs]
