"""Folders: what is in them, and what keeps results from going there."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mlebench.errors import UnwritableFolderError

FULL = {errno.ENOSPC, errno.EDQUOT}
UNWRITABLE = {
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "you have no right to write there",
    errno.EPERM: "you have no right to write there",
    errno.ENOTDIR: "a part of this path is a file (Not a directory)",
    errno.EEXIST: "it is a file",
}


def has_files(folder: Path) -> bool:
    """Whether a folder exists and is not empty."""
    return folder.is_dir() and any(folder.iterdir())


class Size(NamedTuple):
    """How much there is in folders and all below them."""

    files: int
    bytes: int


def size_of(*roots: Path, leave_out: Collection[str] = ()) -> Size:
    """Count files and their bytes; links to files count as what they lead to.

    Args:
        roots: The folders.
        leave_out: Names of folders that do not count.
    """
    files = total = 0
    folders = [str(root) for root in roots]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in leave_out:
                        folders.append(entry.path)
                elif entry.is_file():
                    files += 1
                    total += entry.stat().st_size
    return Size(files, total)


@contextmanager
def written_folder(folder: Path, option: str) -> Iterator[None]:
    """What is done in here writes to a folder that the user named with an option.

    Raises:
        UnwritableFolderError: The folder cannot be written.
    """
    try:
        yield
    except OSError as error:
        if not _is_about(Path(str(error.filename or folder)), folder):
            raise
        if error.errno in FULL:
            raise UnwritableFolderError(
                f"There is no room left on the disk of {folder}. Make some and run the same "
                f"command to go on, or choose another folder with {option}."
            ) from error
        if error.errno not in UNWRITABLE:
            raise
        raise UnwritableFolderError(
            f"{folder} cannot be written: {UNWRITABLE[error.errno]}. "
            f"Choose another folder with {option}."
        ) from error


def _is_about(place: Path, folder: Path) -> bool:
    """Whether a path is the folder, in it, or on the way to it."""
    here, there = place.absolute(), folder.absolute()
    return here.is_relative_to(there) or there.is_relative_to(here)


def link_tree(folder: Path, target: Path) -> None:
    """Have the same files in a second folder, without copying them where the disk allows it."""

    def link(source: str, place: str) -> None:
        try:
            os.link(source, place, follow_symlinks=False)
        except OSError:
            shutil.copy2(source, place, follow_symlinks=False)

    shutil.copytree(folder, target, symlinks=True, copy_function=link, dirs_exist_ok=True)
