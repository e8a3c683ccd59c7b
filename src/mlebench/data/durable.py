"""Making sure that what was written outlives a power cut."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

MANY_FILES = 500
"""Beyond this, it takes less time to flush the whole disk than one file after the other."""
NO_FLUSHING = (errno.EINVAL, errno.ENOTSUP)  # some file systems flush no folders


def flush(path: Path) -> None:
    """Have a file on the disk, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_FLUSHING or not path.is_dir():
            raise
    finally:
        os.close(handle)


def flush_tree(folder: Path) -> None:
    """Have a folder on the disk with all that is in it."""
    folders, files = [], []
    for place, _, names in os.walk(folder):
        folders.append(Path(place))
        files += [Path(place, name) for name in names]
        if len(files) > MANY_FILES:
            _flush_disk(folder)
            return
    for path in files:
        if not path.is_symlink():
            flush(path)
    for path in reversed(folders):
        flush(path)


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that is there completely or not at all, whatever happens."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(content)
    flush(partial)
    os.replace(partial, path)
    flush(path.parent)


def _flush_disk(folder: Path) -> None:
    """Flush everything on the disk that a folder is on."""
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:  # not Linux
        os.sync()
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        if syncfs(handle):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(handle)
