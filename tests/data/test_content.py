"""Digests of content: the same for the same table, another one for any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mlebench.data import json_content
from mlebench.data.content import TableContent, content_digest, content_of, contents_of
from mlebench.errors import ConfigError, DataSourceError

ROWS = 70_001  # more than one batch
TABLE = pd.DataFrame(
    {
        "whole": np.arange(ROWS),
        "small": np.arange(ROWS).astype("int16"),
        "float": np.linspace(-1, 1, ROWS),
        "narrow": np.linspace(-1, 1, ROWS).astype("float32"),
        "yes": np.arange(ROWS) % 3 == 0,
        "text": [f"ü{number}" for number in range(ROWS)],
        "day": pd.date_range("2020-01-01", periods=ROWS, freq="min"),
    }
)
TABLE.loc[3, ["float", "text"]] = None


def write(path: Path, table: pd.DataFrame | pa.Table, **options: Any) -> Path:
    if isinstance(table, pd.DataFrame):
        table = pa.Table.from_pandas(table, preserve_index=False)
    pq.write_table(table, path, **options)
    return path


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    return write(tmp_path / "table.parquet", TABLE)


@pytest.mark.parametrize(
    "options",
    [
        {"compression": "gzip"},
        {"compression": "zstd", "row_group_size": 777},
        {"compression": "none", "row_group_size": 50_001, "data_page_size": 1000},
        {"use_dictionary": False, "version": "1.0", "data_page_version": "2.0"},
    ],
)
def test_the_way_of_writing_does_not_matter(
    options: dict[str, Any], parquet: Path, tmp_path: Path
) -> None:
    # Version 1.0 has no nanoseconds, so times would change; they are left out everywhere.
    plain = TABLE.drop(columns="day")
    first = write(tmp_path / "first.parquet", plain)
    second = write(tmp_path / "second.parquet", plain, **options)
    assert first.read_bytes() != second.read_bytes()
    assert content_digest(first) == content_digest(second)


def test_descriptions_of_the_writer_do_not_matter(parquet: Path, tmp_path: Path) -> None:
    table = pq.read_table(parquet)
    bare = write(tmp_path / "bare.parquet", table.replace_schema_metadata({"by": "another"}))
    assert content_digest(bare) == content_digest(parquet)


def test_codes_and_long_texts_do_not_matter(tmp_path: Path) -> None:
    texts = pa.array(["b", "a", None, "b"])
    forms = [texts, texts.dictionary_encode(), texts.cast(pa.large_string())]
    digests = {
        content_digest(write(tmp_path / f"{number}.parquet", pa.table({"x": form})))
        for number, form in enumerate(forms)
    }
    assert len(digests) == 1


def test_a_missing_number_is_nan(tmp_path: Path) -> None:
    forms = [pa.array([1.0, None]), pa.array([1.0, float("nan")])]
    digests = {
        content_digest(write(tmp_path / f"{number}.parquet", pa.table({"x": form})))
        for number, form in enumerate(forms)
    }
    assert len(digests) == 1


@pytest.mark.parametrize("column", TABLE.columns)
def test_any_changed_value_matters(column: str, parquet: Path, tmp_path: Path) -> None:
    changed = TABLE.copy()
    changed.loc[ROWS - 1, column] = TABLE.loc[0, column]
    assert content_digest(write(tmp_path / "changed.parquet", changed)) != content_digest(parquet)


@pytest.mark.parametrize(
    "other",
    [
        TABLE.iloc[:-1],
        TABLE.iloc[::-1],
        TABLE.rename(columns={"text": "words"}),
        TABLE[["small", *TABLE.columns.drop("small")]],
        TABLE.drop(columns="day"),
        TABLE.astype({"small": "int32"}),
        TABLE.astype({"narrow": "float64"}),
    ],
    ids=["row missing", "rows reversed", "name", "order", "column missing", "integers", "floats"],
)
def test_names_types_and_order_matter(other: pd.DataFrame, parquet: Path, tmp_path: Path) -> None:
    assert content_digest(write(tmp_path / "other.parquet", other)) != content_digest(parquet)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["ab", "c"], ["a", "bc"]),
        ([None, "a"], ["", "a"]),
        ([None, 0], [0, None]),
        ([None, False], [False, None]),
        ([[1], [2, 3]], [[1, 2], [3]]),
        ([b"x"], ["x"]),
    ],
)
def test_values_do_not_run_together(one: list[Any], other: list[Any], tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{number}.parquet", pa.table({"x": values}))
        for number, values in enumerate((one, other))
    ]
    assert len(set(map(content_digest, paths))) == 2


@pytest.mark.parametrize(
    ("suffix", "same", "different"),
    [
        ("csv", ["a,b\n1,2\n", 'a,"b"\r\n"1",2\r\n', "a,b\n1,2"], ["a,b\n1,3\n", "a,b\n12,\n"]),
        ("json", ['{"a": 1, "b": [2]}', '{ "b":[2],\n"a":1}'], ['{"a": 1, "b": [3]}', "{}"]),
        ("jsonl", ['{"a": 1}\n{"b": 2}\n', '{"a":1}\n\n{"b":2}'], ['{"b": 2}\n{"a": 1}\n']),
    ],
)
def test_texts_are_compared_by_what_they_say(
    suffix: str, same: list[str], different: list[str], tmp_path: Path
) -> None:
    def digest(text: str) -> str:
        path = tmp_path / f"table.{suffix}"
        path.write_bytes(text.encode())
        return content_digest(path)

    assert len(set(map(digest, same))) == 1
    assert len(set(map(digest, [same[0], *different]))) == 1 + len(different)


def test_arrays_are_compared_by_type_shape_and_values(tmp_path: Path) -> None:
    def digest(array: np.ndarray[Any, Any]) -> str:
        np.save(tmp_path / "array.npy", array)
        return content_digest(tmp_path / "array.npy")

    array = np.arange(6.0, dtype="<f4").reshape(2, 3)
    assert digest(np.asfortranarray(array)) == digest(array)
    assert digest(array.astype(">f4")) == digest(array)
    others = [array.T, array.ravel(), array + 1, array.astype("f8"), np.array(["17", "3"])]
    assert len({digest(array), *map(digest, others)}) == 1 + len(others)
    assert digest(np.array(["17", "3"])) != digest(np.array(["17", "4"]))
    assert digest(np.float32(3)) == digest(np.float32(3))


def changed_columns(one: Path, other: Path) -> set[str]:
    before, after = content_of(one), content_of(other)
    assert before is not None
    assert after is not None
    assert before.rows == after.rows
    return {name for name, digest in before.columns.items() if after.columns.get(name) != digest}


@pytest.mark.parametrize("column", TABLE.columns)
def test_a_changed_value_shows_in_its_column(column: str, tmp_path: Path) -> None:
    small = TABLE.iloc[:99]
    changed = small.copy()
    changed.loc[98, column] = small.loc[0, column]
    one, other = write(tmp_path / "1.parquet", small), write(tmp_path / "2.parquet", changed)
    assert changed_columns(one, other) == {column}


def test_the_unit_of_times_does_not_matter_and_their_zone_does(tmp_path: Path) -> None:
    moments = [pd.Timestamp("1969-12-31 23:59:59.999"), None, pd.Timestamp("2020-01-01")]
    kinds = [pa.timestamp(unit) for unit in ("ms", "us", "ns")]
    kinds.append(pa.timestamp("us", tz="UTC"))
    digests = [
        content_digest(write(tmp_path / "x.parquet", pa.table({"x": pa.array(moments, kind)})))
        for kind in kinds
    ]
    assert len(set(digests[:3])) == 1
    assert digests[3] != digests[0]


@pytest.mark.parametrize(
    ("name", "text", "rows", "columns"),
    [
        ("a.jsonl", '{"b": 1, "a": 2}\n{"c": [1]}\n', 2, ["a", "b", "c"]),
        ("a.jsonl", "[1]\n{}\n", 2, ["(values)"]),
        ("a.json", '[{"b": 1}, {"a": null}]', 2, ["a", "b"]),
        ("a.json", '{"images": [1, 2], "boxes": []}', 1, ["boxes", "images"]),
        ("a.json", "[1, 2, 3]", 3, ["(values)"]),
        ("a.json", "{}", 1, ["(values)"]),
        ("a.json", "[]", 0, ["(values)"]),
    ],
)
def test_keys_are_columns(
    name: str, text: str, rows: int, columns: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    found = content_of(tmp_path / name)
    assert found is not None
    assert (found.rows, [*found.columns]) == (rows, columns)


def test_values_of_json_do_not_run_together(tmp_path: Path) -> None:
    texts = ["{}", "[{}]", "[]", "[[]]", '[{"a": 1}]', '{"a": 1}', '[{"a": 1}, {}]']
    texts += ['[{}, {"a": 1}]', '[{"a": null}, {}]', '[["a", 1]]', "1", '"1"', "[1, 0]", "[[0, 1]]"]
    digests = set()
    for text in texts:
        (tmp_path / "a.json").write_text(text)
        digests.add(content_digest(tmp_path / "a.json"))
    assert len(digests) == len(texts)


def test_keys_that_are_values_are_no_columns(tmp_path: Path) -> None:
    many = {f"id{number}": number for number in range(json_content.MOST_KEYS + 1)}
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text(json.dumps(many))
    other.write_text(json.dumps(many | {"id7": 8}))
    assert changed_columns(one, other) == {"(values)"}


def test_fields_of_an_array_are_columns(tmp_path: Path) -> None:
    array = np.zeros(5, dtype=[("x", "<f4"), ("y", "<i8", (2,))])
    np.save(tmp_path / "one.npy", array)
    array["y"][4, 1] = 1
    np.save(tmp_path / "other.npy", array)
    assert changed_columns(tmp_path / "one.npy", tmp_path / "other.npy") == {"y"}


def test_the_order_of_columns_is_content() -> None:
    one, other = TableContent(1, {"a": "x", "b": "y"}), TableContent(1, {"b": "y", "a": "x"})
    assert one != other
    assert one.digest != other.digest
    assert one == TableContent(1, {"a": "x", "b": "y"})


def test_large_json_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.json"
    path.write_text("[1, 2, 3]")
    monkeypatch.setattr(json_content, "LARGEST_JSON", 8)
    assert content_of(path) is None
    with pytest.raises(ConfigError, match=r"large\.json cannot be compared by content"):
        content_digest(path)


def test_many_files_at_once_leave_out_what_has_no_content(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "lines.json").write_text("{}\n{}\n")
    (tmp_path / "items.bson").write_bytes(b"x")
    found = contents_of(tmp_path, ["a.csv", "lines.json", "items.bson"])
    assert found == {"a.csv": content_of(tmp_path / "a.csv")}


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"picture\.png cannot be compared by content"):
        content_digest(tmp_path / "picture.png")


@pytest.mark.parametrize("name", ["x.parquet", "x.json", "x.jsonl", "x.npy"])
def test_damaged_files_are_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"{broken")
    with pytest.raises(DataSourceError, match=name):
        content_digest(tmp_path / name)


def test_golden_tables_written_by_another_library_agree(shared_dir: Path, tmp_path: Path) -> None:
    """The golden parquet files were written by fastparquet."""
    folder = shared_dir / "golden" / "icecube-neutrinos-in-deep-ice" / "expected" / "public"
    if not folder.is_dir():
        pytest.skip("the shared folder lacks the golden vectors")
    tables = [*folder.glob("*.parquet")]
    assert tables
    for path in tables:
        again = tmp_path / path.name
        pd.read_parquet(path).to_parquet(again, index=False)
        assert again.read_bytes() != path.read_bytes()
        assert content_digest(again) == content_digest(path)
