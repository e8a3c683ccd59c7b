"""Whatever is written where a raw file has been placed, the raw file stays as it is."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.preparing.archives import (
    extract_members,
    pack,
    pack_7z,
    pack_tar,
    packing,
    repack,
    repack_tar,
)
from mlebench.preparing.bson import divide_documents, make_document, write_documents
from mlebench.preparing.files import copy_each, place, place_all, place_each, place_tree
from mlebench.preparing.tables import (
    append_jsonl,
    write_array_rows,
    write_csv,
    write_json,
    write_json_table,
    write_parquet,
    write_text,
    write_zipped_csv,
)
from mlebench.preparing.tfrecords import write_records

NOBODY = 65534
WRITE = 0o222
RAW = '{"raw":1}\n'
TABLE = pd.DataFrame({"x": [1]})


@pytest.fixture(scope="module")
def _all_imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import what writers import when they need it; nobody might not see where it lies."""
    for number, write in enumerate(WRITERS.values()):
        write(tmp_path_factory.mktemp("imports") / f"{number}.jsonl")
    with zipfile.ZipFile(from_zip(tmp_path_factory.mktemp("imports") / "x")) as archive:
        archive.read("a")


@pytest.fixture(params=["as we are", "as an ordinary user"])
def folder(request: pytest.FixtureRequest, _all_imported: None) -> Iterator[Path]:
    """A folder of the one who runs the test: root too has to leave raw files alone."""
    with tempfile.TemporaryDirectory() as name:
        lowered = request.param != "as we are" and os.geteuid() == 0
        if lowered:
            os.chown(name, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            if lowered:
                os.seteuid(0)


def write_in_zip(target: Path) -> None:
    with packing(target, "x") as file:
        file.write(b"new")


def from_zip(target: Path) -> Path:
    archive = target.with_name("other.zip")
    pack(archive, {"a": "new"})
    return archive


def from_tar(target: Path) -> Path:
    archive = target.with_name("other.tar")
    pack_tar(archive, {"a": b"new"})
    return archive


def another(target: Path) -> Path:
    other = target.with_name("other")
    other.write_text("new")
    return other


def divide(target: Path) -> None:
    source = target.with_name("other.bson")
    write_documents(source, [make_document({"a": 1})])
    divide_documents(source, [False], target, target.with_name("test.bson"), "a")


WRITERS: dict[str, Callable[[Path], object]] = {
    "write_csv": lambda target: write_csv(TABLE, target),
    "write_csv appending": lambda target: write_csv(TABLE, target, mode="a"),
    "write_text": lambda target: write_text("new", target),
    "write_parquet": lambda target: write_parquet(TABLE, target),
    "write_zipped_csv": lambda target: write_zipped_csv(TABLE, target),
    "write_json": lambda target: write_json(1, target),
    "write_json_table": lambda target: write_json_table(TABLE, target),
    "append_jsonl": lambda target: append_jsonl([1], target),
    "write_array_rows": lambda target: write_array_rows(np.arange(3), [0], target),
    "pack": lambda target: pack(target, {"x": "new"}),
    "pack_tar": lambda target: pack_tar(target, {"x": b"new"}),
    "pack_7z": lambda target: pack_7z(target, {"x": b"new"}),
    "packing": write_in_zip,
    "repack": lambda target: repack(from_zip(target), target, {"a": "b"}),
    "repack_tar": lambda target: repack_tar(from_tar(target), {target: {"a": "b"}}),
    "extract_members": lambda target: extract_members(from_zip(target), {"a": target}),
    "write_records": lambda target: write_records(target, [b"new"]),
    "write_documents": lambda target: write_documents(target, [b"new"]),
    "divide_documents": divide,
    "copy_each": lambda target: copy_each([(another(target), target)]),
    "place": lambda target: place(another(target), target),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_later_write_does_not_reach_the_raw_file(
    write: Callable[[Path], object], folder: Path
) -> None:
    raw, target = folder / "raw.jsonl", folder / "public.jsonl"
    raw.write_text(RAW)
    place(raw, target)
    write(target)
    assert raw.read_text() == RAW
    assert target.read_bytes() != raw.read_bytes()


def test_what_is_appended_comes_after_what_was_placed(folder: Path) -> None:
    raw, target = folder / "raw.csv", folder / "public.csv"
    raw.write_text("x\n0\n")
    place(raw, target)
    for _ in range(2):
        write_csv(TABLE, target, mode="a", header=False)
    assert target.read_text() == "x\n0\n1\n1\n"
    assert raw.read_text() == "x\n0\n"


def test_placed_files_are_read_only_however_they_came_there(folder: Path) -> None:
    names = [f"{number}.png" for number in range(5)]
    raw, public = folder / "raw", folder / "public"
    raw.mkdir()
    for name in names:
        (raw / name).write_text(name)
        (raw / name).chmod(0o664)
    place(raw / names[0], public / names[0])
    place_all([names[1]], raw, public)
    place_each([(raw / names[2], public / names[2])])
    copy_each([(raw / names[3], public / names[3])])
    place_tree(raw, public / "tree")
    placed = [path for path in public.rglob("*.png") if path.is_file()]
    assert len(placed) == 9
    assert not any(path.stat().st_mode & WRITE for path in placed)
    assert (public / "1.png").stat().st_mode & 0o777 == 0o444


def test_a_file_in_a_zip_can_be_read_after_it_replaced_a_placed_one(folder: Path) -> None:
    (folder / "raw.zip").write_text("raw")
    place(folder / "raw.zip", folder / "public.zip")
    pack(folder / "public.zip", {"a": "new"})
    with zipfile.ZipFile(folder / "public.zip") as archive:
        assert archive.read("a") == b"new"
