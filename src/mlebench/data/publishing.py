"""Putting finished data in place, so that nothing half-moved ever counts as prepared.

Where there is nothing yet, one rename does it. Folders that exist are filled rather than
replaced: other programs make ``public`` and ``private`` first, show them to a room, and
prepare afterwards. Meanwhile a marker says that the data are incomplete, and what they will be.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from mlebench.data.checksums import COVERED_SUFFIXES
from mlebench.data.manifest import INCOMPLETE_FILE, MANIFEST_FILE

PARTS = ("public", "private")


def publish(stage: Path, final: Path) -> None:
    """Make ``final`` hold what ``stage`` holds: the two parts and the manifest.

    Killed at any moment, it leaves what was there before, or the marker, or all that is new.
    """
    _flush_tables(stage)
    if final.exists() or not _rename_whole(stage, final):
        _fill(stage, final)


def _rename_whole(stage: Path, final: Path) -> bool:
    try:
        stage.rename(final)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            return False  # somebody made the folder just now
        raise
    flush_folder(final.parent)
    return True


def _fill(stage: Path, final: Path) -> None:
    marker = final / INCOMPLETE_FILE
    marker.write_bytes((stage / MANIFEST_FILE).read_bytes())
    _flush(marker)
    flush_folder(final)
    (final / MANIFEST_FILE).unlink(missing_ok=True)
    for part in PARTS:
        folder = final / part
        folder.mkdir(exist_ok=True)
        _empty(folder, stage / "replaced" / part)
        for new in sorted((stage / part).iterdir()):
            move(new, folder / new.name)
    _flush_tables(final)
    move(stage / MANIFEST_FILE, final / MANIFEST_FILE)
    flush_folder(final)
    marker.unlink()
    flush_folder(final)


def _empty(folder: Path, aside: Path) -> None:
    """Take everything out of a folder: aside, where it goes with the staging folder."""
    aside.mkdir(parents=True)
    for old in sorted(folder.iterdir()):
        try:
            old.rename(aside / old.name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            remove(old)


def move(source: Path, target: Path) -> None:
    """Move a file or folder, by copying it where the target is on another disk."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target, follow_symlinks=False)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _flush_tables(prepared: Path) -> None:
    """Make sure that tables and manifest outlive a power cut.

    Media files are left to the file system: flushing hundreds of thousands would take hours.
    """
    for folder in (prepared / part for part in PARTS):
        for path in folder.iterdir():
            if path.suffix in COVERED_SUFFIXES and path.is_file():
                _flush(path)
        flush_folder(folder)
    if (prepared / MANIFEST_FILE).is_file():
        _flush(prepared / MANIFEST_FILE)
    flush_folder(prepared)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(folder: Path) -> None:
    """Make sure that the names in a folder outlive a power cut."""
    try:
        _flush(folder)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise  # some file systems flush no folders
