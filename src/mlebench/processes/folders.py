"""Folders for processes that come and go by the thousand.

Making and removing one costs as much as everything else that is done for a quick job, and most
jobs leave theirs as it was: such a folder serves the next one.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from mlebench.processes.isolation import remove_folder


class _State(NamedTuple):
    device: int
    inode: int
    mode: int
    changed_at: int

    @classmethod
    def of(cls, folder: Path) -> _State:
        found = os.lstat(folder)
        return cls(found.st_dev, found.st_ino, found.st_mode, found.st_ctime_ns)


class FolderSupply:
    """Empty folders below one, to be taken and given back."""

    def __init__(self, parent: Path | str) -> None:
        self._parent = parent
        self._made: dict[Path, _State] = {}
        self._spare: list[Path] = []

    def take(self) -> Path:
        """An empty folder that nobody else uses.

        Raises:
            OSError: None can be made.
        """
        while self._spare:  # a process that outlived its folder may still have come back to it
            folder = self._spare.pop()
            if self._is_untouched(folder):
                return folder
            self._remove(folder)
        folder = Path(tempfile.mkdtemp(dir=self._parent))
        self._made[folder] = _State.of(folder)
        return folder

    def give_back(self, folder: Path) -> None:
        """Take a folder back from a process that has ended."""
        if self._is_untouched(folder):
            self._spare.append(folder)
        else:
            self._remove(folder)

    def _is_untouched(self, folder: Path) -> bool:
        """Whether nothing was put in, and neither rights nor anything else were changed."""
        try:
            return _State.of(folder) == self._made.get(folder) and not any(folder.iterdir())
        except OSError:
            return False

    def _remove(self, folder: Path) -> None:
        self._made.pop(folder, None)
        remove_folder(folder)
