"""The record of a run group: what happened, in order, so that no change to it goes unnoticed.

A line is a JSON object that holds the digest of the line before it and, last, its own. Whoever
changes, removes or adds a line in the middle breaks the chain; whoever cuts the end off loses the
head that reports and metadata name. A chain does not keep the owner of the machine from writing
all of it anew: publish the head, and even that shows.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from mlebench.errors import LedgerError
from mlebench.regular import open_regular

FILE_NAME = "ledger.jsonl"
BEGINNING = "0" * 64
LARGEST_LINE = 1 << 26

Kind = Literal["group", "started", "validation", "snapshot", "ended", "graded", "retried"]


@dataclass(frozen=True)
class Entry:
    """One line: what happened to which run, and when."""

    number: int
    time: str
    kind: str
    run: str | None
    facts: dict[str, Any]
    previous: str
    digest: str

    def to_line(self) -> bytes:
        """The line as it stands in the file."""
        return json.dumps(self._content() | {"digest": self.digest}).encode() + b"\n"

    def _content(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "time": self.time,
            "kind": self.kind,
            "run": self.run,
            "facts": self.facts,
            "previous": self.previous,
        }

    def own_digest(self) -> str:
        """What `digest` has to be."""
        content = json.dumps(self._content(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()


class Ledger:
    """The record of one run group, open for whoever holds the group's lock."""

    def __init__(self, path: Path) -> None:
        """Read what is there; half a line of somebody who was killed is taken away.

        Raises:
            LedgerError: The record does not hold together.
        """
        self._path = path
        self._lock = threading.Lock()
        self._entries = 0
        self._head = BEGINNING
        self._last: dict[tuple[str, str | None], Entry] = {}
        end = 0
        for entry, place in read_entries(path, complete_only=True):
            self._note(entry)
            end = place
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.ftruncate(self._handle, end)
        os.lseek(self._handle, end, os.SEEK_SET)

    @property
    def head(self) -> str:
        """The digest of the last line, which stands for all of them."""
        return self._head

    def last(self, kind: Kind, run: str) -> Entry | None:
        """The last line of a kind on a run, if there is one."""
        return self._last.get((kind, run))

    def add(self, kind: Kind, run: str | None = None, **facts: Any) -> Entry:
        """Write a line, durably; a run is graded only once.

        Raises:
            LedgerError: The run has been graded before, or the line cannot be written.
        """
        with self._lock:
            if kind == "graded" and (kind, run) in self._last:
                raise LedgerError(f"{run} has been graded before; its record stays as it is.")
            time = datetime.now(UTC).isoformat()
            bare = Entry(self._entries, time, kind, run, facts, self._head, "")
            entry = replace(bare, digest=bare.own_digest())
            self._write(entry.to_line())
            self._note(entry)
            return entry

    def _write(self, line: bytes) -> None:
        start = os.lseek(self._handle, 0, os.SEEK_CUR)
        try:
            written = 0
            while written < len(line):
                written += os.write(self._handle, line[written:])
            os.fsync(self._handle)
        except OSError as error:
            os.ftruncate(self._handle, start)  # or the next line would stand behind half of one
            os.lseek(self._handle, start, os.SEEK_SET)
            raise LedgerError(
                f"{self._path} cannot be written ({error.strerror}); nothing goes on without it."
            ) from error

    def _note(self, entry: Entry) -> None:
        self._last[entry.kind, entry.run] = entry
        self._entries += 1
        self._head = entry.digest

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._handle)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_entries(path: Path, *, complete_only: bool = False) -> Iterator[tuple[Entry, int]]:
    """The lines of a record, each with the place where it ends.

    Args:
        path: The file; if there is none, there are no lines.
        complete_only: Leave out a last line without an end, which somebody was killed over.

    Raises:
        LedgerError: A line is not what was written, or not where it was.
    """
    if not path.exists():
        return
    place, number, previous = 0, 0, BEGINNING
    with _opened(path) as file:
        while line := file.readline(LARGEST_LINE):
            if not line.endswith(b"\n") and complete_only and len(line) < LARGEST_LINE:
                return
            entry = _parse(path, number, line)
            if (entry.number, entry.previous) != (number, previous):
                raise _broken(path, number, "does not follow the one before it")
            if entry.digest != entry.own_digest():
                raise _broken(path, number, "was changed after it was written")
            place += len(line)
            number, previous = number + 1, entry.digest
            yield entry, place


def digest_of(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: Path) -> BinaryIO:
    try:
        return open_regular(path)
    except OSError as error:
        raise LedgerError(
            f"{path} cannot be read: {error.strerror}. Results of this group prove nothing."
        ) from error


def _parse(path: Path, number: int, line: bytes) -> Entry:
    try:
        entry = Entry(**json.loads(line))
    except (ValueError, TypeError, RecursionError) as error:
        raise _broken(path, number, "is no line of a ledger") from error
    if entry.to_line() != line:
        raise _broken(path, number, "was changed after it was written")
    return entry


def _broken(path: Path, number: int, what: str) -> LedgerError:
    return LedgerError(f"{path}: line {number + 1} {what}. Results of this group prove nothing.")
