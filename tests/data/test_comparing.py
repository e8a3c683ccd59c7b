"""What people are told about a table that is not the published one."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mlebench.data import encodings
from mlebench.data.comparing import content_difference, file_difference
from mlebench.data.content import content_digest, content_of

TEXT = "id,Age,Name\n1,30,Ann\n2,40,Bob\n3,50,Cid\n"
WRONG = "0" * 32


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def md5_of(text: str | bytes) -> str:
    return hashlib.md5(text.encode() if isinstance(text, str) else text).hexdigest()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("\n", "\r\n"), "only its encoding differs"),
        (TEXT.replace("30", "30.0"), "only its encoding differs"),
        (TEXT.replace("30", "31"), "column `Age` differs"),
        (TEXT.replace("30,Ann", "31,Eve"), "columns `Age`, `Name` differ"),
        (TEXT.replace("Age", "age"), "column missing: `Age`; column too many: `age`"),
        ("id\n1\n2\n3\n", "columns missing: `Age`, `Name`"),
        ("Age,id,Name\n30,1,Ann\n40,2,Bob\n50,3,Cid\n", "its columns stand in another order"),
        ("id,Age,Name\n", "3 rows fewer"),
        (TEXT + "4,60,Dan\n", "1 row more"),
        ("id,Age\n1,30\n", "column missing: `Name`; 2 rows fewer"),
        ("", "columns missing: `id`, `Age`, `Name`; 3 rows fewer"),
        (TEXT.replace("Name", "N\x1bame"), "column missing: `Name`; column too many: `N\\x1bame`"),
    ],
)
def test_tables_known_on_both_sides(text: str, words: str, tmp_path: Path) -> None:
    here, there = write(tmp_path / "here.csv", text), write(tmp_path / "there.csv", TEXT)
    expected = content_of(there)
    assert expected is not None
    told = file_difference(here, "public/train.csv", WRONG, expected)
    assert told == f"public/train.csv: {words}."


def test_long_lists_of_columns_are_cut(tmp_path: Path) -> None:
    wide = write(tmp_path / "wide.csv", ",".join(f"x{number}" for number in range(1200)))
    one, other = content_of(wide), content_of(write(tmp_path / "none.csv", ""))
    assert one is not None
    assert other is not None
    told = "columns too many: `x0`, `x1`, `x2`, `x3`, `x4` and 1,195 more"
    assert content_difference(one, other) == told


def test_what_has_no_columns(tmp_path: Path) -> None:
    one, other = (
        content_of(write(tmp_path / "list.json", text)) for text in ("[[1, 2]]", "[[1, 3]]")
    )
    assert one is not None
    assert other is not None
    assert content_difference(one, other) == "its values differ"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("\n", "\r\n"), "only its encoding differs"),
        (TEXT.replace("30", "31"), "what it holds differs"),
    ],
)
def test_one_digest_is_published(text: str, words: str, tmp_path: Path) -> None:
    digest = content_digest(write(tmp_path / "there.csv", TEXT))
    here = write(tmp_path / "here.csv", text)
    told = file_difference(here, "private/test.csv", WRONG, digest)
    assert told == f"private/test.csv: {words}; it has 3 rows and 3 columns here."


MARKED = codecs.BOM_UTF8 + TEXT.encode()


@pytest.mark.parametrize("block", [1, 2, 7, 2**20])
@pytest.mark.parametrize(
    ("here", "there", "words"),
    [
        (TEXT, TEXT.replace("\n", "\r\n"), "only line ends differ"),
        (TEXT.replace("\n", "\r\n"), TEXT, "only line ends differ"),
        (TEXT.replace("\n", "\r\n", 2), TEXT, "only line ends differ"),
        (TEXT, MARKED, "only the byte order mark differs"),
        (MARKED, TEXT, "only the byte order mark differs"),
        (TEXT, TEXT[:-1], "only the final newline differs"),
        (TEXT[:-1], TEXT, "only the final newline differs"),
        (TEXT, TEXT + "\n", "only the final newline differs"),
        (TEXT + "\n\n\n", TEXT, "only the final newline differs"),
        (
            TEXT.replace("\n", "\r\n"),
            TEXT.replace("\n", "\r\n") + "\r\n",
            "only the final newline differs",
        ),
        (
            TEXT.replace("\n", "\r\n"),
            MARKED[:-1],
            "only line ends and the byte order mark and the final newline differ",
        ),
        (
            TEXT,
            TEXT.replace("Ann", "Eve"),
            "its content is other than what was published",
        ),
        (
            TEXT,
            TEXT.replace("\n", "\n\n"),
            "its content is other than what was published",
        ),
    ],
)
def test_only_the_md5_sum_is_published(
    block: int,
    here: str | bytes,
    there: str | bytes,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encodings, "BLOCK", block)
    path = write(tmp_path / "here.csv", here)
    told = file_difference(path, "public/train.csv", md5_of(there))
    assert told == f"public/train.csv: {words}; it has 3 rows and 3 columns here."


def test_bytes_of_other_kinds(tmp_path: Path) -> None:
    path = tmp_path / "meta.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    told = file_difference(path, "public/meta.parquet", WRONG)
    assert told == "public/meta.parquet: its bytes differ; it has 2 rows and 1 column here."
    path = write(tmp_path / "items.bson", b"x")
    assert file_difference(path, "public/items.bson", WRONG) == (
        "public/items.bson: its bytes differ."
    )


def test_files_that_are_missing_too_many_or_damaged(tmp_path: Path) -> None:
    assert file_difference(tmp_path / "a.csv", "public/a.csv", WRONG) == "public/a.csv is missing."
    path = write(tmp_path / "b.json", "{")
    assert file_difference(path, "public/b.json", None) == "public/b.json should not be there."
    assert file_difference(path, "public/b.json", WRONG).startswith("public/b.json is damaged: ")
