"""Archives in raw data and in prepared data."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from mlebench.errors import DataSourceError
from mlebench.preparing.bounds import require_source, require_target, temporarily_within
from mlebench.preparing.extraction import LIMITS, extract
from mlebench.preparing.extraction.filling import write_file
from mlebench.preparing.extraction.limits import Budget
from mlebench.preparing.extraction.sources import Archive
from mlebench.preparing.extraction.zips import contents, require_usable
from mlebench.preparing.files import fresh_file
from mlebench.preparing.reading import first_line, lacking, require_readable
from mlebench.preparing.trail import note_file

# Entries carry a date; a fixed one makes equal content give equal archives.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_EPOCH_IN_7Z = 119_600_064_000_000_000  # the same day in tenths of microseconds since 1601
_COMPRESSED = {".jpg", ".jpeg", ".png", ".zip", ".gz", ".7z"}


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip for reading; a missing or damaged one is the data source's fault."""
    _note(path)
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError as error:
        raise lacking(path, "archive") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DataSourceError(f"{path} is not a readable zip: {error}") from error
    except RuntimeError as error:
        if "password" not in str(error):
            raise
        raise DataSourceError(f"{path} is encrypted; unpack it and give the folder.") from error


@contextmanager
def open_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    """One file inside a zip, for reading."""
    with open_zip(path) as archive, _open_inside(archive, member) as file:
        yield file


def _open_inside(archive: zipfile.ZipFile, member: str) -> IO[bytes]:
    return archive.open(_entry_of(archive, member))


def _entry_of(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(member)
    except KeyError as error:
        raise DataSourceError(f"{archive.filename} has no member {member}.") from error


def members(path: Path, suffix: str = "") -> list[str]:
    """Names of the files inside a zip, sorted."""
    with open_zip(path) as archive:
        return sorted(
            info.filename
            for info in archive.infolist()
            if not info.is_dir() and info.filename.endswith(suffix)
        )


def extract_members(path: Path, targets: Mapping[str, Path]) -> None:
    """Write members of a zip straight to where they belong."""
    source = Archive(path, str(path))
    with open_zip(path) as archive:
        entries = {member: _entry_of(archive, member) for member in targets}
        folder = next((target.parent for target in targets.values()), Path())
        budget = Budget(LIMITS, path, folder)
        budget.require(source, sum(entry.file_size for entry in entries.values()))
        for member, entry in entries.items():
            require_usable(source, entry)
            write_file(fresh_file(targets[member]), contents(source, archive, entry))


def extract_all(path: Path, folder: Path) -> None:
    """Unpack a zip, a 7z or a tar, refusing members that would leave the folder."""
    _note(path)
    require_target(str(folder))
    extract(path, folder)


@contextmanager
def unpacked(path: Path, beside: Path) -> Iterator[Path]:
    """The content of an archive in a folder that exists for a while.

    It lies next to the folder ``beside``, that is on the same disk, so that files can be
    placed from it without copying them.
    """
    with (
        tempfile.TemporaryDirectory(prefix=".unpacked-", dir=beside.parent) as folder,
        temporarily_within(Path(folder)),
    ):
        extract_all(path, Path(folder))
        yield Path(folder)


@contextmanager
def open_tar(path: Path) -> Iterator[tarfile.TarFile]:
    """A tar for reading, compressed or not; a damaged one is the data source's fault."""
    damage = (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile)
    _note(path)
    try:
        with tarfile.open(path) as archive:
            yield archive
    except FileNotFoundError as error:
        raise lacking(path, "archive") from error
    except damage as error:
        raise DataSourceError(f"{path} cannot be unpacked: {first_line(error)}") from error


def _note(path: Path) -> None:
    require_source(str(path))
    note_file(str(path))
    require_readable(str(path), "an archive")


@contextmanager
def _content(path: Path) -> Iterator[IO[bytes]]:
    """A file to put into an archive."""
    require_source(str(path))
    require_readable(str(path), "a file")
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise lacking(path) from error


def pack(path: Path, contents: Mapping[str, str | bytes | Path]) -> None:
    """Zip texts, bytes and files under the given names; equal content, equal bytes."""
    with zipfile.ZipFile(fresh_file(path), "w") as archive:
        for name, content in contents.items():
            if isinstance(content, Path):
                with _content(content) as source:
                    _add(archive, name, source)
            else:
                archive.writestr(_entry(name), content)


@contextmanager
def packing(path: Path, member: str) -> Iterator[IO[bytes]]:
    """The only member of a new zip, for writing; equal content, equal bytes."""
    with (
        zipfile.ZipFile(fresh_file(path), "w") as archive,
        archive.open(_entry(member), "w", force_zip64=True) as entry,
    ):
        yield entry


def repack(source: Path, target: Path, names: Mapping[str, str]) -> None:
    """Zip members of another zip under other names, without unpacking them anywhere."""
    with open_zip(source) as origin, zipfile.ZipFile(fresh_file(target), "w") as archive:
        for member, name in names.items():
            with _open_inside(origin, member) as content:
                _add(archive, name, content)


def _add(archive: zipfile.ZipFile, name: str, content: IO[bytes]) -> None:
    with archive.open(_entry(name), "w", force_zip64=True) as entry:
        shutil.copyfileobj(content, entry)


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_STORED if _is_compressed(name) else zipfile.ZIP_DEFLATED
    return info


def _is_compressed(name: str) -> bool:
    """To compress such a file once more takes long and saves nothing."""
    return Path(name).suffix.lower() in _COMPRESSED


def pack_tar(path: Path, contents: Mapping[str, bytes | Path], mode: str = "w") -> None:
    """Put bytes and files into a tar; ``w:gz`` compresses it. Equal content, equal bytes."""
    with (
        fresh_file(path).open("wb") as file,
        _plain_or_gzip(file, mode) as stream,
        tarfile.open(fileobj=stream, mode="w") as archive,
    ):
        for name, content in contents.items():
            info = tarfile.TarInfo(name)  # of nobody, at the beginning of time
            if isinstance(content, Path):
                with _content(content) as source:
                    info.size = content.stat().st_size
                    archive.addfile(info, source)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))


@contextmanager
def _plain_or_gzip(file: IO[bytes], mode: str) -> Iterator[IO[bytes]]:
    if mode != "w:gz":
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as stream:
        yield cast("IO[bytes]", stream)


def pack_7z(path: Path, contents: Mapping[str, str | bytes | Path]) -> None:
    """Put texts, bytes and files into a 7z; equal content, equal bytes."""
    import py7zr

    # A 7z compresses all of its members in the same way.
    filters = [{"id": py7zr.FILTER_COPY}] if all(map(_is_compressed, contents)) else None
    with py7zr.SevenZipFile(fresh_file(path), "w", filters=filters) as archive:
        for name, content in contents.items():
            if isinstance(content, Path):
                with _content(content) as source:
                    archive.writef(source, name)
            else:
                archive.writestr(content, name)
            entry = archive.header.files_info.files[-1]
            entry["lastwritetime"] = py7zr.helpers.ArchiveTimestamp(_EPOCH_IN_7Z)


def repack_tar(source: Path, targets: Mapping[Path, Mapping[str, str]]) -> None:
    """Put members of a tar into other ones under other names, reading it once.

    Args:
        source: The tar, compressed or not.
        targets: For each new tar, which is not compressed, the members and their new names.

    Raises:
        DataSourceError: A member is not there.
    """
    wanted = {member: path for path, names in targets.items() for member in names}
    with open_tar(source) as origin, ExitStack() as stack:
        archives = {path: stack.enter_context(_new_tar(path)) for path in targets}
        for info in origin:
            path = wanted.pop(info.name, None)
            if path is not None:
                renamed = tarfile.TarInfo(targets[path][info.name])  # of nobody, too
                renamed.size = info.size
                archives[path].addfile(renamed, origin.extractfile(info))
    if wanted:
        raise DataSourceError(f"{source} has no member {min(wanted)}.")


def _new_tar(path: Path) -> tarfile.TarFile:
    return tarfile.open(fresh_file(path), "w")
