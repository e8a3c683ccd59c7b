"""Putting files in place without copying their bytes where the disk allows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from mlebench.errors import DataSourceError


def place(source: Path, target: Path) -> None:
    """Make ``target`` the same file as ``source``: a hard link, or a copy across disks."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError as error:
        raise DataSourceError(f"The raw data lack the file {source.name} ({source}).") from error
    except FileExistsError:
        target.unlink()
        place(source, target)
    except OSError:
        shutil.copyfile(source, target)


def place_all(names: Iterable[str], source: Path, target: Path) -> None:
    """Place files of these names from one folder into another."""
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        place(source / name, target / name)
