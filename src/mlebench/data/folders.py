"""Questions about folders."""

from __future__ import annotations

from pathlib import Path


def has_files(folder: Path) -> bool:
    """Whether a folder exists and is not empty."""
    return folder.is_dir() and any(folder.iterdir())
