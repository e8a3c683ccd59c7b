"""What strangers pack is unpacked right or refused, and never goes beside its folder."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError, UnwritableFolderError
from mlebench.preparing.archives import pack, pack_7z, pack_tar
from mlebench.preparing.extraction import Limits, extract
from tests.preparing.hostile_archives import (
    ALL,
    Hostile,
    entry,
    header,
    link,
    tar_of,
    zip_of,
    zipped,
)

Packer = Callable[[Path, Mapping[str, "bytes | Path"]], None]


def squeezing(compress: Callable[[bytes], bytes]) -> Packer:
    def make(path: Path, contents: Mapping[str, bytes | Path]) -> None:
        pack_tar(path, contents)
        path.write_bytes(compress(path.read_bytes()))

    return make


PACKERS: dict[str, Packer] = {
    ".zip": pack,
    ".7z": pack_7z,
    ".tar": pack_tar,
    ".tar.gz": squeezing(lambda content: gzip.compress(content, 1)),
    ".tgz": squeezing(gzip.compress),
    ".tar.bz2": squeezing(bz2.compress),
    ".tar.xz": squeezing(lambda content: lzma.compress(content, preset=0)),
}
CONTENTS = {
    "train/large.bin": bytes(9_000_000),
    "train/1.png": random.Random(0).randbytes(50_000),
    "train/deep/er/ä ö.txt": b"x" * 40_000,
    "good.txt": b"good",
    "empty.txt": b"",  # the last one, since old versions of py7zr pack nothing behind it
}
EXPECTED = CONTENTS | dict.fromkeys(("train", "train/deep", "train/deep/er"), b"")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of good archives, one of each kind and named after it."""
    folder = tmp_path_factory.mktemp("packed")
    for name, packer in PACKERS.items():
        packer(folder / name, CONTENTS)
    return folder


@pytest.fixture(params=PACKERS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def good(kind: str, packed: Path, work: Path) -> Path:
    """A good archive, of each kind in turn."""
    return shutil.copy(packed / kind, work / f"archive{kind}")


MEASURE = """
import resource, sys
from pathlib import Path
import py7zr
from mlebench.preparing.extraction import extract
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = used()
extract(Path(sys.argv[1]), Path(sys.argv[2]))
print(used() - before)
"""


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """All that can be seen of a folder: kinds and rights, times and contents."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """A folder for an archive and what comes of it, among others that must stay as they are."""
    for name in ("evil", "beside/evil", "beside/file.txt", "work/evil"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("untouched")
    before = tree(tmp_path)
    yield tmp_path / "work"
    after = tree(tmp_path)
    assert {name: after[name] for name in before if name != "work"} == {
        name: state for name, state in before.items() if name != "work"
    }
    assert {name for name in after if name not in before} <= {
        name for name in after if name.startswith(("work/archive", "work/out"))
    }


@pytest.mark.parametrize("name", ALL)
def test_what_must_not_be_unpacked_is_refused(name: str, work: Path) -> None:
    hostile: Hostile = ALL[name]
    archive = work / f"archive{hostile.suffix}"
    hostile.make(archive)
    with pytest.raises(DataSourceError, match=hostile.message) as caught:
        extract(archive, work / "out")
    message = str(caught.value)
    assert message.startswith(f"{archive} cannot be unpacked: ")
    assert message.endswith((" give the folder.", " Download the archive again.")), message
    assert hostile.member in message
    if hostile.member:
        assert re.search(r"its member \S*" + re.escape(hostile.member), message)
    assert not list((work / "out").rglob("*evil*"))
    assert not [path for path in (work / "out").rglob("*") if path.is_symlink()]


class TestGoodArchives:
    """What is in good ones comes out, whatever they are called."""

    def test_everything_is_unpacked(self, good: Path, work: Path) -> None:
        extract(good, work / "out")
        assert {path: content for path, (_, _, content) in tree(work / "out").items()} == EXPECTED

    @pytest.mark.parametrize("other", ["", ".dat", "upper"])
    def test_the_kind_is_told_by_any_case_or_by_the_content(
        self, kind: str, other: str, good: Path, work: Path
    ) -> None:
        archive = good.rename(work / f"archive{kind.upper() if other == 'upper' else other}")
        extract(archive, work / "out")
        assert set(tree(work / "out")) == set(EXPECTED)

    def test_files_are_read_only_and_folders_are_not(self, good: Path, work: Path) -> None:
        umask = os.umask(0o027)
        try:
            extract(good, work / "out")
        finally:
            os.umask(umask)
        modes = [mode for mode, _, _ in tree(work / "out").values()]
        assert set(modes) == {stat.S_IFREG | 0o440, stat.S_IFDIR | 0o750}

    def test_whoever_waits_is_told_how_far_it_is(self, kind: str, good: Path, work: Path) -> None:
        told: list[tuple[int, int | None]] = []
        extract(good, work / "out", on_bytes=lambda *both: told.append(both))
        size = sum(len(content) for content in CONTENTS.values())
        assert told[-1] == (size, size if kind in (".zip", ".7z") else None)
        assert [done for done, _ in told] == sorted({done for done, _ in told})
        assert len(told) > 1

    def test_rights_in_the_archive_are_not_taken_over(self, work: Path) -> None:
        members = (header("a", mode=0o6777), header("b", mode=0), header("d/", type=b"5", mode=0))
        tar_of(*members)(work / "archive.tar")
        extract(work / "archive.tar", work / "out")
        assert {path.stat().st_mode & 0o7333 for path in (work / "out").glob("[ab]")} == {0}
        assert (work / "out" / "d").stat().st_mode & 0o700 == 0o700

    def test_names_without_a_flag_are_those_of_old_zips(self, work: Path) -> None:
        content = zipped((entry("b+d.txt"), b"")).replace(b"b+d", b"b\x84d")
        (work / "archive.zip").write_bytes(content)
        extract(work / "archive.zip", work / "out")
        assert (work / "out" / "bäd.txt").exists()

    def test_the_same_twice_is_no_harm(self, work: Path) -> None:
        zip_of((entry("a"), b"one"), (entry("./a"), b"one"))(work / "archive.zip")
        extract(work / "archive.zip", work / "out")
        assert (work / "out" / "a").read_bytes() == b"one"

    def test_links_inside_a_tar_become_the_files_that_they_lead_to(self, work: Path) -> None:
        members = [
            link("d/early", "deep/../../later"),
            header("d/deep/x"),
            link("d/second", "early"),
            link("hard", "good.txt", tarfile.LNKTYPE),
            header("later", b"later"),
            link("d/up", "../good.txt"),
        ]
        tar_of(*members)(work / "archive.tar")
        extract(work / "archive.tar", work / "out")
        out = work / "out"
        assert not [path for path in out.rglob("*") if path.is_symlink()]
        assert (out / "d/early").read_bytes() == (out / "d/second").read_bytes() == b"later"
        assert (out / "hard").read_bytes() == (out / "d/up").read_bytes() == b"good"
        assert (out / "hard").samefile(out / "good.txt")


class TestFoldersThatExist:
    """What was there before is replaced, and never written through."""

    def test_files_are_replaced_and_their_other_names_keep_the_old_content(
        self, work: Path
    ) -> None:
        (work / "out").mkdir()
        (work / "out" / "a").write_text("old")
        (work / "out" / "mine").write_text("mine")
        (work / "archive-link").hardlink_to(work / "out" / "a")
        zip_of((entry("a"), b"new"))(work / "archive.zip")
        extract(work / "archive.zip", work / "out")
        contents = {path.name: path.read_text() for path in (work / "out").iterdir()}
        assert contents == {"a": "new", "good.txt": "good", "mine": "mine"}
        assert (work / "archive-link").read_text() == "old"

    @pytest.mark.parametrize("name", ["archive.zip", "archive.tar"])
    def test_a_second_time_must_still_say_the_same(self, name: str, work: Path) -> None:
        (work / "out").mkdir()
        (work / "out" / "bad").write_text("old")
        ALL[f"{name[-3:]}: twice"].make(work / name)
        with pytest.raises(DataSourceError, match="twice"):
            extract(work / name, work / "out")

    def test_links_of_the_users_are_not_followed(self, work: Path) -> None:
        (work / "out").mkdir()
        (work / "out" / "file").symlink_to(work / "evil")
        (work / "out" / "folder").symlink_to(work.parent / "beside")
        zip_of((entry("file"), b"new"))(work / "archive.zip")
        extract(work / "archive.zip", work / "out")
        assert (work / "out" / "file").read_text() == "new"
        for make in (
            zip_of((entry("folder/file.txt"), b"new")),
            tar_of(link("stolen", "folder/file.txt", tarfile.LNKTYPE)),
        ):
            make(work / "archive")
            with pytest.raises(DataSourceError, match=r"both a file or link|no file of"):
                extract(work / "archive", work / "out")


class TestTooMuch:
    """Bombs, and data for which there is no room."""

    def test_bytes(self, good: Path, work: Path) -> None:
        with pytest.raises(DataSourceError, match="more than the 1,000 bytes allowed"):
            extract(good, work / "out", limits=Limits(bytes=1000))
        assert not any(path.is_file() for path in (work / "out").rglob("*"))

    def test_members(self, good: Path, work: Path) -> None:
        with pytest.raises(DataSourceError, match="more than the 2 members allowed"):
            extract(good, work / "out", limits=Limits(members=2))

    def test_no_room_on_the_disk(self, work: Path) -> None:
        """A stored member that would be larger than any disk, in an archive with holes."""
        size = 1 << 60
        info = entry("bad", compress_type=0)
        content = bytearray(zipped((info, b"")))
        extra = struct.pack("<HHQQ", 1, 16, size, size)
        central, end = content.rindex(b"PK\x01\x02"), content.rindex(b"PK\x05\x06")
        struct.pack_into("<LL", content, central + 20, 0xFFFFFFFF, 0xFFFFFFFF)
        struct.pack_into("<H", content, central + 30, len(extra))
        struct.pack_into("<L", content, end + 12, end - content.index(b"PK\x01\x02") + len(extra))
        content[end:end] = extra
        (work / "archive.zip").write_bytes(content)
        with pytest.raises(UnwritableFolderError, match=r"disk of .*/out has room for.*kept free"):
            extract(work / "archive.zip", work / "out", limits=Limits(ratio=1 << 60))

    @pytest.mark.slow
    def test_zeros_that_no_header_declares(self, work: Path) -> None:
        block = gzip.compress(bytes(1 << 24), 9)
        begin = header("bad.bin", size=3 << 30)[0].tobuf()
        (work / "archive.tgz").write_bytes(gzip.compress(begin) + block * 192)
        with pytest.raises(DataSourceError, match=r"member bad\.bin .* more than 200 times the"):
            extract(work / "archive.tgz", work / "out")
        assert not (work / "out" / "bad.bin").exists()

    @pytest.mark.parametrize(
        "name", [".zip", ".tar.gz", pytest.param(".7z", marks=pytest.mark.slow)]
    )
    def test_memory_does_not_grow_with_members(self, name: str, work: Path) -> None:
        archive = work / f"archive{name}"
        (big := work / "archive-big").touch()
        os.truncate(big, 200 << 20)
        PACKERS[name](archive, {"big.bin": big})
        measured = subprocess.run(
            [sys.executable, "-c", MEASURE, archive, work / "out"],
            stdout=subprocess.PIPE,
            check=True,
            timeout=100,
        )
        assert (work / "out" / "big.bin").stat().st_size == 200 << 20
        assert int(measured.stdout) < 60 << 10  # kilobytes
