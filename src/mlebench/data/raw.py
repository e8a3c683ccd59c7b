"""Raw data among a competition's data: the folder, the zip, and what we may remove of them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from mlebench.data.durable import flush_tree, write_durably
from mlebench.data.folders import has_files, link_tree
from mlebench.data.layout import DOWNLOAD_NOTE, INCOMPLETE_FILE, PART_SUFFIX
from mlebench.data.publishing import remove
from mlebench.errors import DataSourceError
from mlebench.registry.competition import Competition

# Mounts and links to folders cannot be replaced, and one that was being filled is not empty;
# what is in them can be.
IMMOVABLE = (errno.EXDEV, errno.EBUSY, errno.ENOTDIR, errno.ENOTEMPTY)


def keep_raw(unpacked: Path, raw_dir: Path) -> None:
    """Keep what was unpacked, unless something lies there already."""
    if is_usable(raw_dir):
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
    marker.touch()
    for entry in sorted(folder.iterdir()):
        if entry != marker:
            remove(entry)
    yield
    flush_tree(folder)  # what was copied from another disk must outlive what it was copied from
    marker.unlink()


def is_usable(raw_dir: Path) -> bool:
    """Whether a folder holds raw files, all of them."""
    return has_files(raw_dir) and not (raw_dir / INCOMPLETE_FILE).exists()


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


@contextmanager
def noted_download(data_dir: Path, competition_id: str) -> Iterator[None]:
    """Note that the zip which arrives in here is not the user's but ours.

    One that is there already stays whose it is, and without any there is nothing to note: the
    next one may be brought by the user.
    """
    archive, note = data_dir / f"{competition_id}.zip", data_dir / DOWNLOAD_NOTE
    if archive.exists():
        yield
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    write_durably(note, msgspec.json.encode(archive.name))
    try:
        yield
    finally:
        if not archive.exists():
            note.unlink(missing_ok=True)


def is_download(archive: Path) -> bool:
    """Whether a zip has been downloaded by us."""
    note = archive.parent / DOWNLOAD_NOTE
    if not note.is_file() or note.read_bytes() != msgspec.json.encode(archive.name):
        return False
    # Beside half of our download, which was killed, a whole zip is the user's.
    return not archive.with_name(f"{archive.name}{PART_SUFFIX}").exists()


def forget_download(archive: Path, *, keep: bool) -> None:
    """Once it is used, remove a zip that we have downloaded, or leave it to the user."""
    if is_download(archive) and not keep:
        archive.unlink(missing_ok=True)
    (archive.parent / DOWNLOAD_NOTE).unlink(missing_ok=True)
