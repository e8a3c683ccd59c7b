"""Finished reports of a run that is not complete yet."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from mlebench.data.folders import FULL
from mlebench.data.locks import exclusive
from mlebench.errors import BusyError
from mlebench.grading.report import GRADED_STATUSES, NOT_A_REPORT, CompetitionReport
from mlebench.registry import Registry

logger = logging.getLogger(__name__)

MOST_JOURNALS = 1000
# No other name of a journal would fare better.
UNWRITABLE = FULL | {errno.EROFS, errno.EACCES}
FINAL_STATUSES = GRADED_STATUSES | {"invalid_submission"}


class Entry(NamedTuple):
    """A verdict, and the key of all it depends on."""

    key: str
    report: CompetitionReport


@dataclass
class Journal:
    """Reports finished so far, so that an interrupted run need not repeat them.

    Two runs of the same command at a time get a journal each; whatever killed runs have left
    is read by the next one.
    """

    paths: list[Path]
    file: IO[str]
    known: dict[int, Entry] = field(default_factory=dict)
    _locks: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def open(cls, output_dir: Path, submissions: Path, registry: Registry) -> Journal:
        """The journal of this submissions file under these conditions."""
        conditions = json.dumps(registry.settings(), sort_keys=True).encode()
        name = hashlib.sha256(submissions.read_bytes() + conditions).hexdigest()[:16]
        with ExitStack() as locks:
            paths = _free_journals(output_dir, f".grading-{name}", locks)
            known = {line: entry for path in reversed(paths) for line, entry in _read(path)}
            return cls(paths, _open_to_append(paths[0]), known, locks.pop_all())

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self._locks.close()

    def add(self, line: int, key: str | None, report: CompetitionReport) -> None:
        """Record a verdict, unless another try might end better.

        Raises:
            ValueError, TypeError: The report holds what no report can hold.
        """
        entry = {"line": line, "key": key, "report": report.to_dict()}
        text = json.dumps(entry, allow_nan=False)
        if key is None or report.status not in FINAL_STATUSES:
            return
        self.file.write(text + "\n")
        self.file.flush()

    def remove(self) -> None:
        """All is done and written; the journal is of no more use."""
        for path in self.paths:
            path.unlink(missing_ok=True)


def _free_journals(folder: Path, beginning: str, locks: ExitStack) -> list[Path]:
    """The first journal that no other run uses, and those that killed runs have left."""
    left = {path.name for path in folder.glob(f"{beginning}-*.jsonl")}
    found: list[Path] = []
    reason: Exception = BusyError(f"Too many runs are using {folder}.")
    for number in range(1, MOST_JOURNALS):
        path = folder / f"{beginning}-{number}.jsonl"
        left.discard(path.name)
        if not found or path.is_file():
            try:
                locks.enter_context(exclusive(path.with_suffix(".lock"), timeout=0))
                _open_to_append(path).close()
            except (BusyError, OSError) as error:  # somebody's, or no journal at all
                reason = error
                if isinstance(error, OSError) and error.errno in UNWRITABLE:
                    break
            else:
                found.append(path)
        if found and not left:
            return found
    if not found:
        raise reason
    return found


def _read(path: Path) -> Iterator[tuple[int, Entry]]:
    lines = path.read_bytes().split(b"\n") if path.is_file() else []
    for line in filter(None, lines):
        try:
            entry = json.loads(line)
            report = CompetitionReport.from_dict(entry["report"])
            yield int(entry["line"]), Entry(str(entry["key"]), report)
        except NOT_A_REPORT as error:
            # Whoever was killed while writing left half a line behind.
            logger.warning("%s: an unreadable entry is graded again (%s).", path, error)


def _open_to_append(path: Path) -> IO[str]:
    """Open a file of our own, not whatever a link of its name leads to or a pipe."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is no regular file.")
    file = os.fdopen(handle, "a", encoding="utf-8")
    if os.fstat(handle).st_size:
        file.write("\n")  # ends what a killed run may have left unfinished
    return file
