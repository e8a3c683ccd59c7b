"""How far preparations in other processes are: each keeps a small note in a shared folder."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

NOTE_SUFFIX = ".note"
SECONDS_BETWEEN = 0.2


class Observer(Protocol):
    """Is told how far each of several preparations is."""

    def stage(self, competition_id: str, name: str) -> None:
        """One of the stages of a competition begins."""

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        """So many bytes of that stage are done, of so many in all if that is known."""

    def end(self, competition_id: str) -> None:
        """A competition's preparation is over, well or not."""


class Note(msgspec.Struct, frozen=True):
    """How far a preparation is."""

    stage: str
    done: int = 0
    total: int | None = None


NOTHING = Note("")


class NotingWatcher:
    """Notes how far a preparation is, for whoever looks."""

    def __init__(self, folder: Path, competition_id: str) -> None:
        self._path = folder / f"{competition_id}{NOTE_SUFFIX}"
        self._stage = ""
        self._last = 0.0

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._stage = name
        self._write(Note(name))

    def advance(self, done: int, total: int | None) -> None:
        """So many bytes are done; not every one of these calls is noted."""
        if done == total or time.monotonic() - self._last > SECONDS_BETWEEN:
            self._write(Note(self._stage, done, total))

    def _write(self, note: Note) -> None:
        self._last = time.monotonic()
        partial = self._path.with_suffix(".partial")
        # A full disk is told by what cannot do without it.
        with contextlib.suppress(OSError):
            partial.write_bytes(msgspec.json.encode(note))
            os.replace(partial, self._path)


@contextlib.contextmanager
def read_notes_into(observer: Observer, folder: Path) -> Iterator[Notes]:
    """Tell an observer what preparations note, until the end."""
    notes, over = Notes(observer, folder), threading.Event()

    def watch() -> None:
        while not over.wait(SECONDS_BETWEEN):
            notes.look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield notes
    finally:
        over.set()
        watcher.join()


class Notes:
    """What preparations have noted, each note told once."""

    def __init__(self, observer: Observer, folder: Path) -> None:
        self._observer = observer
        self._folder = folder
        self._seen: dict[str, Note | None] = {}
        self._looking = threading.Lock()

    def look(self) -> None:
        """Tell what is new."""
        with self._looking:
            for path in sorted(self._folder.glob(f"*{NOTE_SUFFIX}")):
                with contextlib.suppress(OSError):  # gone meanwhile
                    note = msgspec.json.decode(path.read_bytes(), type=Note)
                    self._tell(path.name.removesuffix(NOTE_SUFFIX), note)

    def end(self, competition_id: str) -> None:
        """Tell that a preparation is over; nothing it has noted is told from now on."""
        self.look()
        with self._looking:
            self._seen[competition_id] = None
            self._observer.end(competition_id)

    def _tell(self, competition_id: str, note: Note) -> None:
        before = self._seen.get(competition_id, NOTHING)
        if before is None or note == before:
            return
        self._seen[competition_id] = note
        if before.stage != note.stage:
            self._observer.stage(competition_id, note.stage)
        if note.done:
            self._observer.advance(competition_id, note.done, note.total)
