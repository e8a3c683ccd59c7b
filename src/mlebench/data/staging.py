"""A folder to work in, beside the place where the result goes.

Only the holder of the lock works there, so whatever such folders others left is of no use.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.data.locks import exclusive

LOCK_FILE = ".prepare.lock"
STAGING_PREFIX = ".staging-"

logger = logging.getLogger(__name__)


@contextmanager
def sole_use(folder: Path, timeout: float | None = None) -> Iterator[None]:
    """Be the only process that prepares data in this folder.

    Raises:
        BusyError: Another process did not finish in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive(folder / LOCK_FILE, timeout) as alone:
        if alone:
            _remove_leftovers(folder)
        yield


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A fresh folder inside this one; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder) as stage:
        yield Path(stage)


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left."""
    for stale in folder.glob(f"{STAGING_PREFIX}*"):
        try:
            shutil.rmtree(stale)
        except OSError as error:
            logger.warning("%s, left by an interrupted run, cannot be removed: %s", stale, error)
