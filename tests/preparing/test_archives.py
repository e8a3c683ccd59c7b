"""Archives: nothing leaves its folder, equal content gives equal bytes."""

from __future__ import annotations

import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import (
    extract_all,
    extract_members,
    members,
    open_member,
    pack,
    pack_7z,
    pack_tar,
    packing,
    repack_tar,
)
from tests.helpers import file_digests

CONTENTS = {"b/inner.txt": "text", "a.bin": b"\x00\x01", "ä.txt": "unicode"}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "archive.zip"
    pack(path, CONTENTS)
    return path


def test_packing_is_deterministic(archive: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(CONTENTS["a.bin"])
    for stamp in (1_000_000_000, 1_500_000_000):
        os.utime(file, (stamp, stamp))
        pack(tmp_path / f"{stamp}.zip", CONTENTS | {"a.bin": file})
    first, second = (tmp_path / f"{stamp}.zip" for stamp in (1_000_000_000, 1_500_000_000))
    assert first.read_bytes() == second.read_bytes()
    pack(tmp_path / "again.zip", CONTENTS)
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_a_member_is_written_bit_by_bit(tmp_path: Path) -> None:
    written, packed = tmp_path / "new" / "written.zip", tmp_path / "packed.zip"
    for path in (written, tmp_path / "again.zip"):
        with packing(path, "lines.txt") as file:
            for number in range(1000):
                file.write(b"%d\n" % number)
    pack(packed, {"lines.txt": "".join(f"{number}\n" for number in range(1000))})
    with open_member(written, "lines.txt") as one, open_member(packed, "lines.txt") as other:
        assert one.read() == other.read()
    assert written.read_bytes() == (tmp_path / "again.zip").read_bytes()


def test_packed_content_is_unpacked_again(archive: Path, tmp_path: Path) -> None:
    extract_all(archive, tmp_path / "out")
    assert set(file_digests(tmp_path / "out")) == set(CONTENTS)
    assert (tmp_path / "out" / "a.bin").read_bytes() == CONTENTS["a.bin"]


def test_an_encrypted_zip_is_called_so(archive: Path, tmp_path: Path) -> None:
    content = bytearray(archive.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = content.find(mark)
        while start >= 0:
            content[start + place] |= 1
            start = content.find(mark, start + 1)
    archive.write_bytes(content)
    with pytest.raises(DataSourceError, match="is encrypted"):
        extract_all(archive, tmp_path / "out")


def test_members_are_sorted_files(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as opened:
        opened.mkdir("folder")
    assert members(archive) == sorted(CONTENTS)
    assert members(archive, ".txt") == ["b/inner.txt", "ä.txt"]


def test_one_member_is_read(archive: Path) -> None:
    with open_member(archive, "b/inner.txt") as file:
        assert file.read() == b"text"


def test_members_go_where_they_belong(archive: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er.txt"
    extract_members(archive, {"b/inner.txt": target})
    assert target.read_text() == "text"


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "/tmp/evil.txt"])
def test_member_outside_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.txt", "good")
        archive.writestr(zipfile.ZipInfo(name), "evil")
    with pytest.raises(DataSourceError, match="outside its folder"):
        extract_all(path, tmp_path / "out")
    assert not list(tmp_path.rglob("evil.txt"))
    assert not list(tmp_path.rglob("good.txt"))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda path: extract_all(path / "none.zip", path), "lack the archive none.zip"),
        (lambda path: members(path / "broken.zip"), "not a readable zip"),
        (lambda path: extract_members(path / "ok.zip", {"x": path / "x"}), "no member x"),
        (lambda path: open_member(path / "ok.zip", "x").__enter__(), "no member x"),
        (lambda path: extract_all(path / "broken.rar", path), "neither a zip nor a 7z"),
    ],
)
def test_unusable_archives_are_the_sources_fault(use, message: str, tmp_path: Path) -> None:
    pack(tmp_path / "ok.zip", CONTENTS)
    for name in ("broken.zip", "broken.rar"):
        (tmp_path / name).write_bytes(b"PK no zip at all")
    with pytest.raises(DataSourceError, match=message):
        use(tmp_path)


def test_truncated_zip_is_the_sources_fault(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataSourceError):
        extract_all(archive, tmp_path / "out")


@pytest.mark.parametrize("offset", [36, 40, 45])
def test_damaged_member_is_the_sources_fault(offset: int, tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    pack(path, {"a.bin": bytes(range(200, 210)) + b"0123456789" * 100})
    data = bytearray(path.read_bytes())
    data[offset] ^= 0xFF  # inside the compressed content
    path.write_bytes(data)
    with pytest.raises(DataSourceError):
        extract_all(path, tmp_path / "out")


@pytest.mark.parametrize("contents", [CONTENTS, {"train/1.jpg": b"one", "train/2.jpg": b""}, {}])
def test_seven_zip_is_unpacked_again(contents: dict[str, str | bytes], tmp_path: Path) -> None:
    pack_7z(tmp_path / "archive.7z", contents)
    extract_all(tmp_path / "archive.7z", tmp_path / "out")
    for name, content in contents.items():
        expected = content.encode() if isinstance(content, str) else content
        assert (tmp_path / "out" / name).read_bytes() == expected
    assert len(file_digests(tmp_path / "out")) == len(contents)


def test_packing_as_seven_zip_is_deterministic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(CONTENTS["a.bin"])
    file.chmod(0o600)
    pack_7z(tmp_path / "first.7z", CONTENTS)
    monkeypatch.setattr("time.time", lambda: 1_000_000_000.0)
    pack_7z(tmp_path / "second.7z", CONTENTS | {"a.bin": file})
    assert (tmp_path / "first.7z").read_bytes() == (tmp_path / "second.7z").read_bytes()


def test_members_of_a_tar_go_into_others_under_new_names(tmp_path: Path) -> None:
    source = tmp_path / "all.tar.gz"
    pack_tar(source, {"all/a.txt": b"a", "all/b.txt": b"bb", "all/c.txt": b"c"}, "w:gz")
    targets = {
        tmp_path / "out" / "first.tar": {"all/b.txt": "x/b.txt"},
        tmp_path / "out" / "second.tar": {"all/a.txt": "a.txt"},
        tmp_path / "out" / "empty.tar": {},
    }
    repack_tar(source, targets)
    contents = []
    for path in targets:
        with tarfile.open(path, "r:") as archive:
            contents.append({name: archive.extractfile(name).read() for name in archive.getnames()})
    assert contents == [{"x/b.txt": b"bb"}, {"a.txt": b"a"}, {}]


def test_a_member_that_a_tar_lacks_is_named(tmp_path: Path) -> None:
    pack_tar(tmp_path / "all.tar", {"a.txt": b"a"})
    with pytest.raises(DataSourceError, match=r"has no member b\.txt"):
        repack_tar(tmp_path / "all.tar", {tmp_path / "new.tar": {"a.txt": "a", "b.txt": "b"}})
