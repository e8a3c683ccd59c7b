"""The files of the data that can be read: nothing that waits, no link that leads elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

DEPTH = 3
MANY_FILES = 200


def near_surface(
    data: Path, is_wanted: Callable[[Path], bool], depth: int = DEPTH
) -> Iterator[Path]:
    """Files of a folder and those within it that are wanted, but for folders with very many."""
    yield from _below(data, data, is_wanted, depth)


def _below(
    folder: Path, data: Path, is_wanted: Callable[[Path], bool], depth: int
) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # a folder that nobody may look into holds nothing
        return
    wanted = [path for path in entries if is_wanted(path) and is_plain_file(path, data)]
    if len(wanted) <= MANY_FILES:
        yield from wanted
    folders = [path for path in entries if _is_folder(path, data)]
    if depth > 1 and len(folders) <= MANY_FILES:
        for inner in folders:
            yield from _below(inner, data, is_wanted, depth - 1)


def is_plain_file(path: Path, data: Path) -> bool:
    """Whether something in the data is a file that can be read from one end to the other."""
    try:
        return path.is_file() and _is_within(path, data)
    except OSError:  # what nobody may look at is no file
        return False


def _is_folder(path: Path, data: Path) -> bool:
    try:
        return path.is_dir() and _is_within(path, data)
    except OSError:
        return False


def _is_within(path: Path, data: Path) -> bool:
    """Whether something is part of the data, be it by a link."""
    return not path.is_symlink() or Path(os.path.realpath(path)).is_relative_to(data.resolve())
