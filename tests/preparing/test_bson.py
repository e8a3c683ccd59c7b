"""BSON: documents go through unchanged, fields are found and left out, damage is told."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import DataSourceError
from mlebench.preparing.bson import (
    divide_documents,
    make_document,
    read_documents,
    read_numbers,
    without,
    write_documents,
)

PICTURES = [{"picture": b"\xff\xd8" + bytes(3000)}, {"picture": b""}]
FIRST = {"_id": 7, "category_id": 2**40, "imgs": PICTURES}
SECOND = {"_id": 2**31, "imgs": PICTURES, "category_id": -1}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.bson"
    write_documents(path, map(make_document, (FIRST, SECOND)))
    return path


def damaged(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_documents_have_the_published_form() -> None:
    # The examples of the specification, https://bsonspec.org/faq.html.
    hello = b"\x16\x00\x00\x00\x02hello\x00\x06\x00\x00\x00world\x00\x00"
    assert make_document({"hello": "world"}) == hello
    listed = {"BSON": ["awesome", 5.05, 1986]}
    assert make_document(listed) == (
        b"1\x00\x00\x00\x04BSON\x00&\x00\x00\x00\x020\x00\x08\x00\x00\x00awesome\x00"
        b"\x011\x00333333\x14@\x102\x00\xc2\x07\x00\x00\x00\x00"
    )


def test_documents_are_read_as_they_were_written(file: Path) -> None:
    assert list(read_documents(file)) == [make_document(FIRST), make_document(SECOND)]


def test_numbers_are_found_before_and_behind_pictures(file: Path) -> None:
    assert list(read_numbers(file, ("category_id", "_id"))) == [(2**40, 7), (-1, 2**31)]


@pytest.mark.parametrize("field", ["_id", "category_id", "imgs", "none"])
def test_a_field_is_left_out(field: str) -> None:
    for document in (FIRST, SECOND):
        rest = {name: value for name, value in document.items() if name != field}
        assert without(make_document(document), field) == make_document(rest)


def test_documents_are_divided_and_held_out_ones_lose_a_field(file: Path, tmp_path: Path) -> None:
    train, test = tmp_path / "train.bson", tmp_path / "test.bson"
    divide_documents(file, [True, False], train, test, leave_out="category_id")
    assert train.read_bytes() == make_document(SECOND)
    assert test.read_bytes() == make_document({"_id": 7, "imgs": PICTURES})


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text()
    | st.binary(max_size=600),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
)


@given(st.dictionaries(st.text("abc", max_size=40), values), st.text("abc", max_size=2))
def test_any_field_is_left_out_of_any_document(document: dict[str, Any], field: str) -> None:
    rest = {name: value for name, value in document.items() if name != field}
    assert without(make_document(document), field) == make_document(rest)


def test_nothing_but_the_heads_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlebench.preparing.bson._read_at", counted := _Counted())
    assert len(list(read_numbers(file, ("_id",)))) == 2
    assert counted.bytes <= 2 * 512


class _Counted:
    def __init__(self) -> None:
        self.bytes = 0

    def __call__(self, file: Any, start: int, place: int) -> bytes:
        file.seek(start + place)
        window: bytes = file.read(512)
        self.bytes += len(window)
        return window


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda content: content[:-1], "has no end"),
        (lambda content: content[:-1] + b"x", "has no end"),
        (lambda content: content + b"\x03\0\0\0", "has no end"),
        (lambda content: b"PK\3\4" + content, "has no end"),
    ],
)
def test_a_damaged_file_is_the_sources_fault(spoil: Any, message: str, file: Path) -> None:
    damaged(file, spoil(file.read_bytes()))
    with pytest.raises(DataSourceError, match=message):
        list(read_documents(file))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_document(FIRST)[:-1], "has no end"),
        (make_document(FIRST) + b"\x03\0\0\0", "shorter than any"),
        (make_document({"a": 1}), "lacks the field _id"),
        (make_document({"_id": "seven"}), "_id is no number"),
        (make_document({"b": 1}).replace(b"\x10b", b"\x0bb"), "unknown kind 11"),
        (struct.pack("<i", 30) + make_document({"b": "x" * 40})[4:], "past the end"),
        (b"\x30\0\0\0\x10" + b"n" * 43, "cannot be read as BSON"),
    ],
)
def test_what_is_no_number_of_a_document_is_told(
    content: bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataSourceError, match=message):
        list(read_numbers(damaged(tmp_path / "x.bson", content), ("_id",)))


def test_a_damaged_document_keeps_its_fields() -> None:
    with pytest.raises(DataSourceError, match="no BSON document"):
        without(b"\x30\0\0\0\x10", "a")


@pytest.mark.parametrize("read", [read_documents, lambda path: read_numbers(path, ("_id",))])
def test_a_missing_file_is_named(read: Any, tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match=r"lack the file none\.bson"):
        list(read(tmp_path / "none.bson"))
