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
    errno.ENOENT: "there is no such folder, and none can be made",
}


def has_files(folder: Path) -> bool:
    """Whether a folder exists and is not empty."""
    try:
        with os.scandir(folder) as entries:  # which need not list them all
            return next(entries, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself
            return False
        raise


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
        place = Path(str(error.filename2 or error.filename or folder))
        if not _is_about(place, folder):
            raise
        if error.errno in FULL:
            raise UnwritableFolderError(
                f"There is no room left on the disk of {folder}. Make some and run the same "
                f"command to go on, or choose another folder with {option}."
            ) from error
        is_lack_inside = error.errno == errno.ENOENT and folder.is_dir()
        if error.errno not in UNWRITABLE or is_lack_inside:
            raise
        fault = _at_fault(place, folder)
        reason = UNWRITABLE[error.errno]
        if fault != folder and error.errno in (errno.ENOTDIR, errno.EEXIST):
            reason = _kind_of(fault)
        raise UnwritableFolderError(
            f"{fault} cannot be written: {reason}. "
            + ("" if fault == folder else "Move it away, or get the right to write to it. ")
            + f"{'Choose' if fault == folder else 'Or choose'} another folder with {option}."
        ) from error


def _at_fault(place: Path, folder: Path) -> Path:
    """What is in the way to a path: the first thing that is no folder, else the last folder."""
    way = [path for path in (place, *place.parents) if folder.absolute() in path.absolute().parents]
    there = [path for path in way if os.path.lexists(path)]
    no_folder = next((path for path in reversed(there) if not path.is_dir()), None)
    return no_folder or next(iter(there), folder)


def _kind_of(path: Path) -> str:
    """Why nothing can be put into something that should be a folder."""
    if path.is_symlink() and not os.path.exists(path):  # noqa: PTH110 (it bears links in circles)
        return "it is a link that leads nowhere"
    return "it is in use" if path.is_dir() else "it is a file"


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

    with first_fault_told():
        shutil.copytree(folder, target, symlinks=True, copy_function=link, dirs_exist_ok=True)


@contextmanager
def first_fault_told() -> Iterator[None]:
    """Copy a folder in here: in place of a list of all files that could not be, one error.

    Raises:
        OSError: About the first of them; its number is that of a full disk if that is the reason.
    """
    try:
        yield
    except shutil.Error as error:
        _, place, reason = error.args[0][0]
        number = next((full for full in FULL if os.strerror(full) in str(reason)), errno.EIO)
        raise OSError(number, str(reason), place) from error
