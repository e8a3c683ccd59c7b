"""One process at a time: locks that end with whoever holds them.

A lock is a file locked by the operating system, so a killed process leaves the file behind
but never the lock.
"""

from __future__ import annotations

import errno
import logging
import math
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from mlebench.errors import BusyError, ConfigError

TIMEOUT_VARIABLE = "MLEBENCH_LOCK_TIMEOUT"
# Preparing the largest competitions takes hours, and whoever waits for it should get the result.
DEFAULT_TIMEOUT_SECONDS = 6 * 3600.0
POLL_SECONDS = 0.1
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}

logger = logging.getLogger(__name__)

_held: set[int] = set()


@contextmanager
def exclusive(path: Path, timeout: float | None = None) -> Iterator[bool]:
    """Hold the lock of this name; the file is gone afterwards.

    Args:
        path: The lock file, in a folder that exists, and is made again should it be removed
            while somebody waits.
        timeout: How many seconds to wait for another process; by default as the
            environment says.

    Yields:
        Whether the lock is held: False where the file system knows no locks.

    Raises:
        BusyError: Another process kept the lock for too long.
    """
    handle = _acquire(path, default_timeout() if timeout is None else timeout)
    if handle is None:
        yield False
        return
    _watch_forks()
    _held.add(handle)
    try:
        yield True
    finally:
        if handle in _held:  # not so in a forked child that comes along here
            # In this order: whoever opened the file before sees that it is no longer the one.
            try:
                path.unlink(missing_ok=True)
            except OSError as error:  # the lock is free all the same
                logger.warning("The lock %s cannot be removed: %s", path, error)
            finally:
                _held.discard(handle)
                os.close(handle)


def is_held(path: Path) -> bool | None:
    """Whether somebody holds the lock of this name, found without leaving a trace.

    None where there is no telling: the file system knows no locks, or the file must not be read.
    """
    import fcntl

    try:
        handle = _open_to_look(path)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    finally:
        os.close(handle)
    return False


def _open_to_look(path: Path) -> int:
    """The file of a lock or, where nobody has made it, the folder, which nobody locks."""
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return os.open(path.parent, os.O_RDONLY)


def default_timeout() -> float:
    """How many seconds to wait for a lock, as the environment says."""
    stated = os.environ.get(TIMEOUT_VARIABLE)
    try:
        seconds = float(stated) if stated else DEFAULT_TIMEOUT_SECONDS
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise ConfigError(f"{TIMEOUT_VARIABLE} must be seconds, not {stated!r}.")
    return seconds


def _acquire(path: Path, timeout: float) -> int | None:
    # At least a second try: somebody who only looks at the lock has it for a moment, too.
    deadline = time.monotonic() + max(timeout, POLL_SECONDS)
    is_waiting = False
    while True:
        handle = _open(path)
        try:
            if _lock(handle) and _is_at(path, handle):
                _sign(handle)
                return handle
            holder = os.pread(handle, 200, 0).decode(errors="replace") or "another process"
        except OSError as error:
            os.close(handle)
            if error.errno in NO_ROOM:
                path.unlink(missing_ok=True)  # or an empty file would be all that fits
            if error.errno not in NO_LOCKS:
                raise
            path.unlink(missing_ok=True)
            logger.warning("%s cannot be locked (%s); going on without.", path, error)
            return None
        os.close(handle)
        if time.monotonic() >= deadline:
            raise BusyError(_in_use(path.parent, holder, timeout))
        if timeout and not is_waiting:
            logger.info("Waiting for %s, which is using %s", holder, path.parent)
            is_waiting = True
        time.sleep(POLL_SECONDS)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o666)
    except FileNotFoundError:  # whoever had the lock has removed what was in the folder, and it
        path.parent.mkdir(exist_ok=True)
        return os.open(path, flags, 0o666)


def _in_use(folder: Path, holder: str, waited: float) -> str:
    if not waited:
        return f"{folder} is in use by {holder}."
    return (
        f"{folder} is in use by {holder}, which did not finish within {waited:g} seconds. Try "
        f"again later, or wait longer: {TIMEOUT_VARIABLE}=SECONDS."
    )


def _sign(handle: int) -> None:
    """Say who holds the lock; it is held even where a full disk has no room for that."""
    os.truncate(handle, 0)
    try:
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise


def _lock(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    """Whether the open file is still the one of this name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


@contextmanager
def kept_from_children(handle: int) -> Iterator[None]:
    """Close a handle afterwards, and in forked children at once, so that its lock is ours alone."""
    _watch_forks()
    _held.add(handle)
    try:
        yield
    finally:
        if handle in _held:  # not so in a forked child that comes along here
            _held.discard(handle)
            os.close(handle)


def _close_in_child() -> None:
    """Forked children must not keep the lock of a parent that dies."""
    for handle in _held:
        os.close(handle)
    _held.clear()


@cache
def _watch_forks() -> None:
    os.register_at_fork(after_in_child=_close_in_child)
