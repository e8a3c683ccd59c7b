"""Telling whether folders are still what they were, by names, sizes and times."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection
from pathlib import Path

from mlebench.stamps import file_stamp


def origin_stamp(origin: Path) -> list[int] | str:
    """What changes when an archive, or anything in a folder, is changed."""
    return list(file_stamp(origin)) if origin.is_file() else folder_stamp(origin)


def folder_stamp(folder: Path, leave_out: Collection[Path] = ()) -> str:
    """What changes when anything in a folder is, or what links in there lead to.

    Compiled Python does not count, nor do the files to leave out.
    """
    digest = hashlib.sha256()
    entered: set[tuple[int, int]] = set()
    unwanted = {*map(str, leave_out)}
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]  # noqa: PTH114, PTH118
        for name in sorted([*names, *links]):
            path = os.path.join(place, name)  # noqa: PTH118
            if path in unwanted:
                continue
            told = os.path.relpath(place, folder), name, *_told_of(path)
            digest.update(repr(told).encode(errors="surrogateescape"))
        # Links may lead in circles, and to what was seen before.
        folders[:] = [name for name in folders if _is_new(os.path.join(place, name), entered)]  # noqa: PTH118
    return digest.hexdigest()


def _told_of(path: str) -> tuple[object, ...]:
    status = os.lstat(path)
    if not stat.S_ISLNK(status.st_mode):
        # The change time is left out: a new hard link to a file sets it.
        return status.st_size, status.st_mtime_ns
    try:
        aim = os.stat(path)  # noqa: PTH116
    except OSError:  # it leads nowhere
        return (os.readlink(path),)  # noqa: PTH115
    # Of folders, what is in them counts.
    times = () if stat.S_ISDIR(aim.st_mode) else (aim.st_size, aim.st_mtime_ns)
    return os.readlink(path), *times  # noqa: PTH115


def _is_new(folder: str, entered: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(folder)  # noqa: PTH116
    except OSError:  # gone meanwhile, or not to be entered
        return False
    place = status.st_dev, status.st_ino
    is_new = place not in entered
    entered.add(place)
    return is_new
