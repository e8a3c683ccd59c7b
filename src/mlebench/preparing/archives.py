"""Archives in raw data and in prepared data."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mlebench.errors import DataSourceError

# Zip entries carry a date; a fixed one makes equal content give equal archives.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip for reading; a missing or damaged one is the data source's fault."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError as error:
        raise DataSourceError(f"The raw data lack the archive {path.name} ({path}).") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DataSourceError(f"{path} is not a readable zip: {error}") from error
    except RuntimeError as error:
        if "password" not in str(error):
            raise
        raise DataSourceError(f"{path} is encrypted; unpack it and give the folder.") from error


@contextmanager
def open_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    """One file inside a zip, for reading."""
    with open_zip(path) as archive:
        try:
            with archive.open(member) as file:
                yield file
        except KeyError as error:
            raise DataSourceError(f"{path} has no member {member}.") from error


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
    with open_zip(path) as archive:
        for member, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                source = archive.open(member)
            except KeyError as error:
                raise DataSourceError(f"{path} has no member {member}.") from error
            with source, target.open("wb") as file:
                shutil.copyfileobj(source, file)


def extract_all(path: Path, folder: Path) -> None:
    """Unpack a zip into a folder, refusing members that would leave it."""
    root = folder.resolve()
    with open_zip(path) as archive:
        for info in archive.infolist():
            if not (root / info.filename).resolve().is_relative_to(root):
                raise DataSourceError(f"{path} has a member outside its folder: {info.filename}")
        archive.extractall(root)


def extract_any(path: Path, folder: Path) -> None:
    """Unpack a zip, or a 7z where the extra for it is installed."""
    if path.suffix == ".zip":
        extract_all(path, folder)
    elif path.suffix == ".7z":
        try:
            import py7zr
        except ImportError as error:
            raise DataSourceError(
                f"Unpacking {path.name} needs py7zr: pip install 'mlebench[archives]'"
            ) from error
        with py7zr.SevenZipFile(path) as archive:
            archive.extractall(folder)
    else:
        raise DataSourceError(f"{path} is neither a zip nor a 7z archive.")


def pack(path: Path, contents: Mapping[str, str | bytes | Path]) -> None:
    """Zip texts, bytes and files under the given names; equal content, equal bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            if isinstance(content, Path):
                with (
                    content.open("rb") as source,
                    archive.open(info, "w", force_zip64=True) as target,
                ):
                    shutil.copyfileobj(source, target)
            else:
                archive.writestr(info, content)
