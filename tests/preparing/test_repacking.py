"""Archives made from others, and archives that are no zips."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import (
    extract_all,
    open_tar,
    pack,
    pack_7z,
    pack_tar,
    repack,
    unpacked,
)
from tests.helpers import file_digests

CONTENTS = {"train/a.jpg": b"\xff\xd8" * 50, "train/b.txt": b"b" * 1000, "deep/er/ä.txt": b"x"}
KINDS = {
    "archive.zip": pack,
    "archive.7z": pack_7z,
    "archive.tar": pack_tar,
    "archive.tar.gz": lambda path, contents: pack_tar(path, contents, "w:gz"),
}


def test_members_get_other_names_and_the_others_stay_behind(tmp_path: Path) -> None:
    pack(tmp_path / "raw.zip", CONTENTS)
    repack(tmp_path / "raw.zip", tmp_path / "new" / "test.zip", {"train/b.txt": "1.txt"})
    with zipfile.ZipFile(tmp_path / "new" / "test.zip") as archive:
        assert archive.namelist() == ["1.txt"]
        assert archive.read("1.txt") == CONTENTS["train/b.txt"]


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    pack(tmp_path / "raw.zip", CONTENTS)
    with pytest.raises(DataSourceError, match=r"raw\.zip has no member train/z\.jpg"):
        repack(tmp_path / "raw.zip", tmp_path / "test.zip", {"train/z.jpg": "z.jpg"})


def test_pictures_are_not_compressed_again(tmp_path: Path) -> None:
    pack(tmp_path / "raw.zip", CONTENTS)
    with zipfile.ZipFile(tmp_path / "raw.zip") as archive:
        kinds = {info.filename: info.compress_type for info in archive.infolist()}
    assert kinds["train/a.jpg"] == zipfile.ZIP_STORED
    assert kinds["train/b.txt"] == zipfile.ZIP_DEFLATED


@pytest.mark.parametrize("name", KINDS)
def test_what_is_packed_is_there_for_a_while(name: str, tmp_path: Path) -> None:
    (file := tmp_path / "b.txt").write_bytes(CONTENTS["train/b.txt"])
    KINDS[name](tmp_path / name, CONTENTS | {"train/b.txt": file})
    (public := tmp_path / "public").mkdir()
    with unpacked(tmp_path / name, beside=public) as folder:
        assert folder.parent == public.parent  # on the same disk, for links
        assert set(file_digests(folder)) == set(CONTENTS)
        assert (folder / "train" / "b.txt").read_bytes() == CONTENTS["train/b.txt"]
    assert not folder.exists()


@pytest.mark.parametrize("name", ["archive.tar", "archive.tar.gz"])
def test_equal_content_gives_equal_tars(name: str, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        KINDS[name](tmp_path / folder / name, CONTENTS)
    assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("content", [None, b"", b"nothing of the kind"])
def test_damaged_and_missing_archives_are_the_sources_fault(
    name: str, content: bytes | None, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataSourceError, match=name):
        extract_all(tmp_path / name, tmp_path / "out")


def test_a_tar_cannot_leave_its_folder(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("../outside.txt"))
    with pytest.raises(DataSourceError, match=r"evil\.tar"):
        extract_all(tmp_path / "evil.tar", tmp_path / "out")
    assert not (tmp_path / "outside.txt").exists()


def test_a_tar_can_be_looked_through(tmp_path: Path) -> None:
    pack_tar(tmp_path / "a.tar.gz", CONTENTS, "w:gz")
    with open_tar(tmp_path / "a.tar.gz") as archive:
        assert archive.getnames() == list(CONTENTS)
