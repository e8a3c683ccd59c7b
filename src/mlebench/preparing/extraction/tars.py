"""Members of tars, read once from the beginning to the end, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Self, cast

from mlebench.preparing.extraction.filling import CHUNK, Filling
from mlebench.preparing.extraction.names import destination, parent
from mlebench.preparing.extraction.sources import Archive

OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
# Names that are too long for a header stand in one of their own, which is read as a whole.
LONGEST_HEADER = 1 << 17
HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
LONGEST_PADDING = 64 << 20


class StrictHeader(tarfile.TarInfo):
    """A header that can be read, or an error.

    The library takes any other one for the end of the tar. Where a size says so, it goes
    backwards, reads gigabytes into memory, or never stops looking for the map of a sparse file.
    """

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """A header from its bytes."""
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise  # the end, as it should be
            what = f"broken header ({error})" if buf else "cut off: it has no end"
            raise tarfile.ReadError(what) from error
        if header.size < 0 or (header.type in HEADERS and header.size > LONGEST_HEADER):
            raise tarfile.ReadError(f"a header that says {header.size:,} bytes")
        if header.type == tarfile.GNUTYPE_SPARSE:
            cls._proc_gnusparse_10()
        return header

    @staticmethod
    def _proc_gnusparse_10(*_: object) -> None:
        raise tarfile.ReadError("sparse files cannot be read here")


def unpack_tar(source: Archive, filling: Filling) -> None:
    """Unpack all members of a tar, each after a look at it."""
    with ExitStack() as stack:
        with source.reading():
            opener = _opener(source.path)
            stream = stack.enter_context(opener(source.path, "rb"))
            archive = stack.enter_context(
                tarfile.open(
                    fileobj=stream,
                    mode="r:",
                    tarinfo=StrictHeader,
                    encoding="utf-8",
                    errors="surrogateescape",
                )
            )
        for header in _headers(source, archive):
            filling.count()
            _unpack(source, archive, header, filling)
        if opener is not open:
            _read_to_the_end(source, stream)


def _opener(path: Path) -> Callable[..., Any]:
    with path.open("rb") as file:
        begin = file.read(8)
    return next((opener for mark, opener in OPENERS.items() if begin.startswith(mark)), open)


def _headers(source: Archive, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    last = None
    while True:
        # Whoever knows the last member that could be read finds the damage behind it.
        with source.reading(last and f"behind {last}"):
            header = archive.next()
        if header is None:
            return
        cast("Any", archive).members.clear()  # the library would keep millions of them
        last = header.name
        yield header


def _unpack(
    source: Archive, archive: tarfile.TarFile, header: tarfile.TarInfo, filling: Filling
) -> None:
    name = header.name
    if header.issym() or header.islnk():
        place = filling.checked(name)
        end = destination(header.linkname, parent(place) if header.issym() else "")
        if end is None:
            raise source.refused(name, "is a link that leads outside its folder")
        filling.add_link(name, end)
    elif header.isdir():
        filling.add_folder(name)
    elif not header.isreg():
        raise source.refused(
            name, "is neither a file nor a folder nor a link, but a device or pipe"
        )
    elif header.issparse() or header.size < 0:
        raise source.refused(name, "is a sparse file or has no size, which cannot be read here")
    else:
        filling.add_file(name, _contents(source, archive, header))


def _contents(
    source: Archive, archive: tarfile.TarFile, header: tarfile.TarInfo
) -> Iterator[bytes]:
    with source.reading(header.name):
        member = cast("IO[bytes]", archive.extractfile(header))
        left = header.size
        while chunk := member.read(min(CHUNK, left)):
            left -= len(chunk)
            yield chunk
        if left:
            raise EOFError(f"{left:,} of its {header.size:,} bytes are not there")


def _read_to_the_end(source: Archive, stream: IO[bytes]) -> None:
    """Have the decompressor compare its checksum, which stands behind everything."""
    with source.reading():
        left = LONGEST_PADDING
        while chunk := stream.read(CHUNK):
            left -= len(chunk)
            if left < 0:
                raise source.refusal(f"more than {LONGEST_PADDING:,} bytes follow its end")
