"""The folder that an archive is unpacked into: new files only, and nothing beside it.

No link is ever made there: where an archive has one, the file that it leads to gets a second
name. So there is nothing that a later member, or whoever uses the folder, could write through.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.preparing.extraction.limits import Budget, Progress
from mlebench.preparing.extraction.names import fault_of, normal, parent
from mlebench.preparing.extraction.sources import Archive

CHUNK = 1 << 20
# Read-only, as other folders will have the same files under names of their own; less the umask.
MODE = 0o444
NAMES_REFUSED = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)


class Filling:
    """A folder on its way to hold the members of an archive."""

    def __init__(self, archive: Archive, folder: Path, budget: Budget, progress: Progress) -> None:
        self._archive = archive
        self._root = f"{folder.resolve()}{os.sep}"
        self._budget = budget
        self._progress = progress
        self._longest_part = os.pathconf(folder, "PC_NAME_MAX")
        self._longest = os.pathconf(folder, "PC_PATH_MAX") - len(os.fsencode(self._root)) - 1
        self._folders = {""}
        self._links: dict[str, str] = {}
        # What exists in a folder that was empty is this archive's; else it has to be remembered.
        self._own: set[str] | None = set() if any(folder.iterdir()) else None

    def expect(self, members: int, size: int) -> None:
        """Refuse what the archive says itself to be too much."""
        self._budget.count(self._archive, members)
        self._budget.require(self._archive, size)
        self._progress.total = size

    def count(self) -> None:
        """Count a member of an archive that does not say how many it has."""
        self._budget.count(self._archive)

    def checked(self, name: str, *, is_folder: bool = False) -> str:
        """The normal name of a member that may be unpacked."""
        fault = fault_of(name, self._longest_part, self._longest)
        if fault is None:
            place = normal(name)
            if place or is_folder:
                return place
            fault = "has no name"
        raise self._archive.refused(name, fault)

    def add_folder(self, name: str) -> None:
        """Make a folder, unless it is there."""
        self._make_folder(self.checked(name, is_folder=True), name)

    def add_file(self, name: str, content: Iterable[bytes]) -> None:
        """Write a file bit by bit; the same one a second time must say the same."""
        place = self.checked(name)
        path = self._root + place
        self._make_folder(parent(place), name)
        try:
            handle = _new_file(path)
        except FileExistsError:
            if self._is_own(place, name):
                self._compare(path, name, content)
                return
            Path(path).unlink()
            handle = _new_file(path)
        except OSError as error:
            self._refuse_impossible(name, error)
            raise
        if self._own is not None:
            self._own.add(place)
        _write(handle, path, self._counted(name, content))

    def add_link(self, name: str, target: str) -> None:
        """Note a link to another member, which may come later."""
        place = self.checked(name)
        if self._links.setdefault(place, target) != target:
            raise self._archive.refused(name, "is there twice and leads to different files")

    def finish(self) -> None:
        """Give the files that links lead to their other names."""
        for place in self._links:
            end = self._end_of(place)
            if not self._is_unpacked(end):
                raise self._archive.refused(place, "is a link that leads to no file of the archive")
            self._make_folder(parent(place), place)
            try:
                os.link(self._root + end, self._root + place, follow_symlinks=False)
            except OSError:  # the name is taken, or the disk allows no (more) links
                self.add_file(place, _chunks_of(Path(self._root + end)))
        self._progress.tell()

    def _end_of(self, place: str) -> str:
        passed = {place}
        while (place := self._links[place]) in self._links:
            if place in passed:
                raise self._archive.refused(place, "is a link that leads back to itself")
            passed.add(place)
        return place

    def _make_folder(self, place: str, name: str) -> None:
        if place in self._folders:
            return
        self._make_folder(parent(place), name)
        path = self._root + place
        try:
            os.mkdir(path)  # noqa: PTH102 (path objects cost more than the folders)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise self._both(name, place) from None
        except OSError as error:
            self._refuse_impossible(name, error)
            raise
        self._folders.add(place)

    def _is_unpacked(self, place: str) -> bool:
        if parent(place) not in self._folders or (self._own is not None and place not in self._own):
            return False
        try:
            return stat.S_ISREG(os.lstat(self._root + place).st_mode)
        except FileNotFoundError:
            return False

    def _counted(self, name: str, content: Iterable[bytes]) -> Iterator[bytes]:
        for chunk in content:
            self._budget.spend(self._archive, name, len(chunk))
            yield chunk
            self._progress.add(len(chunk))

    def _is_own(self, place: str, name: str) -> bool:
        if stat.S_ISDIR(os.lstat(self._root + place).st_mode):
            raise self._both(name, place)
        return self._own is None or place in self._own

    def _compare(self, path: str, name: str, content: Iterable[bytes]) -> None:
        with Path(path).open("rb") as file:
            is_same = all(
                file.read(len(chunk)) == chunk for chunk in self._counted(name, content)
            ) and not file.read(1)
        if not is_same:
            raise self._archive.refused(
                name, "is there twice, or under names that are one to this disk, and differs"
            )

    def _both(self, name: str, place: str) -> MlebenchError:
        what = "is" if normal(name) == place else f"makes {place}"
        return self._archive.refused(name, f"{what} both a file or link and a folder")

    def _refuse_impossible(self, name: str, error: OSError) -> None:
        if error.errno in NAMES_REFUSED:
            what = "has a name that is too long for the disk, or has signs that it does not take"
            raise self._archive.refused(name, what) from error


def write_file(path: Path, content: Iterable[bytes]) -> None:
    """Write a new file in the place of whatever has its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    _write(_new_file(str(path)), str(path), content)


def _new_file(path: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, MODE)


def _write(handle: int, path: str, content: Iterable[bytes]) -> None:
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in content:
                file.write(chunk)
    except BaseException:
        Path(path).unlink()  # half a file is worse than none
        raise


def _chunks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
