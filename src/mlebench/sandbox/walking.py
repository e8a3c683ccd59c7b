"""Walking through folders of an agent's without ever leaving them.

Every step is taken from the handle of the folder before, and links are not followed: whatever
an agent puts in the place of a folder meanwhile, nobody is led out of it. Nor does an agent's
nesting of folders use up our handles, since only so many levels are looked into.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlebench.processes.isolation import remove_folder

DEEPEST = 64
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Entry:
    """Something in a folder.

    Attributes:
        folder: The handle of the folder, open as long as nobody asks for the next entry.
        name: In the folder.
        path: All names from the top, which may be longer than the system takes as one.
        found: What it is, not what it leads to.
        reason: Why it was not looked into, if it is a folder that was not.
    """

    folder: int
    name: str
    path: tuple[str, ...]
    found: os.stat_result
    reason: str | None = None

    @property
    def is_folder(self) -> bool:
        """Whether its content is what comes next."""
        return stat.S_ISDIR(self.found.st_mode)


def walk(top: Path, deepest: int = DEEPEST, *, gives_rights: bool = False) -> Iterator[Entry]:
    """All that is below a folder, folders before their content; what vanishes is left out.

    Args:
        top: The folder; nothing comes of it if it is none.
        deepest: How many levels are looked into.
        gives_rights: Whether folders that their owner may not enter are changed so that he may.
    """
    with contextlib.suppress(OSError), opened_folder(top) as handle:
        yield from _below(handle, (), deepest, gives_rights)


@contextlib.contextmanager
def opened_folder(name: str | Path, folder: int | None = None) -> Iterator[int]:
    """A handle of a folder, which must be one itself and no link to one."""
    handle = os.open(name, FOLDER_FLAGS, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


def change_mode(name: str, folder: int, mode: int) -> None:
    """Set the rights of what is no link, without opening it: its own rights may not allow that."""
    if sys.platform != "linux":
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISLNK(os.fstat(handle).st_mode):
            os.chmod(f"/proc/self/fd/{handle}", mode)  # noqa: PTH101 (a handle has no path)
    finally:
        os.close(handle)


def _below(folder: int, path: tuple[str, ...], deepest: int, gives_rights: bool) -> Iterator[Entry]:
    # Listed before anything is done with them: whoever takes files away changes the folder.
    try:
        with os.scandir(folder) as listing:
            names = [entry.name for entry in listing]
    except OSError:  # the disk fails; what is elsewhere is still there
        return
    for name in names:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:  # it has vanished
            continue
        here = (*path, name)
        if not stat.S_ISDIR(found.st_mode):
            yield Entry(folder, name, here, found)
        elif len(here) >= deepest:
            yield Entry(folder, name, here, found, "nested too deeply")
        else:
            yield from _inside(folder, name, here, found, deepest, gives_rights)


def _inside(
    folder: int,
    name: str,
    here: tuple[str, ...],
    found: os.stat_result,
    deepest: int,
    gives_rights: bool,
) -> Iterator[Entry]:
    """A folder, and all below it."""
    with contextlib.ExitStack() as opened:
        try:
            if gives_rights and found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
                change_mode(name, folder, stat.S_IRWXU)
            handle = opened.enter_context(opened_folder(name, folder))
        except OSError as error:
            yield Entry(folder, name, here, found, error.strerror or "not readable")
            return
        yield Entry(folder, name, here, found)
        yield from _below(handle, here, deepest, gives_rights)


def remove_tree(folder: Path) -> None:
    """Remove a folder of an agent's, however deeply it has nested others in it."""
    while _flatten(folder):
        pass
    remove_folder(folder)


def _flatten(top: Path) -> bool:
    """Move what lies too deep for `walk` to the top; whether there was any."""
    found = False
    with contextlib.suppress(OSError), opened_folder(top) as target:
        for entry in walk(top, gives_rights=True):
            if entry.is_folder and len(entry.path) >= DEEPEST:
                with contextlib.suppress(OSError):  # then removing it will fail, too, and say so
                    os.rename(
                        entry.name, uuid.uuid4().hex, src_dir_fd=entry.folder, dst_dir_fd=target
                    )
                    found = True
    return found
