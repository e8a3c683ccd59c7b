"""What a disk is asked about a place where nothing may lie yet."""

from __future__ import annotations

import os
from pathlib import Path


def existing_part(path: Path) -> Path:
    """The path itself, or the nearest folder above it, as far as this user can see them."""
    whole = path.absolute()
    # Unlike Path, it bears folders that nobody may look into.
    return next(place for place in (whole, *whole.parents) if os.path.exists(place))  # noqa: PTH110
