"""Putting files in place without copying their bytes where the disk allows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from mlebench.errors import DataSourceError


def place(source: Path, target: Path) -> None:
    """Make ``target`` the same file as ``source``: a hard link, or a copy across disks."""
    _place(str(source), str(target))


def place_all(names: Iterable[str], source: Path, target: Path) -> None:
    """Place files of these names from one folder into another."""
    target.mkdir(parents=True, exist_ok=True)
    # Joined as texts: with hundreds of thousands of files, path objects cost as much as the links.
    sources, targets = f"{source}{os.sep}", f"{target}{os.sep}"
    for name in names:
        _place(f"{sources}{name}", f"{targets}{name}")


def _place(source: str, target: str) -> None:
    # A link to a symbolic link would lead nowhere from another folder.
    real = os.path.realpath(source) if os.path.islink(source) else source  # noqa: PTH114
    try:
        os.link(real, target)
    except FileNotFoundError:
        _require(source)
        # Folders are made when one turns out to be missing, not asked for with every file.
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        _place(source, target)
    except FileExistsError:
        Path(target).unlink()
        _place(source, target)
    except OSError:
        shutil.copyfile(real, target)


def _require(source: str) -> None:
    if not Path(source).exists():
        raise DataSourceError(f"The raw data lack the file {Path(source).name} ({source}).")
