"""Opening tables, whatever they are packed in, no further than memory allows."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import IO

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
PACKED = (".zip", ".gz", ".7z")
NO_CONTENT = "__MACOSX/"
BYTES_AT_ONCE = 64 * 1024
Stream = IO[bytes] | io.BufferedIOBase


class TooLargeError(ValueError):
    """Only a part of a table fits, and that is of no use."""

    def __init__(self, path: Path) -> None:
        """Say which table."""
        super().__init__(f"{path.name} is too large for the memory.")


def kind_of(path: Path) -> str | None:
    """What sort of table a file is, by its name; None if it is none."""
    name = path.name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


def opened(path: Path, most: int) -> io.BufferedReader:
    """What is in a file, and in what it is packed in; more than so many bytes cannot be read."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        return bounded(_in_zip(path), path, most)
    if suffix == ".gz":
        return bounded(gzip.open(path), path, most)
    if suffix == ".7z":
        return bounded(_in_seven_zip(path, most), path, most)
    return bounded(path.open("rb"), path, most)


def bounded(file: Stream, path: Path, most: int) -> io.BufferedReader:
    """A file that is too large for the memory once it is read beyond so many bytes."""
    return io.BufferedReader(_Bounded(file, path, most), BYTES_AT_ONCE)


class _Bounded(io.RawIOBase):
    def __init__(self, file: Stream, path: Path, most: int) -> None:
        self._file, self._path, self._left = file, path, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content = self._file.read(min(len(buffer), max(self._left, 1)))
        if len(content) > self._left:
            raise TooLargeError(self._path)
        self._left -= len(content)
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._file.close()
        super().close()


def _in_zip(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    return archive.open(_only_table(path, archive.namelist()))


def _in_seven_zip(path: Path, most: int) -> IO[bytes]:
    import py7zr
    from py7zr.io import BytesIOFactory

    factory = BytesIOFactory(most + 1)
    with py7zr.SevenZipFile(path) as archive:
        name = _only_table(path, archive.getnames())
        archive.extract(targets=[name], factory=factory)
    return io.BytesIO(factory.products[name].read())


def _only_table(path: Path, members: list[str]) -> str:
    names = [name for name in members if kind_of(Path(name)) and not name.startswith(NO_CONTENT)]
    if len(names) != 1:
        raise ValueError(f"{path.name} holds {len(names)} tables")
    return names[0]
