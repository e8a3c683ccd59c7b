"""All files of the public data, those inside archives included, and how to read them."""

from __future__ import annotations

import math
import os
import tarfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ..surface import is_plain_file
from .unread import Unread

ARCHIVES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz")
MOST_FILES = 2_000_000
LARGEST_FILE = 256 * 1024**2
BYTES_AT_ONCE = 64 * 1024**2
MEMBERS_AT_ONCE = 2000
MOST_OPEN = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or one inside an archive.

    Attributes:
        path: Where it would be if archives were folders, below the public data.
        archive: The archive that it is in, below the public data; empty if in none.
        member: What it is called in there.
    """

    path: str
    archive: str = ""
    member: str = ""


def entries(data: Path, unread: Unread) -> list[Entry]:
    """All files below a folder, in order; of archives that are unpacked beside only the folder.

    Of an archive that is cut off there is what comes before.
    """
    found: list[Entry] = []
    for folder, names, files in os.walk(data):
        names.sort()
        inside = os.path.relpath(folder, data)
        before = "" if inside == "." else f"{inside}/"
        for name in sorted(files):
            ending = next((one for one in ARCHIVES if name.lower().endswith(one)), None)
            if ending is None:
                found.append(Entry(before + name))
            elif name[: -len(ending)] not in names:
                found.extend(_inside(data, before + name, before + name[: -len(ending)], unread))
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]


def _inside(data: Path, archive: str, folder: str, unread: Unread) -> Iterator[Entry]:
    with unread.noting(archive):
        _refuse_if_odd(data / archive, data)
        for member in _members(data / archive):
            yield Entry(f"{folder}/{member.removeprefix('./')}", archive, member)


def _members(archive: Path) -> Iterator[str]:
    name = archive.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            yield from (one.filename for one in packed.infolist() if not one.is_dir())
    elif name.endswith(".7z"):
        import py7zr

        with py7zr.SevenZipFile(archive) as seven:
            yield from (one.filename for one in seven.list() if not one.is_directory)
    else:
        with tarfile.open(archive) as tape:
            yield from (one.name for one in tape if one.isfile())


def contents(
    data: Path, asked: Sequence[Entry], unread: Unread, until: float = math.inf
) -> Iterator[tuple[int, bytes]]:
    """The bytes of files with their places in what was asked for, in the order of reading.

    That is the order in which they are asked for, but what is on a tape comes all at once. Of
    archives nothing is ever unpacked on disk, and no more than a portion in memory.

    Args:
        data: The public data.
        asked: The files.
        unread: Where those are noted that cannot be read; they are left out.
        until: When nothing more is read, by the monotonic clock.
    """
    tapes: dict[str, dict[str, list[int]]] = {}
    for place, entry in enumerate(asked):
        if _is_tape(entry.archive):
            tapes.setdefault(entry.archive, {}).setdefault(entry.member, []).append(place)
    with closing(_Zips(data)) as zips:
        for place, entry in enumerate(asked):
            if time.monotonic() >= until:
                return
            if not _is_tape(entry.archive):
                content: bytes | None = None
                with unread.noting(entry.path):
                    content = zips.read(entry) if entry.archive else _plain(data / entry.path, data)
                if content is not None:
                    yield place, content
            elif (wanted := tapes.pop(entry.archive, None)) is not None:
                read = _seven if entry.archive.lower().endswith(".7z") else _taped
                for member, content in read(data, entry.archive, wanted, unread, until):
                    yield from ((one, content) for one in wanted[member])


def _is_tape(archive: str) -> bool:
    """Whether files can only be read one after the other."""
    return bool(archive) and not archive.lower().endswith(".zip")


def _plain(path: Path, data: Path) -> bytes:
    _refuse_if_odd(path, data)
    _refuse_if_large(path.stat().st_size)
    return path.read_bytes()


def _refuse_if_odd(path: Path, data: Path) -> None:
    if not is_plain_file(path, data):
        path.stat()  # what is gone says so
        raise ValueError("it is no file of the data")


def _refuse_if_large(size: int) -> None:
    if size > LARGEST_FILE:
        raise ValueError("it is too large")


def _is_small(path: str, size: int, unread: Unread) -> bool:
    with unread.noting(path):
        _refuse_if_large(size)
    return size <= LARGEST_FILE


class _Zips:
    """Archives that stay open while their files are asked for, a few at a time."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._open: dict[str, zipfile.ZipFile] = {}

    def read(self, entry: Entry) -> bytes:
        """The bytes of a file."""
        if entry.archive not in self._open:
            if len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[entry.archive] = zipfile.ZipFile(self._data / entry.archive)
        packed = self._open[entry.archive]
        _refuse_if_large(packed.getinfo(entry.member).file_size)
        return packed.read(entry.member)

    def close(self) -> None:
        """Close all of them."""
        for packed in self._open.values():
            packed.close()


def _taped(
    data: Path, archive: str, wanted: Mapping[str, object], unread: Unread, until: float
) -> Iterator[tuple[str, bytes]]:
    # Tapes are read from one end to the other: asking for members by name would wind them back.
    left = set(wanted)
    with unread.noting(archive), tarfile.open(data / archive) as tape:
        for one in tape:
            if time.monotonic() >= until:
                return
            if one.name in left:
                left.discard(one.name)
                if _is_small(f"{archive}/{one.name}", one.size, unread):
                    opened = tape.extractfile(one)
                    if opened is not None:
                        yield one.name, opened.read()
            tape.members = []  # type: ignore[attr-defined]  # else all of them are remembered
            if not left:
                return


def _seven(
    data: Path, archive: str, wanted: Mapping[str, object], unread: Unread, until: float
) -> Iterator[tuple[str, bytes]]:
    import py7zr
    from py7zr.io import BytesIOFactory

    sizes: dict[str, int] = {}
    with unread.noting(archive), py7zr.SevenZipFile(data / archive) as seven:
        sizes = {one.filename: int(one.uncompressed) for one in seven.list()}
    portion: list[str] = []
    portions, size = [portion], 0
    for member in sizes:
        if member not in wanted or not _is_small(f"{archive}/{member}", sizes[member], unread):
            continue
        if portion and (size + sizes[member] > BYTES_AT_ONCE or len(portion) >= MEMBERS_AT_ONCE):
            portions.append(portion := [])
            size = 0
        portion.append(member)
        size += sizes[member]
    for members in portions:
        if time.monotonic() >= until:
            return
        factory = BytesIOFactory(LARGEST_FILE)
        with unread.noting(archive), py7zr.SevenZipFile(data / archive) as seven:
            seven.extract(targets=members, factory=factory)
        for member in members:
            if member in factory.products:
                yield member, bytes(factory.products[member].read())
