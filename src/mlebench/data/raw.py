"""Raw data among a competition's data: the folder, the zip, and what we may remove of them."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from mlebench.data.durable import flush_tree, write_durably
from mlebench.data.folders import link_tree
from mlebench.data.layout import DOWNLOAD_NOTE, INCOMPLETE_FILE, zip_name
from mlebench.data.moving import remove
from mlebench.errors import DataSourceError
from mlebench.registry.competition import Competition

# Mounts and links to folders cannot be replaced, and one that was being filled is not empty;
# what is in them can be.
IMMOVABLE = (errno.EXDEV, errno.EBUSY, errno.ENOTDIR, errno.ENOTEMPTY)

logger = logging.getLogger(__name__)


def keep_raw(unpacked: Path, raw_dir: Path) -> None:
    """Keep what was unpacked, unless something lies there already."""
    if is_usable(raw_dir):
        if unpacked.exists():  # or it has been kept by somebody who was killed afterwards
            logger.warning("%s holds files already, so what was unpacked is not kept.", raw_dir)
        return
    try:
        os.replace(unpacked, raw_dir)
    except OSError as error:
        if error.errno not in IMMOVABLE:
            raise
        with _unusable(raw_dir):
            # Not moved: killed now, the unpacked files must be whole for the next try.
            link_tree(unpacked, raw_dir)


@contextmanager
def _unusable(folder: Path) -> Iterator[None]:
    """Empty a folder, and mark it meanwhile: killed now, it must not look like a source."""
    marker = folder / INCOMPLETE_FILE
    write_durably(marker, _identity(folder))
    for entry in sorted(folder.iterdir()):
        if entry != marker:
            remove(entry)
    yield
    flush_tree(folder)  # what was copied from another disk must outlive what it was copied from
    marker.unlink()


def is_usable(raw_dir: Path) -> bool:
    """Whether a folder holds raw files, all of them."""
    if not raw_dir.is_dir():
        return False
    has_files = any(not path.name.startswith(INCOMPLETE_FILE) for path in raw_dir.iterdir())
    return has_files and not _is_marked(raw_dir)


def _is_marked(folder: Path) -> bool:
    """Whether we are, or were, filling this very folder; a zip may hold a file of any name."""
    try:
        return (folder / INCOMPLETE_FILE).read_bytes() == _identity(folder)
    except OSError:
        return False


def _identity(folder: Path) -> bytes:
    """What tells a folder from any other, also from one that it is a copy of."""
    return str(folder.stat().st_ino).encode()


def zip_place(competition: Competition) -> Path:
    """Where the zip of a competition goes that we download."""
    return competition.data_dir / zip_name(competition.id)


def own_zip(competition: Competition) -> Path | None:
    """The one zip in the competition's data folder."""
    archives = zips_in(competition.data_dir)
    if len(archives) > 1:
        raise DataSourceError(f"{competition.data_dir} holds several zips; choose one with --from.")
    return archives[0] if archives else None


def zips_in(folder: Path) -> list[Path]:
    """The zips directly in a folder."""
    return sorted(filter(_is_zip, folder.iterdir())) if folder.is_dir() else []


def zip_named(name: str, folder: Path) -> Path | None:
    """The zip of this name in a folder, whatever the case of its ending."""
    return next((path for path in zips_in(folder) if path.stem == name), None)


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()


def is_archive(path: Path) -> bool:
    """Whether a file says by its name that raw files are packed in it."""
    from mlebench.preparing.extraction.unpacking import suffix_of

    return suffix_of(path.name) is not None and path.is_file()


class _Download(msgspec.Struct, frozen=True):
    """What tells a file from any other that has, or will have, the same name."""

    name: str
    size: int
    inode: int
    modified_ns: int

    @classmethod
    def of(cls, file: Path, name: str) -> _Download:
        status = file.stat()
        return cls(name, status.st_size, status.st_ino, status.st_mtime_ns)


def note_download(file: Path, target: Path) -> None:
    """Note that a file which has arrived, and is about to get its name, is not the user's but ours.

    A name alone would not do: the user may put a zip of that name there at any time.
    """
    note = _Download.of(file, target.name)
    write_durably(target.with_name(DOWNLOAD_NOTE), msgspec.json.encode(note))


def is_download(archive: Path, data_dir: Path) -> bool:
    """Whether an archive has been downloaded by us, among a competition's data."""
    noted = _noted_download(data_dir)
    if noted is None or not archive.is_file() or not archive.parent.samefile(data_dir):
        return False
    return _Download.of(archive, archive.name) == noted


def forget_download(archive: Path, data_dir: Path, *, keep: bool) -> None:
    """Once it is used, remove a zip that we have downloaded, or leave it to the user."""
    is_ours = is_download(archive, data_dir)
    if is_ours and not keep:
        archive.unlink()
    noted = _noted_download(data_dir)
    if noted and (is_ours or not is_download(data_dir / noted.name, data_dir)):
        (data_dir / DOWNLOAD_NOTE).unlink()


def _noted_download(data_dir: Path) -> _Download | None:
    try:
        return msgspec.json.decode((data_dir / DOWNLOAD_NOTE).read_bytes(), type=_Download)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None  # there is no note, or none of ours
