"""What is unpacked has bounds: no file takes more memory than there is, however small it is."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import py7zr
import pyarrow as pa
import pytest
from pyarrow import parquet

from mlebench.agents.automl.automl.odd.bare import made_sample
from mlebench.agents.automl.automl.packing import TooLargeError, opened
from mlebench.agents.automl.automl.tables import content_of, read_all, read_table

MEMORY = 10**6
LINES = b"id,y\n" + b"1,0\n" * (2 * MEMORY)


@contextmanager
def _measured() -> Iterator[None]:
    """What is done meanwhile takes little more memory than it may."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 8 * MEMORY
    finally:
        tracemalloc.stop()


def _pack(path: Path, content: bytes) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(path.stem, content)
    elif path.suffix == ".7z":
        with py7zr.SevenZipFile(path, "w") as seven:
            seven.writestr(content, path.stem)
    else:
        path.write_bytes(gzip.compress(content, 1))
    return path


@pytest.mark.parametrize("ending", [".zip", ".gz", ".7z"])
def test_no_more_than_the_bound_is_unpacked(ending: str, tmp_path: Path) -> None:
    path = _pack(tmp_path / f"test.csv{ending}", LINES)
    with opened(path, MEMORY) as file:
        assert file.read(10) == LINES[:10]
    with pytest.raises(TooLargeError, match="too large"):
        content_of(path, MEMORY)
    assert content_of(path, len(LINES)) == LINES
    if ending != ".7z":
        with pytest.raises(TooLargeError):
            made_sample(tmp_path, MEMORY)
        assert made_sample(tmp_path, len(LINES)) == LINES


def test_an_endless_line_is_too_large(tmp_path: Path) -> None:
    path = _pack(tmp_path / "a.csv.gz", bytes(20 * MEMORY))
    with _measured(), pytest.raises(TooLargeError):
        read_table(path, MEMORY)


def test_rows_before_an_endless_line_are_read(tmp_path: Path) -> None:
    rows = b"a,b\n" + b"1,2\n" * 1500
    path = _pack(tmp_path / "a.csv.gz", rows + b"x" * (20 * MEMORY))
    tables, unread = read_all([path], MEMORY)
    assert len(tables[path]) >= 1000
    assert "first rows" in unread[0]


def test_json_of_many_small_values_is_too_large(tmp_path: Path) -> None:
    path = _pack(tmp_path / "a.json.gz", b"[" + b"[]," * (MEMORY // 4) + b"1]")
    with _measured(), pytest.raises(TooLargeError):
        read_table(path, MEMORY)


@pytest.mark.parametrize("group", [1000, 10**6])
def test_of_a_large_parquet_file_the_first_rows_are_read(group: int, tmp_path: Path) -> None:
    numbers = pa.table({"a": np.zeros(10**6), "b": pa.array(["x"] * 10**6)})
    buffer = io.BytesIO()
    parquet.write_table(numbers, buffer, row_group_size=group)
    path = tmp_path / "a.parquet"
    path.write_bytes(buffer.getvalue())
    before = pa.total_allocated_bytes()
    tables, unread = read_all([path], MEMORY)
    assert 1000 <= len(tables[path]) <= MEMORY / 16
    assert "first rows" in unread[0]
    assert pa.total_allocated_bytes() - before < 4 * MEMORY


def test_parquet_files_that_fit_are_read_as_they_are(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"a": [1.5, None, 3], "b": ["x", "y", None], "c": pd.Categorical(["u", "v", "u"])}
    )
    table.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "a.parquet", MEMORY), pd.read_parquet(tmp_path / "a.parquet")
    )
    table[:0].to_parquet(tmp_path / "b.parquet")
    assert read_table(tmp_path / "b.parquet", MEMORY).columns.tolist() == ["a", "b", "c"]
