"""Telling whether folders are still what they were, by names, sizes and times."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from mlebench.stamps import file_stamp


def origin_stamp(origin: Path) -> list[int] | str:
    """What changes when an archive, or anything in a folder, is changed."""
    return list(file_stamp(origin)) if origin.is_file() else folder_stamp(origin)


def folder_stamp(folder: Path) -> str:
    """What changes when anything in a folder is; compiled Python does not count."""
    digest = hashlib.sha256()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            status = os.stat(os.path.join(place, name), follow_symlinks=False)  # noqa: PTH116, PTH118
            # The change time is left out: a new hard link to a file sets it.
            told = (os.path.relpath(place, folder), name, status.st_size, status.st_mtime_ns)
            digest.update(repr(told).encode(errors="surrogateescape"))
    return digest.hexdigest()
