"""Tables and JSON in exactly the form of the original's writers."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import (
    append_jsonl,
    read_csv,
    read_csv_in_parts,
    read_json,
    read_jsonl,
    write_csv,
    write_json,
)

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
