"""Unpacking one archive, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mlebench.errors import DataSourceError
from mlebench.preparing.extraction.filling import Filling
from mlebench.preparing.extraction.limits import (
    LIMITS,
    Budget,
    Limits,
    OnBytes,
    Progress,
    ignore_bytes,
)
from mlebench.preparing.extraction.seven_zips import unpack_7z
from mlebench.preparing.extraction.sources import Archive
from mlebench.preparing.extraction.tars import OPENERS, unpack_tar
from mlebench.preparing.extraction.zips import unpack_zip
from mlebench.preparing.reading import lacking

Unpack = Callable[[Archive, Filling], None]

SUFFIXES: dict[str, Unpack] = {
    ".zip": unpack_zip,
    ".7z": unpack_7z,
    ".tar": unpack_tar,
    ".tar.gz": unpack_tar,
    ".tgz": unpack_tar,
    ".tar.bz2": unpack_tar,
    ".tar.xz": unpack_tar,
}
MARKS: dict[bytes, Unpack] = {
    b"PK\x03\x04": unpack_zip,
    b"PK\x05\x06": unpack_zip,  # without any member
    b"7z\xbc\xaf\x27\x1c": unpack_7z,
    **dict.fromkeys(OPENERS, unpack_tar),
}

TAR_MARK, TAR_MARK_AT = b"ustar", 257


def extract(
    path: Path, folder: Path, *, limits: Limits = LIMITS, on_bytes: OnBytes = ignore_bytes
) -> None:
    """Unpack a zip, a 7z or a tar into a folder, or refuse it.

    Files that were there before under the same names are replaced. New ones are read-only,
    because other folders will have them, too; their dates and owners are not the archive's.

    Args:
        path: The archive; its kind is what its name says, else what it begins with.
        folder: Where its members go; made if need be. After a refusal it may hold some of them.
        limits: What is too much.
        on_bytes: Told now and then how many bytes are unpacked, and of how many, if known.

    Raises:
        DataSourceError: The archive is missing, damaged or malicious; the message says in which
            member.
        UnwritableFolderError: The disk has no room for what is in it.
    """
    archive = Archive(path, str(path))
    unpack = _kind_of(path)
    folder.mkdir(parents=True, exist_ok=True)
    unpack_into(archive, unpack, folder, Budget(limits, path, folder), on_bytes)


def unpack_into(
    archive: Archive,
    unpack: Unpack,
    folder: Path,
    budget: Budget,
    on_bytes: OnBytes = ignore_bytes,
) -> None:
    """Unpack an archive of a certain kind into a folder that exists."""
    filling = Filling(archive, folder, budget, Progress(on_bytes))
    unpack(archive, filling)
    filling.finish()


def suffix_of(name: str) -> str | None:
    """The ending of a name that says that it is an archive, as it is written there."""
    lower = name.lower()
    found = next((suffix for suffix in SUFFIXES if lower.endswith(suffix)), None)
    return name[-len(found) :] if found and len(found) < len(name) else None


def kind_by_name(name: str) -> Unpack | None:
    """How to unpack an archive of this name, if it is the name of one."""
    suffix = suffix_of(name)
    return SUFFIXES[suffix.lower()] if suffix else None


def _kind_of(path: Path) -> Unpack:
    if not path.exists():
        raise lacking(path, "archive")
    if path.is_file() and (unpack := kind_by_name(path.name) or _kind_by_content(path)):
        return unpack
    raise DataSourceError(f"{path} is neither a zip nor a 7z nor a tar archive.")


def _kind_by_content(path: Path) -> Unpack | None:
    with path.open("rb") as file:
        begin = file.read(512)
    if begin[TAR_MARK_AT:].startswith(TAR_MARK):
        return unpack_tar
    return next((unpack for mark, unpack in MARKS.items() if begin.startswith(mark)), None)
