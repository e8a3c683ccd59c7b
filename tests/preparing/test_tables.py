"""Tables and JSON in exactly the form of the original's writers."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import open_member, pack
from mlebench.preparing.tables import (
    _hasty_float,
    append_jsonl,
    first_record,
    open_parquet,
    read_array,
    read_csv,
    read_csv_hastily,
    read_csv_in_parts,
    read_json,
    read_json_table,
    read_jsonl,
    write_array_rows,
    write_csv,
    write_json,
    write_json_table,
    write_zipped_csv,
)
from mlebench.versions import pandas_version

NASTY_TEXTS = (
    *("\x7f", "a\x7fb", "\\\x7f", "\\u007f", "\\\\u007f", "\\\\\x7f", "\\\\\\u007f\x7f"),
    *("/", "</p>", "\\/", "http://x/y", "\\", "\\\\", '"', "'", "\t\n\r\b\f", "\x00", "\x01\x1f"),
    *("Zoë", "東京", "😀", "\u2028", "\ufeff", "\x80", "\xff", ""),
)
ALPHABET = st.characters(exclude_categories=["Cs"]) | st.sampled_from('\\/u07f\x7f"')
texts = st.sampled_from(NASTY_TEXTS) | st.text(ALPHABET, max_size=12)
values = st.recursive(
    texts | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def our_lines(records: list[Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        append_jsonl(records, path)
        return path.read_bytes()


def pandas_lines(records: list[dict[str, Any]]) -> bytes:
    """Columns of Python objects, as a table made from nested records has them."""
    buffer = io.BytesIO()
    columns = {key: [record[key] for record in records] for key in records[0]}
    frame = pd.DataFrame({key: pd.Series(cells, dtype=object) for key, cells in columns.items()})
    frame.to_json(buffer, orient="records", lines=True)
    return buffer.getvalue()


@given(st.lists(st.tuples(texts, values), min_size=1, max_size=3))
def test_json_lines_equal_those_of_pandas(rows: list[tuple[str, Any]]) -> None:
    records = [{"text": text, "value": value} for text, value in rows]
    assert our_lines(records) == pandas_lines(records)


@pytest.mark.parametrize("text", NASTY_TEXTS)
def test_nasty_texts_are_written_as_pandas_writes_them(text: str) -> None:
    records = [{"text": text, "nested": {text: [text]}}]
    assert our_lines(records) == pandas_lines(records)
    assert json.loads(our_lines(records)) == records[0]


def test_json_lines_are_appended_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    append_jsonl([{"a": 1}], path)
    append_jsonl([{"a": 2}, {"a": 3}], path)
    assert list(read_jsonl(path)) == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_json_is_written_in_pythons_default_form(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "value.json"
    value = {"ä": [1, 2.5, None, True], "b": "東"}
    write_json(value, path)
    assert path.read_text() == json.dumps(value)
    write_json(value, path, indent=4)
    assert path.read_text() == json.dumps(value, indent=4)
    assert read_json(path) == value


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("part", [1, 7, 1000])
def test_the_first_record_is_read_without_the_others(
    part: int, indent: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.preparing.tables.FIRST_CHARACTERS", part)
    record = {"b": [1.5, "]"], "a": {"c": "}ä"}}
    path = tmp_path / "records.json"
    write_json([record] * 3, path, indent=indent)
    assert first_record(path) == record
    path.write_text(path.read_text()[:-5])  # damaged, but not there
    assert list(first_record(path)) == ["b", "a"]


@pytest.mark.parametrize("text", ["", "[]", '[{"a": 1'])
def test_no_first_record_is_the_data_sources_fault(text: str, tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    path.write_text(text)
    with pytest.raises(DataSourceError, match="no list of records"):
        first_record(path)


@pytest.mark.parametrize("zipped", [False, True])
def test_floats_survive_reading_and_writing(zipped: bool, tmp_path: Path) -> None:
    numbers = [0.1, 0.30000000000000004, 1e-310, 1.7976931348623157e308, 123456789.12345679]
    text = pd.DataFrame({"x": numbers}).to_csv(index=False)
    source = tmp_path / ("table.csv.zip" if zipped else "table.csv")
    if zipped:
        pack(source, {"table.csv": text})
    else:
        source.write_text(text)
    frame = read_csv(source)
    assert frame["x"].tolist() == numbers
    write_csv(frame, tmp_path / "sub" / "again.csv")
    assert (tmp_path / "sub" / "again.csv").read_text() == text


HASTY = {
    "1": 1.0,
    "-122.4345856958": -122.4345856958,
    "37.395781899999996": 37.3957819,
    "0.1234567890123456789": 0.1234567890123456,
    "12345678901234567890123": 1.2345678901234568e22,
    " +.5 ": 0.5,
    "25e-1": 2.5,
    "1e-320": 1e-320,
    "1e400": float("inf"),
}
digits = st.text("0123456789", max_size=20)
decimals = st.builds(
    lambda sign, whole, point, fraction, exponent: f"{sign}{whole}{point}{fraction}{exponent}",
    *(st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), digits),
    st.just("") | st.integers(-330, 310).map(lambda power: f"e{power}"),
).filter(lambda text: any(letter.isdigit() for letter in text.partition("e")[0]))


@pytest.mark.parametrize(("text", "number"), HASTY.items())
def test_floats_may_be_read_as_hastily_as_pandas_2_did(text: str, number: float) -> None:
    assert _hasty_float(text) == number


@pytest.mark.skipif(pandas_version() >= (3, 1), reason="pandas rounds correctly")
@given(decimals)
@example("0.12345678901234567")
@example("00000000000000000001.5")
def test_hasty_floats_are_those_of_pandas_2(text: str) -> None:
    source = io.StringIO(f"x,y\n{text},0\n0.5,0\n")
    (number, _) = pd.read_csv(source, dtype={"x": float})["x"]
    assert _hasty_float(text) == number


def test_hasty_tables_have_the_usual_types(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("name,x,y,count\na,37.395781899999996,1e2,1\n,,inf,2\nc,0.5,,3\n")
    table = read_csv_hastily(path, usecols=["name", "x", "y", "count"])
    assert [*table.columns] == ["name", "x", "y", "count"]
    assert table["x"].tolist()[::2] == [37.3957819, 0.5]
    assert table["y"].tolist()[:2] == [100.0, float("inf")]
    assert table.isna().sum().tolist() == [1, 1, 1, 0]
    assert table["count"].dtype == "int64"


def test_tables_without_floats_need_no_haste(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("name,count\na,1\n")
    table = read_csv_hastily(tmp_path / "table.csv")
    assert table.to_dict("list") == {"name": ["a"], "count": [1]}


def test_parquet_tables_are_read_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pd.DataFrame({"x": range(10)}).to_parquet(path)
    with open_parquet(path) as table:
        sizes = [part.num_rows for part in table.iter_batches(4)]
    assert sizes == [4, 4, 2]


def test_missing_and_damaged_parquet_tables_are_the_sources_fault(tmp_path: Path) -> None:
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 no table PAR1")
    for name in ("missing.parquet", "damaged.parquet"):
        with pytest.raises(DataSourceError, match=name), open_parquet(tmp_path / name):
            pass


def test_json_tables_are_typed_by_pandas(tmp_path: Path) -> None:
    source, target = tmp_path / "table.json", tmp_path / "sub" / "table.json"
    source.write_text(
        '{"a": 1.0, "b": [0.123456789012], "c": "x/y"}\n{"a": 2, "b": [], "c": "é"}\n'
    )
    write_json_table(read_json_table(source), target)
    assert target.read_text().splitlines() == [
        '{"a":1,"b":[0.123456789],"c":"x\\/y"}',
        '{"a":2,"b":[],"c":"\\u00e9"}',
    ]
    with pytest.raises(DataSourceError, match=r"missing\.json"):
        read_json_table(tmp_path / "missing.json")


@pytest.mark.parametrize("array", [np.arange(12.0).reshape(6, 2), np.array(list("abcdef"))])
def test_rows_of_an_array_are_written_as_numpy_would(array: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "all.npy", array)
    rows = [5, 0, 3, 3]
    write_array_rows(read_array(tmp_path / "all.npy"), rows, tmp_path / "x" / "a.npy", at_a_time=3)
    np.save(tmp_path / "b.npy", array[rows])
    assert (tmp_path / "x" / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()


def test_a_missing_or_damaged_array_is_the_sources_fault(tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match="lack the file"):
        read_array(tmp_path / "none.npy")
    (tmp_path / "text.npy").write_text("text")
    with pytest.raises(DataSourceError, match="cannot be read"):
        read_array(tmp_path / "text.npy")


def test_a_zipped_table_bears_the_name_of_its_archive(tmp_path: Path) -> None:
    frame = pd.DataFrame({"word": ["ä", 'a "b"', "c\td"], "number": [1, 2, 3]})
    path = tmp_path / "deep" / "words.tsv.zip"
    write_zipped_csv(frame, path, sep="\t")
    with open_member(path, "words.tsv") as file:
        assert file.read().decode() == frame.to_csv(index=False, sep="\t")


def test_parts_of_a_table_make_up_the_table(tmp_path: Path) -> None:
    table = pd.DataFrame({"number": [0.1, 1e-7, 3.0, 4.0, 5.5], "text": ["a", "b,c", "", "d", "e"]})
    whole, again = tmp_path / "whole.csv", tmp_path / "again.csv"
    write_csv(table, whole)
    parts = [*read_csv_in_parts(whole, rows=2)]
    assert [len(part) for part in parts] == [2, 2, 1]
    for number, part in enumerate(parts):
        write_csv(part, again, mode="a", header=number == 0)
    assert again.read_bytes() == whole.read_bytes()
    with pytest.raises(DataSourceError, match="lack"):
        next(read_csv_in_parts(tmp_path / "missing.csv", rows=2))
