"""Telling whether a file is still the one that was read, without reading it."""

from __future__ import annotations

import os
from pathlib import Path

Stamp = tuple[int, ...]


def file_stamp(path: Path) -> Stamp:
    """What changes when a file is written anew."""
    return stamp_of(path.stat())


def stamp_of(status: os.stat_result) -> Stamp:
    """The same, of a file that has been looked at."""
    # The time of the last change of any kind, because anybody can set that of the last writing.
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
    )
