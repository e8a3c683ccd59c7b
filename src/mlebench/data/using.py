"""Folders that somebody reads from: nobody removes them meanwhile, and all may read.

The folder itself is locked, so that nothing is left behind, and data that may only be read can be
used, too.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.data.locks import kept_from_children
from mlebench.errors import BusyError

logger = logging.getLogger(__name__)


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Keep others from removing what is in a folder.

    Raises:
        BusyError: Somebody is removing it.
    """
    with _locked(folder, is_shared=True):
        yield


@contextmanager
def used_by_nobody(folder: Path) -> Iterator[None]:
    """Make sure that nobody uses what is in a folder, and that nobody begins to.

    Raises:
        BusyError: Somebody does.
    """
    with _locked(folder, is_shared=False):
        yield


@contextmanager
def _locked(folder: Path, *, is_shared: bool) -> Iterator[None]:
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:  # whoever wants to read there is told
        logger.debug("%s cannot be locked: %s", folder, error)
        yield
        return
    with kept_from_children(handle):
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError as error:
            what = "being removed" if is_shared else "used by runs"
            raise BusyError(f"{folder} is {what} just now.") from error
        except OSError as error:  # a file system without such locks
            logger.debug("%s cannot be locked: %s", folder, error)
        yield
