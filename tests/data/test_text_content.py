"""Content of csv files: the same however it is spelled, and another one for any other cell."""

from __future__ import annotations

import codecs
import csv
import io
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.data import csv_content
from mlebench.data.content import TableContent, content_of

Rows = Sequence[Sequence[str]]


def content(text: str | bytes, folder: Path | None = None) -> TableContent:
    raw = text.encode() if isinstance(text, str) else text
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "table.csv"
        path.write_bytes(raw)
        found = content_of(path)
    assert found is not None
    return found


def encoded(rows: Rows, *, line_end: str = "\n", quoting: int = 0, bom: bool = False) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=line_end, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return codecs.BOM_UTF8 * bom + file.getvalue().encode()


# Cells with whatever the form of a csv file consists of, and cells that look like numbers.
WORDS = st.text(st.sampled_from("aé,\"'\n ;0"), max_size=5)
NUMBERS = st.one_of(
    st.integers(-(2**60), 2**60).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["", "007", "nan", "inf", "+1", "-0.0", "1e999", "1e-999", "1_0", " 1", "1."]),
)
WIDTH = 3
TABLES = st.lists(
    st.tuples(st.one_of(WORDS, NUMBERS), NUMBERS, st.integers(0, 99).map(str)), max_size=6
)
HEADER = ("word", "number", "whole")


@given(
    TABLES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
    st.booleans(),
)
def test_the_encoding_does_not_matter(
    table: Rows, line_end: str, quoting: int, bom: bool, is_open: bool
) -> None:
    plain = encoded([HEADER, *table])
    other = encoded([HEADER, *table], line_end=line_end, quoting=quoting, bom=bom)
    if is_open:
        other = other.removesuffix(line_end.encode())
    assert content(other) == content(plain)


@given(TABLES.filter(bool), st.data())
def test_another_cell_changes_the_digest_of_its_column_only(
    table: Rows, data: st.DataObject
) -> None:
    row = data.draw(st.integers(0, len(table) - 1))
    column = data.draw(st.integers(0, WIDTH - 1))
    new = data.draw(
        st.one_of(WORDS, NUMBERS).filter(lambda cell: _differs(cell, table[row][column]))
    )
    changed = [list(cells) for cells in table]
    changed[row][column] = new
    before, after = content(encoded([HEADER, *table])), content(encoded([HEADER, *changed]))
    assert before.rows == after.rows
    names = {name for name in HEADER if before.columns[name] != after.columns[name]}
    assert names == {HEADER[column]}


def _differs(one: str, other: str) -> bool:
    """Whether two cells say different things, whatever stands beside them."""
    try:
        return one != other and float(one) != float(other)
    except ValueError:
        return one != other


SPELLINGS = [repr, "{:.17e}".format, "{:.17E}".format, lambda number: f"{Decimal(number):+f}"]


@given(st.lists(st.tuples(st.floats(-1e15, 1e15), st.sampled_from(SPELLINGS)), min_size=1))
def test_the_spelling_of_numbers_does_not_matter(cells: list[tuple[float, Any]]) -> None:
    plain = encoded([["x"], *([repr(number)] for number, _ in cells)])
    other = encoded([["x"], *([spell(number)] for number, spell in cells)])
    assert content(other) == content(plain)


@given(st.lists(st.lists(st.sampled_from(["a", "1", ",", '"', "\n", "\r\n", " "])).map("".join)))
def test_both_ways_of_splitting_agree(pieces: list[str]) -> None:
    """Arrow reads what it can, the csv module the rest; who does it must not show."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes("".join(pieces).encode())
        found = content_of(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_content, "_split_by_arrow", _refuse)
            assert content_of(path) == found


def _refuse(path: Path, width: int) -> None:
    raise pa.ArrowInvalid("not today")


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("1", "1.0", True),
        ("1e3", "1000.0", True),
        ("+1", "1", True),
        (".5", "0.50", True),
        ("9007199254740993", "9007199254740992", False),
        ("9007199254740993", "9007199254740993", True),
        ("0.1", "0.10000000000000001", True),
        ("007", "7", False),
        ("1", "01", False),
        ("0.0", "-0.0", False),
        ("", "nan", False),
        ("inf", "1e999", False),
        ("True", "1", False),
        ("1", " 1", False),
    ],
)
@pytest.mark.parametrize("beside", ["2.5", "", "9007199254740995"])
def test_what_is_one_number(one: str, other: str, is_same: bool, beside: str) -> None:
    contents = [content(f"x,y\n{cell},a\n{beside},b\n") for cell in (one, other)]
    assert (contents[0] == contents[1]) == is_same


def test_numbers_beside_a_word_are_texts() -> None:
    assert content("x\n1\nword\n") != content("x\n1.0\nword\n")
    assert content("x\nword\n1\n") != content("x\nword\n1.0\n")


def test_columns_are_decided_on_at_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_content, "SMALLEST_BLOCK", 1000)
    monkeypatch.setattr(csv_content, "BYTES_PER_COLUMN", 1000)
    many = "".join(f"{number}\n" for number in range(2000))
    plain = content(f"x\n{many}")
    assert plain == content("x\n" + many.replace("\n", ".0\n"))
    assert plain.rows == 2000
    assert content(f"x\n{many}word\n") != content("x\n" + many.replace("\n", ".0\n") + "word\n")


@pytest.mark.parametrize(
    ("text", "rows", "names"),
    [
        ("", 0, []),
        ("a,b\n", 0, ["a", "b"]),
        ("\n\na,b\n\n1,2\n\n", 1, ["a", "b"]),
        ('a\n""\nx\n', 2, ["a"]),
        ("a,a,a\n1,2,3\n", 1, ["a", "a (2)", "a (3)"]),
        (",x\n0,1\n", 1, ["", "x"]),
        ('"a\nb",c\n1,2\n', 1, ["a\nb", "c"]),
        ("a,b\n1\n1,2,3\n", 2, ["a", "b", "(beyond the header)"]),
        ("a\n" + "x" * 200_000 + "\n1,2\n", 2, ["a", "(beyond the header)"]),
        (b"caf\xe9,b\n\xff,2\n", 1, ["caf\\xe9", "b"]),
    ],
)
def test_rows_and_columns(text: str | bytes, rows: int, names: list[str]) -> None:
    found = content(text)
    assert (found.rows, [*found.columns]) == (rows, names)


def test_rows_longer_than_a_block_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a,b\n" + "x" * 5000 + ",1\n" + "y,2\n" * 1000
    expected = content(text)
    for name in ("SMALLEST_BLOCK", "LARGEST_BLOCK"):
        monkeypatch.setattr(csv_content, name, 2000)
    assert content(text) == expected


def test_missing_and_ragged_cells_are_missing_alike() -> None:
    assert content("a,b\n1\n2,3\n") == content("a,b\n1,\n2,3\n")
    long = content("a\n1\n2,3\n")
    assert long == content("a\n1,\n2,3\n")
    assert long != content("a\n1,3\n2\n")


def test_cells_do_not_run_together() -> None:
    texts = ["a,b\nxy,z\n", "a,b\nx,yz\n", "a,b\nx,y\nz,\n", "a,b\nx,\ny,z\n"]
    long = ["a\n" + "x" * 300 + "\n" + "x" * 301, "a\n" + "x" * 301 + "\n" + "x" * 300]
    assert len({content(text) for text in [*texts, *long]}) == len(texts) + len(long)


def test_libraries_that_write_the_same_table(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "id": range(300),
            "x": [number / 7 for number in range(300)],
            "w": ["a,b", None, 'c"'] * 100,
        }
    )
    table.to_csv(tmp_path / "pandas.csv", index=False)
    arrow_csv.write_csv(pa.Table.from_pandas(table), tmp_path / "arrow.csv")
    one, other = tmp_path / "pandas.csv", tmp_path / "arrow.csv"
    assert one.read_bytes() != other.read_bytes()
    assert content_of(one) == content_of(other)
