"""Putting finished data in place: at every moment the old ones or the new ones are whole.

Where there is nothing yet, one rename does it. Folders that exist are filled rather than
replaced: other programs make ``public`` and ``private`` first, show them to a room, and
prepare afterwards. That takes four steps:

1. The new content moves into each folder under a hidden name. The old data still count.
2. A marker is written beside the folders: the manifest of the new data. From here on there is
   no way back, and none is needed, since all that is new is in these folders.
3. In each folder the old content moves aside, under another hidden name, and the new one up.
4. The marker becomes the manifest. What was moved aside goes.

Whoever is killed leaves old data that count, or a marker; and whoever meets the marker and
no living process beside it takes the remaining steps, be it to prepare or to grade.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
from pathlib import Path

from mlebench.data.durable import flush, flush_tree, write_durably
from mlebench.data.layout import LOCK_FILE, MANIFEST_FILE, PARTS, PUBLISHING_FILE
from mlebench.data.locks import exclusive
from mlebench.errors import BusyError

INCOMING = ".mlebench-incoming"
"""New content, before the old one has moved aside."""
ARRIVING = ".mlebench-arriving"
"""New content, since then."""
OUTGOING = ".mlebench-outgoing"
HIDDEN = (INCOMING, ARRIVING, OUTGOING)

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
    """
    if final.exists() or not _rename_whole(stage, final):
        for part in PARTS:
            _bring_in(stage / part, final / part)
        write_durably(final / PUBLISHING_FILE, (stage / MANIFEST_FILE).read_bytes())
        finish(final)


def finish(final: Path) -> None:
    """Take the steps that are left once there is a marker; the caller holds the lock."""
    for part in PARTS:
        _switch(final / part)
    os.replace(final / PUBLISHING_FILE, final / MANIFEST_FILE)
    flush(final)
    tidy(final)


def recover(final: Path) -> bool:
    """Finish what a process that is gone has left; False if it lives, or this may not be done."""
    try:
        with exclusive(final.parent / LOCK_FILE, timeout=0):
            if (final / PUBLISHING_FILE).exists():
                finish(final)
    except (BusyError, OSError) as error:
        logger.debug("%s cannot be finished here: %s", final, error)
        return False
    return True


def tidy(final: Path) -> None:
    """Remove hidden folders that nobody will need; the caller holds the lock."""
    for part in PARTS:
        for name in HIDDEN:
            if (final / part / name).is_dir():
                remove(final / part / name)


def _rename_whole(stage: Path, final: Path) -> bool:
    try:
        stage.rename(final)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            return False  # somebody made the folder just now
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
    try:
        new.rename(incoming)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_all(new, incoming)
        flush_tree(incoming)
        used = new.with_name(f"{new.name}.copied")
        new.rename(used)  # at once, lest half of it be taken for the new content
        remove(used)
    flush(folder)


def _switch(folder: Path) -> None:
    """Move the old content aside and the new one up."""
    incoming, arriving, outgoing = (folder / name for name in HIDDEN)
    if incoming.exists():
        outgoing.mkdir(exist_ok=True)
        for old in sorted(folder.iterdir()):
            if old.name not in HIDDEN:
                old.rename(outgoing / old.name)
        incoming.rename(arriving)
    if arriving.exists():
        for new in sorted(arriving.iterdir()):
            new.rename(folder / new.name)
        arriving.rmdir()
    flush(folder)


def _copy_all(new: Path, incoming: Path) -> None:
    """Copy the new content, or leave nothing of it."""
    try:
        _copy(new, incoming)
    except BaseException as error:
        if incoming.exists():
            remove(incoming)
        if isinstance(error, shutil.Error):  # a list of all files that could not be copied
            _, place, reason = error.args[0][0]
            is_full = os.strerror(errno.ENOSPC) in str(reason)
            raise OSError(errno.ENOSPC if is_full else errno.EIO, str(reason), place) from error
        raise


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
