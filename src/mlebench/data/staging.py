"""A folder to work in, beside the place where the result goes, that outlives being killed.

Only the holder of the lock works there. What each stage of a preparation has made is on
record, so that whoever comes next goes on after the last stage that was finished.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from mlebench.data.durable import flush_tree, write_durably
from mlebench.data.layout import LOCK_FILE, STAGING_PREFIX
from mlebench.data.locks import exclusive
from mlebench.processes.isolation import remove_folder

RECORD_FILE = "stages.json"

logger = logging.getLogger(__name__)


class Record(msgspec.Struct):
    """What has been done so far, and for what."""

    identity: dict[str, Any]
    """All that the result depends on: of something else, nothing here is of use."""
    done: dict[str, Any] = {}
    """What each finished stage found out, by the name of the stage."""


@contextmanager
def sole_use(folder: Path, timeout: float | None = None) -> Iterator[None]:
    """Be the only process that prepares data in this folder.

    Raises:
        BusyError: Another process did not finish in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive(folder / LOCK_FILE, timeout):
        yield


class Staging:
    """The work on one edition of a competition's data."""

    def __init__(self, data_dir: Path, edition: str, *, lasting: bool = True) -> None:
        """Name the folder; nothing is made yet.

        Args:
            data_dir: The competition's own folder of data.
            edition: What is to be prepared.
            lasting: Whether the work is worth going on with. Made-up data are not.
        """
        self.folder = data_dir / f"{STAGING_PREFIX}{edition}"
        self._is_lasting = lasting
        self._record = Record({})

    def open(self, identity: dict[str, Any]) -> bool:
        """Go on with what was begun for the very same result; False if this is the beginning."""
        known = self._read()
        if known is not None and known.identity == identity and self._is_lasting:
            if known.done:
                logger.info("Going on where an interrupted preparation stopped.")
            self._record = known
            return True
        self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)  # a mount can be emptied only
        self._record = Record(identity)
        self._write()
        return False

    @property
    def is_on_record(self) -> bool:
        """Whether there is work to go on with."""
        return self._read() is not None

    def found(self, stage: str) -> Any:
        """What a stage found out, whoever finished it; None if nobody has."""
        known = self._read() if self._is_lasting else self._record
        return known.done.get(stage) if known else None

    def do(self, stage: str, work: Callable[[Path], Any]) -> Any:
        """What a stage finds out, from the record if it has been done.

        Args:
            stage: Its name, which is also that of the folder it fills.
            work: Gets the path of that folder, which does not exist yet; returns what fits
                into JSON.
        """
        if stage in self._record.done:
            return self._record.done[stage]
        place = self.folder / stage
        remove_folder(place)  # half of it, left by somebody who was killed
        found = work(place)
        if self._is_lasting and place.exists():
            flush_tree(place)
        self._record.done[stage] = found
        self._write()
        return found

    def remove(self) -> None:
        """Throw all work away."""
        (self.folder / RECORD_FILE).unlink(missing_ok=True)  # first, lest half of it be trusted
        remove_folder(self.folder)
        if self.folder.exists():
            logger.warning("%s, left by an interrupted run, cannot be removed.", self.folder)

    def _read(self) -> Record | None:
        path = self.folder / RECORD_FILE
        try:
            told = json.loads(path.read_bytes()) if path.is_file() else None
            return msgspec.convert(told, Record | None)
        except (OSError, ValueError, RecursionError, msgspec.ValidationError):
            return None  # it was not finished, or is damaged

    def _write(self) -> None:
        if self._is_lasting:
            # Not msgspec's, which knows no paths that are not UTF-8.
            told = json.dumps(msgspec.structs.asdict(self._record))
            write_durably(self.folder / RECORD_FILE, told.encode())
