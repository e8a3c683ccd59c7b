"""How far preparations in other processes are: each keeps a small note in a shared folder."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
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


class Stage(msgspec.Struct, frozen=True):
    """How far a preparation is, or was, in one of its stages."""

    name: str
    done: int = 0
    total: int | None = None


class NotingWatcher:
    """Notes how far a preparation is, for whoever looks.

    A note tells all stages until now, since one that took no time at all would be replaced before
    anybody looks, and so would the last count of one.
    """

    def __init__(
        self, folder: Path, competition_id: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = folder / f"{competition_id}{NOTE_SUFFIX}"
        self._clock = clock
        self._stages: list[Stage] = []
        self._last = 0.0

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._stages.append(Stage(name))
        self._write()

    def advance(self, done: int, total: int | None) -> None:
        """So many bytes are done; not every one of these calls is noted at once."""
        self._stages[-1] = Stage(self._stages[-1].name, done, total)
        if done == total or self._clock() - self._last > SECONDS_BETWEEN:
            self._write()

    def _write(self) -> None:
        self._last = self._clock()
        partial = self._path.with_suffix(".partial")
        # A full disk is told by what cannot do without it.
        with contextlib.suppress(OSError):
            partial.write_bytes(msgspec.json.encode(self._stages))
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
        self._seen: dict[str, list[Stage] | None] = {}
        self._looking = threading.Lock()

    def look(self) -> None:
        """Tell what is new."""
        with self._looking:
            for path in sorted(self._folder.glob(f"*{NOTE_SUFFIX}")):
                with contextlib.suppress(OSError):  # gone meanwhile
                    stages = msgspec.json.decode(path.read_bytes(), type=list[Stage])
                    self._tell(path.name.removesuffix(NOTE_SUFFIX), stages)

    def end(self, competition_id: str) -> None:
        """Tell that a preparation is over; nothing it has noted is told from now on."""
        self.look()
        with self._looking:
            self._seen[competition_id] = None
            self._observer.end(competition_id)

    def _tell(self, competition_id: str, stages: list[Stage]) -> None:
        before = self._seen.get(competition_id, [])
        if before is None:
            return
        if [stage.name for stage in stages[: len(before)]] != [stage.name for stage in before]:
            before = []  # a second try, after the first process was lost
        self._seen[competition_id] = stages
        for number, stage in enumerate(stages):
            if number >= len(before):
                self._observer.stage(competition_id, stage.name)
            if stage.done and stage not in before[number : number + 1]:
                self._observer.advance(competition_id, stage.done, stage.total)
