"""Members of 7z archives, decompressed one after the other.

The library could unpack them by itself, but depending on its version it renames the second of
two equal names, makes links, gives rights away, goes by threads and keeps what it reads in
memory. So it reads the list of members here, and decompresses; writing is ours.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from mlebench.errors import MlebenchError
from mlebench.preparing.extraction.filling import CHUNK, Filling
from mlebench.preparing.extraction.sources import AGAIN, DECRYPT, Archive

if TYPE_CHECKING:
    import py7zr
    from py7zr.py7zr import ArchiveFile

# Attributes as Windows has them, and one that says that those of Unix stand above them.
REPARSE_POINT = 0x400
UNIX = 0x8000
# Some decompressors give at once all that their input stands for, up to a thousand times as much.
SLICE = 1 << 14


def unpack_7z(source: Archive, filling: Filling) -> None:
    """Unpack all members of a 7z, after a look at each of them."""
    with _opened(source) as archive:
        with source.reading():
            files = list(archive.files)
        filling.expect(len(files), sum(file.uncompressed for file in files))
        for file in files:
            _require_plain(source, file)
            filling.checked(file.filename, is_folder=file.is_directory)
        with source.reading():
            starts = _Starts(archive)
        for file in files:
            if file.is_directory:
                filling.add_folder(file.filename)
            elif file.emptystream:
                filling.add_file(file.filename, ())
            else:
                with source.reading(file.filename):
                    starts.seek(file.folder)
                filling.add_file(file.filename, _contents(source, archive.fp, file))


@contextmanager
def _opened(source: Archive) -> Iterator[py7zr.SevenZipFile]:
    import py7zr

    with source.reading():
        if not source.path.stat().st_size:
            raise source.refusal("it is empty", AGAIN)
        try:
            archive = py7zr.SevenZipFile(source.path)
        except py7zr.PasswordRequired as error:
            raise _encrypted(source) from error
    with archive:
        if archive.password_protected:
            raise _encrypted(source)
        yield archive


def _encrypted(source: Archive) -> MlebenchError:
    return source.refusal("it is encrypted", DECRYPT)


class _Starts:
    """Goes to where the packed bytes of each block of members begin."""

    def __init__(self, archive: py7zr.SevenZipFile) -> None:
        self._archive = archive
        self._block: Any = None
        streams = archive.header.main_streams
        self._places = (
            {
                id(block): archive.afterheader + position
                for block, position in zip(
                    streams.unpackinfo.folders, streams.packinfo.packpositions, strict=False
                )
            }
            if streams
            else {}
        )

    def seek(self, block: Any) -> None:
        """Go there, unless members of the same block were read just now."""
        if block is not self._block:
            self._archive.fp.seek(self._places[id(block)])
            self._block = block


class _Slices:
    """A file that is read in small slices, however much is asked for."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file

    def read(self, size: int) -> bytes:
        return self.file.read(min(size, SLICE))


def _require_plain(source: Archive, file: ArchiveFile) -> None:
    attributes = file.file_properties().get("attributes") or 0
    kind = stat.S_IFMT(attributes >> 16) if attributes & UNIX else 0
    if kind == stat.S_IFLNK or attributes & REPARSE_POINT:
        raise source.refused(file.filename, "is a symbolic link, which a 7z here must not have")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise source.refused(file.filename, "is neither a file nor a folder, but a device or pipe")
    if file.is_directory and file.uncompressed:
        raise source.refused(file.filename, "is both a file and a folder")


def _contents(source: Archive, packed: IO[bytes], file: ArchiveFile) -> Iterator[bytes]:
    slices, left, checksum = _Slices(packed), file.uncompressed, 0
    with source.reading(file.filename):
        decompressor = file.folder.get_decompressor(file.compressed or 0)
        while left:
            before = packed.tell()
            chunk = decompressor.decompress(slices, min(left, CHUNK))
            if not chunk and packed.tell() == before:
                raise EOFError(f"{left:,} of its {file.uncompressed:,} bytes are not there")
            left -= len(chunk)
            checksum = zlib.crc32(chunk, checksum)
            if chunk:
                yield chunk
        if file.crc32 is not None and checksum != file.crc32:
            raise ValueError("its checksum is another one")
