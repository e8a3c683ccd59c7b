"""Members of zips: checked against each other before the first, and against lies while read."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from typing import IO

from mlebench.preparing.extraction.filling import CHUNK, Filling
from mlebench.preparing.extraction.sources import AGAIN, DECRYPT, Archive

METHODS = {
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_BZIP2,
    zipfile.ZIP_LZMA,
}
UNKNOWN_METHODS = {9: "Deflate64", 93: "Zstandard", 95: "XZ", 96: "JPEG", 98: "PPMd"}
ENCRYPTED = 0x1
LOCAL_HEADER = struct.Struct("<26xHH")  # all that matters here: how long name and extra field are
BOUNDLESS = 1 << 62


def unpack_zip(source: Archive, filling: Filling) -> None:
    """Unpack all members of a zip, after a look at each of them."""
    with ExitStack() as stack:
        with source.reading():
            file = stack.enter_context(source.path.open("rb"))
            archive = stack.enter_context(_opened(source, file))
        entries = archive.infolist()
        filling.expect(len(entries), sum(entry.file_size for entry in entries))
        for entry in entries:
            require_usable(source, entry)
            filling.checked(entry.filename, is_folder=entry.filename.endswith("/"))
        ends = _ends(source, archive, entries)
        for entry in entries:
            if entry.is_dir():
                filling.add_folder(entry.filename)
                continue
            _require_apart(source, file, entry, ends[entry.header_offset])
            filling.add_file(entry.filename, contents(source, archive, entry))


def _opened(source: Archive, file: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except UnicodeDecodeError as error:
        name = bytes(error.object).decode(errors="backslashreplace")
        raise source.refused(name, "has a name that is not UTF-8, though it says so") from error


def require_usable(source: Archive, entry: zipfile.ZipInfo) -> None:
    """Refuse a member that is no plain file or folder, or that cannot be read here."""
    if "\0" in entry.orig_filename:  # the library cuts the name there
        raise source.refused(entry.orig_filename, "has a NUL in its name")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise source.refused(entry.filename, "is a symbolic link, which zips here must not have")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise source.refused(entry.filename, "is neither a file nor a folder, but a device or pipe")
    if entry.flag_bits & ENCRYPTED:
        raise source.refused(entry.filename, "is encrypted", DECRYPT)
    if entry.compress_type not in METHODS:
        method = UNKNOWN_METHODS.get(entry.compress_type, "no name known")
        raise source.refused(
            entry.filename,
            f"is compressed by method {entry.compress_type} ({method}), which cannot be read here",
        )


def contents(source: Archive, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What is in a member, bit by bit, as long as it is what the archive declares."""
    declared, done = entry.file_size, 0
    # The library would stop at the declared size, and leave unread what a liar hides behind it.
    entry.file_size = BOUNDLESS
    try:
        with source.reading(entry.filename), archive.open(entry) as member:
            while chunk := member.read(CHUNK):
                done += len(chunk)
                if done > declared:
                    break
                yield chunk
    finally:
        entry.file_size = declared
    if done != declared:
        how = "more" if done > declared else "less"
        raise source.refused(
            entry.filename,
            f"is damaged: it unpacks to {how} than the {declared:,} bytes declared",
            AGAIN,
        )


def _ends(
    source: Archive, archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]
) -> dict[int, int]:
    """Where the next entry begins, by where each one begins."""
    entries = sorted(entries, key=lambda entry: entry.header_offset)
    for one, other in pairwise(entries):
        if one.header_offset == other.header_offset:
            raise _overlapping(source, other)
    starts = [entry.header_offset for entry in entries]
    return dict(pairwise([*starts, archive.start_dir]))


def _require_apart(source: Archive, file: IO[bytes], entry: zipfile.ZipInfo, end: int) -> None:
    """Refuse entries that share bytes, since millions can unpack the same few again and again."""
    with source.reading(entry.filename):
        file.seek(entry.header_offset)
        name, extra = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
    begin = entry.header_offset + LOCAL_HEADER.size + name + extra
    if begin + entry.compress_size > end:
        raise _overlapping(source, entry)


def _overlapping(source: Archive, entry: zipfile.ZipInfo) -> Exception:
    return source.refused(entry.filename, "overlaps with another one or with the directory")
