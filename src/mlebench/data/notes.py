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
def read_notes_into(observer: Observer, folder: Path) -> Iterator[None]:
    """Tell an observer what preparations note, until the end."""
    over = threading.Event()
    seen: dict[str, Note] = {}

    def look() -> None:
        for path in sorted(folder.glob(f"*{NOTE_SUFFIX}")):
            with contextlib.suppress(OSError):  # gone meanwhile
                note = msgspec.json.decode(path.read_bytes(), type=Note)
                _tell(observer, path.name.removesuffix(NOTE_SUFFIX), seen, note)

    def watch() -> None:
        while not over.wait(SECONDS_BETWEEN):
            look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        look()


def _tell(observer: Observer, competition_id: str, seen: dict[str, Note], note: Note) -> None:
    before = seen.get(competition_id)
    if note == before:
        return
    seen[competition_id] = note
    if before is None or before.stage != note.stage:
        observer.stage(competition_id, note.stage)
    if note.done:
        observer.advance(competition_id, note.done, note.total)
