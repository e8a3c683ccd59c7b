"""Moving files and folders from one place to another, and removing them."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

from mlebench.data.durable import flush, flush_tree
from mlebench.data.folders import first_fault_told
from mlebench.processes.isolation import remove_folder

MOUNTS = Path("/proc/self/mountinfo")


def move(source: Path, target: Path) -> None:
    """Rename, or copy across disks; at every moment one of both is whole."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_all(source, target)
        if target.is_dir():
            flush_tree(target)
        elif not target.is_symlink():
            flush(target)
        used = source.with_name(f"{source.name}.copied")
        source.rename(used)  # at once, lest half of it be taken for all
        remove(used)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder, whatever rights somebody took from folders in it.

    Raises:
        OSError: Something cannot be removed; the error names it in full.
    """
    if path.is_dir() and not path.is_symlink():
        remove_folder(path)
        if path.is_dir():
            _remove_rest(str(path))
    else:
        path.unlink()


def _remove_rest(folder: str) -> None:
    """Remove a folder file by file, so as to find what does not let itself be removed."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            _remove_rest(entry.path)
        else:
            os.unlink(entry.path)  # noqa: PTH108
    os.rmdir(folder)  # noqa: PTH106


def give_rights(folder: Path) -> None:
    """Let its owner change what is in a folder."""
    folder.chmod(stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)


def mounts_in(folder: Path) -> list[Path]:
    """What is mounted somewhere below a folder, as far as the system tells."""
    try:
        lines = MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return [entry for entry in folder.iterdir() if entry.is_mount()]
    top = Path(os.path.realpath(folder))
    # Spaces and the like stand there as a backslash and three octal digits.
    points = (line.split(" ")[4].encode(errors="surrogateescape") for line in lines)
    places = (
        Path(os.fsdecode(point.decode("unicode_escape").encode("latin-1"))) for point in points
    )
    return sorted(place for place in places if top in place.parents)


def _copy_all(source: Path, target: Path) -> None:
    """Copy a file or folder, or leave nothing of it."""
    try:
        with first_fault_told():
            _copy(source, target)
    except BaseException:
        if target.exists():
            remove(target)
        raise


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)
