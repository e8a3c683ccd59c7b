"""All files of the public data, those inside archives included, and how to read them."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ARCHIVES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz")
MOST_FILES = 2_000_000
LARGEST_FILE = 256 * 1024**2
BYTES_AT_ONCE = 64 * 1024**2
MEMBERS_AT_ONCE = 2000


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


def entries(data: Path) -> list[Entry]:
    """All files below a folder, in order; of archives that are unpacked beside only the folder."""
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
                found.extend(_inside(data, before + name, before + name[: -len(ending)]))
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]


def _inside(data: Path, archive: str, folder: str) -> Iterator[Entry]:
    try:
        members = _members(data / archive)
    except (OSError, ValueError, zipfile.BadZipFile, tarfile.TarError, ImportError):
        return
    for member in members:
        yield Entry(f"{folder}/{member.removeprefix('./')}", archive, member)


def _members(archive: Path) -> list[str]:
    name = archive.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            return [one.filename for one in packed.infolist() if not one.is_dir()]
    if name.endswith(".7z"):
        import py7zr

        with py7zr.SevenZipFile(archive) as seven:
            return [one.filename for one in seven.list() if not one.is_directory]
    with tarfile.open(archive) as tape:
        return [one.name for one in tape if one.isfile()]


def contents(data: Path, asked: Sequence[Entry]) -> Iterator[tuple[int, bytes]]:
    """The bytes of files with their places in what was asked for, in the order of reading.

    Files that cannot be read are left out. Of archives nothing is ever unpacked on disk, and no
    more than a portion in memory.
    """
    by_archive: dict[str, list[int]] = {}
    for place, entry in enumerate(asked):
        by_archive.setdefault(entry.archive, []).append(place)
    for archive, places in by_archive.items():
        if not archive:
            yield from _plain(data, asked, places)
            continue
        read = {".zip": _zipped, ".7z": _seven}.get(Path(archive).suffix.lower(), _taped)
        wanted: dict[str, list[int]] = {}
        for place in places:
            wanted.setdefault(asked[place].member, []).append(place)
        for member, content in read(data / archive, wanted):
            for place in wanted[member]:
                yield place, content


def _plain(
    data: Path, asked: Sequence[Entry], places: Sequence[int]
) -> Iterator[tuple[int, bytes]]:
    for place in places:
        path = data / asked[place].path
        try:
            if path.stat().st_size > LARGEST_FILE:
                continue
            content = path.read_bytes()
        except OSError:
            continue
        yield place, content


def _zipped(archive: Path, wanted: dict[str, list[int]]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as packed:
        for member in wanted:
            try:
                if packed.getinfo(member).file_size > LARGEST_FILE:
                    continue
                content = packed.read(member)
            except (OSError, ValueError, zipfile.BadZipFile):
                continue
            yield member, content


def _taped(archive: Path, wanted: dict[str, list[int]]) -> Iterator[tuple[str, bytes]]:
    # Tapes are read from one end to the other: asking for members by name would wind them back.
    left = set(wanted)
    with tarfile.open(archive) as tape:
        for one in tape:
            if one.name in left and one.size <= LARGEST_FILE:
                opened = tape.extractfile(one)
                if opened is not None:
                    yield one.name, opened.read()
                left.discard(one.name)
            tape.members = []  # type: ignore[attr-defined]  # else all of them are remembered
            if not left:
                return


def _seven(archive: Path, wanted: dict[str, list[int]]) -> Iterator[tuple[str, bytes]]:
    import py7zr
    from py7zr.io import BytesIOFactory

    with py7zr.SevenZipFile(archive) as seven:
        sizes = {one.filename: int(one.uncompressed) for one in seven.list()}
    portion: list[str] = []
    portions, size = [portion], 0
    for member in (name for name in sizes if name in wanted and sizes[name] <= LARGEST_FILE):
        if portion and (size + sizes[member] > BYTES_AT_ONCE or len(portion) >= MEMBERS_AT_ONCE):
            portions.append(portion := [])
            size = 0
        portion.append(member)
        size += sizes[member]
    for members in portions:
        factory = BytesIOFactory(LARGEST_FILE)
        with py7zr.SevenZipFile(archive) as seven:
            seven.extract(targets=members, factory=factory)
        for member in members:
            if member in factory.products:
                yield member, bytes(factory.products[member].read())
