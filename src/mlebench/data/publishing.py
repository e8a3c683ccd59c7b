"""Putting finished data in place: at every moment the old ones or the new ones are whole.

Where there is nothing yet, one rename does it. Folders that exist are filled rather than
replaced: other programs make ``public`` and ``private`` first, show them to a room, and
prepare afterwards. That takes four steps:

1. The new content moves into each folder under a hidden name. The old data still count. Files
   among them that are not ours move away.
2. A marker is written beside the folders: the manifest of the new data. From here on there is
   no way back, and none is needed, since all that is new is in these folders.
3. In each folder the old content moves aside, under another hidden name, and the new one up.
4. The marker becomes the manifest. What was moved aside goes.

Whoever is killed leaves old data that count, or a marker; and whoever meets the marker and
no living process beside it takes the remaining steps, be it to prepare or to grade. Where one
of them cannot be taken, those before it are taken back, and the old data count again.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mlebench.data.durable import flush, write_durably
from mlebench.data.layout import (
    ARRIVING,
    HIDDEN,
    INCOMING,
    LOCK_FILE,
    MANIFEST_FILE,
    OUTGOING,
    PARTS,
    PUBLISHING_FILE,
)
from mlebench.data.locks import exclusive
from mlebench.data.moving import give_rights, mounts_in, move, remove
from mlebench.data.set_aside import set_aside, told_by
from mlebench.errors import BusyError, UnwritableFolderError

IN_THE_WAY = {
    errno.EACCES: "you have no right to move it",
    errno.EPERM: "you have no right to move it",
    errno.EROFS: "its disk is read-only",
    errno.EBUSY: "it is mounted or in use",
}

logger = logging.getLogger(__name__)


def is_publishable(stage: Path, final: Path) -> bool:
    """Whether all that is to be published is there, some of it perhaps brought in already."""
    return all(
        (stage / part).exists()
        or any((final / part / name).exists() for name in (INCOMING, ARRIVING))
        for part in PARTS
    )


def publish(stage: Path, final: Path) -> None:
    """Make ``final`` hold what ``stage`` holds: the two parts and the manifest.

    Killed and called again, it goes on where it was; the caller holds the lock.

    Raises:
        UnwritableFolderError: Something is in the way; the old data count as before.
    """
    if final.exists() or not _rename_whole(stage, final):
        final.mkdir(exist_ok=True)
        for part in PARTS:
            _bring_in(stage / part, final / part)
        if not (final / PUBLISHING_FILE).exists():
            _tidy(final, (ARRIVING, OUTGOING))  # of somebody who was killed when all was done
        _make_way(final)
        write_durably(final / PUBLISHING_FILE, (stage / MANIFEST_FILE).read_bytes())
        _take_steps(final)


def finish(final: Path) -> None:
    """Take the steps that are left once there is a marker; the caller holds the lock.

    Raises:
        UnwritableFolderError: One of them cannot be taken; the old data count again.
    """
    if told_by(final / PUBLISHING_FILE) is None:  # nobody's: ours are whole or not there
        _forget(final)
        return
    with _taken_back_on_errors(final):
        set_aside(final)  # what came since there is a marker
    _take_steps(final)


def _take_steps(final: Path) -> None:
    with _taken_back_on_errors(final):
        for part in PARTS:
            _switch(final / part)
        os.replace(final / PUBLISHING_FILE, final / MANIFEST_FILE)
    flush(final)
    tidy(final)


@contextmanager
def _taken_back_on_errors(final: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _take_back(final)
        raise _told(error) from error


def recover(final: Path) -> bool:
    """Finish what a process that is gone has left; False if it lives, or this may not be done."""
    try:
        with exclusive(final.parent / LOCK_FILE, timeout=0):
            if (final / PUBLISHING_FILE).exists():
                finish(final)
    except (BusyError, OSError, UnwritableFolderError) as error:
        logger.debug("%s cannot be finished here: %s", final, error)
        return not (final / PUBLISHING_FILE).exists()
    return True


def tidy(final: Path) -> None:
    """Remove hidden folders that nobody will need; the caller holds the lock."""
    _tidy(final, HIDDEN)


def abandon(final: Path) -> None:
    """Remove what was brought in for nothing; the caller holds the lock.

    Once there is a marker, it is for whoever finishes that.
    """
    if not (final / PUBLISHING_FILE).exists():
        tidy(final)


def take_back(stage: Path, final: Path) -> None:
    """Move what was brought in back to the stage it came from, where agents do not see it.

    The caller holds the lock. Once there is a marker, it is for whoever finishes that; what is on
    another disk stays, to be removed.
    """
    if (final / PUBLISHING_FILE).exists():
        return
    for part in PARTS:
        if (final / part / INCOMING).is_dir() and not (stage / part).exists():
            with suppress(OSError):
                (final / part / INCOMING).rename(stage / part)


def has_leftovers(final: Path) -> bool:
    """Whether hidden folders lie among the data, where agents see them."""
    return any((final / part / name).exists() for part in PARTS for name in HIDDEN)


def _tidy(final: Path, names: Iterable[str]) -> None:
    for path in (final / part / name for part in PARTS for name in names):
        if path.is_dir():
            try:
                remove(path)
            except OSError as error:  # the data are whole all the same
                logger.warning("%s is of no use any more, but cannot be removed: %s", path, error)


def _rename_whole(stage: Path, final: Path) -> bool:
    try:
        stage.rename(final)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.EXDEV):
            return False  # somebody made the folder just now, or works on another disk
        raise
    flush(final.parent)
    return True


def _bring_in(new: Path, folder: Path) -> None:
    """Have the new content in the folder under a hidden name."""
    folder.mkdir(exist_ok=True)
    incoming = folder / INCOMING
    if not new.exists():  # brought in by somebody who was killed afterwards
        return
    if incoming.exists():
        remove(incoming)
    move(new, incoming)
    flush(folder)


def _make_way(final: Path) -> None:
    """Move away what is not ours, and find out what cannot be, while there is a way back."""
    try:
        for part in PARTS:
            _require_movable(final / part)
        set_aside(final)
    except OSError as error:
        raise _told(error) from error


def _require_movable(folder: Path) -> None:
    if mounted := mounts_in(folder):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(mounted[0]))
    for old in sorted(folder.iterdir()):
        # Moving a folder changes what is in it: the name of the folder above.
        if old.is_dir() and not old.is_symlink() and not os.access(old, os.W_OK | os.X_OK):
            give_rights(old)


def _told(error: OSError) -> OSError | UnwritableFolderError:
    """The same error, with what to do about something that is in the way."""
    if error.errno not in IN_THE_WAY:
        return error
    return UnwritableFolderError(
        f"{error.filename} cannot make room for new data: {IN_THE_WAY[error.errno]}. Move or "
        "unmount it, or get the right to, and run the same command again. The data that were "
        "there are as they were."
    )


def _switch(folder: Path) -> None:
    """Move the old content aside and the new one up."""
    incoming, arriving, outgoing = (folder / name for name in HIDDEN)
    if incoming.exists():
        outgoing.mkdir(exist_ok=True)
        _move_all(folder, outgoing)
        incoming.rename(arriving)
    if arriving.exists():
        _move_all(arriving, folder)
        arriving.rmdir()
    flush(folder)


def _forget(final: Path) -> None:
    """Remove what is no marker; if new content is half in place beside it, take that back."""
    if any((final / part / name).exists() for part in PARTS for name in (INCOMING, ARRIVING)):
        _take_back(final)
    else:
        remove(final / PUBLISHING_FILE)


def _take_back(final: Path) -> None:
    """Undo what was done since there is a marker, and remove that."""
    for part in PARTS:
        _switch_back(final / part)
    remove(final / PUBLISHING_FILE)
    flush(final)


def _switch_back(folder: Path) -> None:
    """Undo `_switch`; killed in the middle, it leaves what `_switch` could have left."""
    incoming, arriving, outgoing = (folder / name for name in HIDDEN)
    if not outgoing.exists():  # nothing has moved
        return
    if not incoming.exists():
        arriving.mkdir(exist_ok=True)
        _move_all(folder, arriving)
        arriving.rename(incoming)
    _move_all(outgoing, folder)
    outgoing.rmdir()
    flush(folder)


def _move_all(folder: Path, target: Path) -> None:
    """Move what is in one folder into another one, but for our hidden folders."""
    for entry in sorted(folder.iterdir()):
        if entry.name not in HIDDEN:
            entry.rename(target / entry.name)
