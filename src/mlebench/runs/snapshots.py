"""Copies of a submission as it changes, so that one run gives the curve of score against time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlebench.sandbox.collecting import copy_submission_safely
from mlebench.sandbox.layout import SUBMISSION_FILE
from mlebench.stamps import Stamp, stamp_of
from mlebench.writing import unfinished

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
MOST_SNAPSHOTS = 1000
MOST_BYTES = 20 * 10**9
LARGEST = 10**9
"""Bytes of a single copy."""


@dataclass(frozen=True)
class Snapshot:
    """What the submission was at some moment of a run.

    Attributes:
        name: Of the copy.
        seconds: Since the agent started.
        sha256: Of its content.
        size: In bytes.
    """

    name: str
    seconds: float
    sha256: str
    size: int


class Snapshots:
    """Watches a submission and keeps each state of it that holds for a moment."""

    def __init__(self, source: Path, target: Path, most_bytes: int = LARGEST) -> None:
        self.taken: list[Snapshot] = []
        self._source = source
        self._target = target
        self._most_bytes = most_bytes
        self._seen: Stamp | None = None
        self._total = 0
        self._started = time.monotonic()

    def look(self) -> None:
        """Keep the submission if it has changed since the last time."""
        try:
            status = (self._source / SUBMISSION_FILE).lstat()
        except OSError:
            return  # there is none
        stamp = stamp_of(status)
        if stamp == self._seen:
            return
        if len(self.taken) >= MOST_SNAPSHOTS:
            logger.debug("No more snapshots are kept of %s", self._source)
            return
        if self._keep():
            self._seen = stamp  # else no file, too long, or still being written: next time

    def _keep(self) -> bool:
        """Copy the submission, unless it is what the last copy holds; whether it could be read."""
        seconds = round(time.monotonic() - self._started, 1)
        name = f"{len(self.taken):04d}_{seconds:.1f}s.csv"
        self._target.mkdir(exist_ok=True)
        most_bytes = min(self._most_bytes, MOST_BYTES - self._total)
        with unfinished(self._target / name) as partial:
            with partial.open("xb") as copy:
                digest = copy_submission_safely(self._source, copy, most_bytes)
                size = copy.tell()
            if digest is None:
                return False
            if self.taken and self.taken[-1].sha256 == digest:
                return True
            partial.rename(self._target / name)
        self.taken.append(Snapshot(name, seconds, digest, size))
        self._total += size
        return True


@contextmanager
def watched(source: Path, target: Path) -> Iterator[Snapshots]:
    """Take snapshots of the submission in a folder while something else happens."""
    snapshots, done = Snapshots(source, target), threading.Event()

    def watch() -> None:
        while not done.wait(LOOK_SECONDS):
            try:
                snapshots.look()
            except OSError as error:  # a full disk; the run itself goes on
                logger.warning("No snapshot could be taken: %s", error)

    thread = threading.Thread(target=watch, name="snapshots", daemon=True)
    thread.start()
    try:
        yield snapshots
    finally:
        done.set()
        thread.join()
