"""Files that are there completely or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A place beside ``path`` to write to, which takes its name when nothing went wrong.

    The name is nobody else's, so concurrent writers do not meet, and the last one wins. Whoever
    writes creates the file, so it gets the rights that the user gives to new files.
    """
    with unfinished(path) as partial:
        yield partial
        os.replace(partial, path)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A place beside ``path`` to write to; what is still there in the end is removed."""
    partial = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def write_new(path: Path, content: str) -> bool:
    """Write a file whole under a name that is nobody's; False if it is somebody's already."""
    partial = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        partial.write_text(content, encoding="utf-8")
        return take_name(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def take_name(partial: Path, path: Path) -> bool:
    """Give a file a name that is nobody's, beside or instead of its own; False if it is taken."""
    try:
        path.hardlink_to(partial)
    except FileExistsError:
        return False
    except FileNotFoundError:  # somebody removed what was to get the name
        raise
    except OSError:  # a file system without links: reserve the name, then fill it
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            return False
        try:
            os.replace(partial, path)
        except OSError:
            path.unlink()
            raise
    return True
