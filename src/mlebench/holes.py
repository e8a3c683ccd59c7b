"""Files that claim more bytes than they have."""

from __future__ import annotations

import os


def has_holes(handle: int, size: int) -> bool:
    """Whether parts of a file take no place on the disk, so that they read as NUL bytes."""
    try:
        return 0 <= os.lseek(handle, 0, os.SEEK_HOLE) < size
    except (AttributeError, OSError):
        return False  # the system cannot tell; whoever reads the file finds them
    finally:
        os.lseek(handle, 0, os.SEEK_SET)
