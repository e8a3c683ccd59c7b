"""What lies among the data of competitions, how much room it takes, and removing it."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.folders import written_folder
from mlebench.data.layout import (
    DOWNLOAD_NOTE,
    LOCK_FILE,
    PART_SUFFIX,
    SET_ASIDE_PREFIX,
    STAGING_PREFIX,
)
from mlebench.data.locks import NO_ROOM, exclusive
from mlebench.data.manifest import (
    find_gap,
    find_stranger,
    has_real_data,
    is_begun,
    read_manifest,
)
from mlebench.data.moving import remove
from mlebench.data.raw import zip_place, zips_in
from mlebench.data.receiving import lock_of
from mlebench.data.settling import being_prepared, settled, unreadable
from mlebench.data.using import used_by_nobody
from mlebench.errors import BusyError, DataSourceError
from mlebench.registry.competition import Competition

PARTS = ("prepared", "raw", "zip", "unfinished")
"""What can be removed: prepared data of one edition, the unpacked download, the packed one,
and what interrupted downloads and preparations have left to go on with."""
SET_ASIDE = "set_aside"
USES = (*PARTS, SET_ASIDE)
"""What takes room: the parts, and what was moved out of the way, which is the user's to remove."""

logger = logging.getLogger(__name__)

PARTIAL_SUFFIXES = (PART_SUFFIX, f"{PART_SUFFIX}.json", f"{PART_SUFFIX}.json.new")


@dataclass(frozen=True)
class Holding:
    """Prepared data of a competition in one edition.

    Attributes:
        competition_id: The competition.
        edition: The edition.
        status: ``prepared``, ``incomplete``, ``being prepared``, ``not prepared`` or
            ``unreadable``.
        source: ``kaggle``, ``local``, ``bundled``, ``fixture``, or ``original`` where no manifest
            tells.
        layout: Whether public archives are unpacked.
        created_at: When they were prepared, if that is known.
        reason: Why nothing more can be told.
    """

    competition_id: str
    edition: str
    status: str
    source: str | None = None
    layout: str | None = None
    created_at: str | None = None
    reason: str | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether there is nothing to look at."""
        return self.status == "not prepared" and self.reason is None


def holding(competition: Competition) -> Holding:
    """What is prepared of a competition in its edition."""
    names = competition.id, competition.edition
    try:
        found = settled(competition, lambda: _holding(competition))
    except OSError as error:
        return Holding(*names, "unreadable", reason=unreadable(competition, error))
    return found or Holding(*names, "being prepared", reason=being_prepared(competition))


def _holding(competition: Competition) -> Holding:
    names = competition.id, competition.edition
    gap, manifest = find_gap(competition), read_manifest(competition)
    if gap:
        if is_begun(competition):
            return Holding(*names, "incomplete")
        stranger = find_stranger(competition, manifest) if manifest else None
        return Holding(*names, "not prepared", reason=stranger)
    if manifest is None:
        return Holding(*names, "prepared", "original" if has_real_data(competition) else None)
    return Holding(*names, "prepared", manifest.source, manifest.layout, manifest.created_at)


def places(competition: Competition, part: str) -> list[Path]:
    """The files and folders that belong to one of the `USES`, as far as they are there."""
    data = competition.data_dir
    if part == "prepared":
        found = [competition.prepared_dir]
    elif part == "raw":
        found = [competition.raw_dir]
    elif part == "zip":
        found = [*zips_in(data), data / DOWNLOAD_NOTE]
    elif part == SET_ASIDE:
        found = [*data.glob(f"{SET_ASIDE_PREFIX}*")]
    else:
        names = [*data.iterdir()] if data.is_dir() else []
        found = [
            path
            for path in names
            if path.name.startswith(STAGING_PREFIX) or path.name.endswith(PARTIAL_SUFFIXES)
        ]
    return sorted(path for path in found if os.path.lexists(path))  # also links to nowhere


def disk_uses(editions: Sequence[Competition]) -> dict[str, int]:
    """The bytes that each of the `USES` of a competition takes in all its editions, and in all.

    Raises:
        OSError: Something must not be looked at.
    """
    seen: set[tuple[int, int]] = set()
    first, *others = editions
    own = {part: disk_use(places(first, part), seen) for part in USES}
    own["prepared"] += sum(disk_use(places(other, "prepared"), seen) for other in others)
    return own | {"total": sum(own.values())}


def has_files_below(folder: Path) -> bool:
    """Whether there is more than folders in a folder, or something that must not be seen."""

    def fail(error: OSError) -> None:
        raise error

    try:
        return any(names for _, _, names in os.walk(folder, onerror=fail))
    except OSError:
        return True


def disk_use(paths: Collection[Path], seen: set[tuple[int, int]]) -> int:
    """The bytes that files take on the disk, without those that were seen before.

    Links to one file count once, for whoever asks first.
    """
    total = 0
    for status in (status for path in paths for status in _statuses(path)):
        place = status.st_dev, status.st_ino
        if place not in seen:
            seen.add(place)
            total += status.st_blocks * 512
    return total


def _statuses(path: Path) -> Iterator[os.stat_result]:
    with suppress(FileNotFoundError):  # whatever others remove meanwhile
        yield path.lstat()
    with suppress(FileNotFoundError, NotADirectoryError), _entries(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _statuses(Path(entry.path))
            else:
                with suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False)


def _entries(path: Path) -> AbstractContextManager[Iterable[os.DirEntry[str]]]:
    """What is in a folder; of links to folders and of files, nothing."""
    is_folder = path.is_dir() and not path.is_symlink()
    return os.scandir(path) if is_folder else nullcontext(())


def remove_parts(
    competition: Competition,
    parts: Collection[str],
    on_removed: Callable[[Path], object] = lambda path: None,
) -> list[Path]:
    """Remove parts of a competition's data, and its folder if that is empty then.

    Returns what was there.

    Args:
        competition: The competition.
        parts: Some of the `PARTS`.
        on_removed: Is told what is gone, also if something else cannot be removed.

    Raises:
        BusyError: Somebody is preparing them, downloading what would be removed, or running
            agents on what is prepared.
        DataSourceError: Something cannot be removed.
    """
    if not competition.data_dir.is_dir():
        return []
    with _not_in_use(competition, parts):
        found = [path for part in PARTS if part in parts for path in places(competition, part)]
        for path in found:
            try:
                if path == competition.prepared_dir:
                    _remove_prepared(competition)
                elif os.path.lexists(path):  # or it was in the way of the one before
                    _remove_or_empty(path)
            except OSError as error:
                raise DataSourceError(
                    f"{error.filename or path} cannot be removed: {error}"
                ) from error
            on_removed(path)
    _remove_if_empty(competition.data_dir)
    return found


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError as error:  # something is left in it, or it is a mount or a link
        logger.debug("%s stays: %s", folder, error)


@contextmanager
def _not_in_use(competition: Competition, parts: Collection[str]) -> Iterator[None]:
    locks = {"prepared": competition.data_dir / LOCK_FILE}
    if "unfinished" in parts:  # programs may download without preparing
        locks["downloaded"] = lock_of(zip_place(competition))
    with written_folder(competition.data_dir, "--data-dir"), ExitStack() as held:
        if "prepared" in parts:
            try:
                held.enter_context(used_by_nobody(competition.data_dir))
            except BusyError as error:
                raise BusyError(
                    f"{competition.id} is used by runs just now. `mlebench runs list` shows them: "
                    "end them with `mlebench runs stop`, or try again later."
                ) from error
        for what, lock in locks.items():
            try:
                held.enter_context(exclusive(lock, timeout=0))
            except BusyError as error:
                raise BusyError(
                    f"{competition.id} is being {what} just now. Interrupt that, or try again "
                    "later."
                ) from error
            except OSError as error:
                if error.errno not in NO_ROOM:
                    raise
                logger.warning("There is no room for a lock, so nobody is kept out: %s", error)
        yield


def _remove_prepared(competition: Competition) -> None:
    """Remove prepared data in such a way that half of them never count as data."""
    aside = competition.data_dir / f"{STAGING_PREFIX}removed"
    if aside.exists():
        remove(aside)
    try:
        folders = (competition.prepared_dir, competition.public_dir, competition.private_dir)
        if any(path.is_symlink() or path.is_mount() for path in folders):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        competition.prepared_dir.rename(aside)
    except OSError:  # a mount or a link, which is emptied: first what nothing counts without
        for path in (competition.private_dir, competition.public_dir):
            for entry in _listed(path):
                remove(entry)
        for entry in _listed(competition.prepared_dir):
            if entry.is_file():
                entry.unlink()
        if not competition.prepared_dir.is_dir():  # a file, or a link to nowhere
            competition.prepared_dir.unlink()
        return
    remove(aside)


def _remove_or_empty(path: Path) -> None:
    """Remove a file or folder; of a mount, what is in it, and of a link to a folder the link."""
    if path.is_symlink() and path.is_dir():
        logger.warning("%s was a link; what it leads to is still there: %s", path, path.resolve())
    if path.is_dir() and path.is_mount():
        for entry in _listed(path):
            remove(entry)
    else:
        remove(path)


def _listed(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
