"""The watch over a room from outside: ends it once it has used more than it may.

It needs no powers and no control groups: what it sees is in the host's /proc. A look that takes
long is taken less often, so that watching costs a few percent of a processor at most. A room can
make looking at its files take long, so that is done beside the rest.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlebench.sandbox.room import GIGABYTE, Cause, RoomLimits
from mlebench.sandbox.usage import (
    bytes_on_disk,
    file_system,
    files_on_disk,
    hidden_files,
    memory_at_most,
    memory_of,
    processes_below,
    threads_of,
)

LOOK_SECONDS = 0.1
END_SECONDS = 5.0
"""How long a look may go on once nobody wants it any more, before it is left alone."""
SHARE_OF_TIME = 0.03
"""How much of the time a look may take; the pause after it is as long as that demands."""
# Processes and memory grow faster than disks fill.
LONGEST_PAUSE_SECONDS = {"processes": 1.0, "hidden files": 10.0, "disk": 60.0}
THREADS_PER_PROCESS = 32
"""How many threads a room may have for each process that it may have."""
# Where a disk is full, databases break and nobody can log in: a room ends before that.
LEAST_FREE_DISK = GIGABYTE // 2


@dataclass(frozen=True)
class Verdict:
    """Why a room has to be ended."""

    cause: Cause
    message: str


@dataclass(frozen=True)
class Watched:
    """What there is to see of a room from the host.

    Attributes:
        wait: Waits some seconds for the room's end; whether it came.
        folder: What the room writes on disk is below it.
        root: The process that all others of the room are below, if they can be seen.
        memory_folder: A folder of the room's in memory, as the host reaches it.
    """

    wait: Callable[[float], bool]
    folder: Path
    root: int | None = None
    memory_folder: Path | None = None


def watch(room: Watched, limits: RoomLimits, stop: threading.Event) -> Verdict | None:
    """Wait for a room's end; the verdict if it has to be ended, None if it has ended by itself."""
    return _Watch(room, limits, stop).wait()


class _Pace:
    """Says when it is time for a look again."""

    def __init__(self, what: str) -> None:
        self._longest = LONGEST_PAUSE_SECONDS[what]
        self._next = 0.0

    def take(self, look: Callable[[], Verdict | None]) -> Verdict | None:
        started = time.monotonic()
        if started < self._next:
            return None
        verdict = look()
        ended = time.monotonic()
        pause = min((ended - started) / SHARE_OF_TIME, self._longest)
        self._next = ended + pause - LOOK_SECONDS
        return verdict


class _Aside:
    """Looks that are taken in a thread of their own, so that no other one waits for them.

    Used as a context, at the end of which nobody looks any more.
    """

    def __init__(self, looks: list[tuple[_Pace, Callable[[], Verdict | None]]]) -> None:
        self.done = threading.Event()
        self._looks = looks
        self._thread = threading.Thread(target=self._take_all, daemon=True)
        self._verdict: Verdict | None = None
        self._error: BaseException | None = None

    def __enter__(self) -> _Aside:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self._thread.join(END_SECONDS)

    def verdict(self) -> Verdict | None:
        """The first verdict, if there has been one."""
        if self._error:
            raise self._error
        return self._verdict

    def _take_all(self) -> None:
        try:
            while not self.done.wait(LOOK_SECONDS):
                for pace, look in self._looks:
                    if verdict := pace.take(look):
                        self._verdict = verdict
                        return
        except BaseException as error:  # whoever waits for the verdict raises it
            self._error = error


class _Watch:
    def __init__(self, room: Watched, limits: RoomLimits, stop: threading.Event) -> None:
        self._room = room
        self._limits = limits
        self._stop = stop
        self._deadline = time.monotonic() + limits.seconds
        self._free_before = _free(room.folder)
        self._files_before = _free_files(room.folder)
        self._disk = room.folder.stat().st_dev
        self._written = 0
        self._hidden_on_disk = 0
        self._hidden_in_memory = 0
        self._at_processes = _Pace("processes")
        looks = [(_Pace("disk"), self._look_at_disk)]
        if room.root is not None:
            looks.append((_Pace("hidden files"), self._look_at_hidden_files))
        self._aside = _Aside(looks)

    def wait(self) -> Verdict | None:
        self._look_at_disk()  # there is little yet, and what there is has to be known
        with self._aside:
            while not self._room.wait(min(LOOK_SECONDS, max(0, self._deadline - time.monotonic()))):
                if verdict := self._verdict():
                    # It may have ended while we looked; then that is how it ended.
                    return None if self._room.wait(0) else verdict
        return None

    def _verdict(self) -> Verdict | None:
        if self._stop.is_set():
            return Verdict("stopped", "The run was stopped.")
        if time.monotonic() >= self._deadline:
            limit = f"{self._limits.seconds:g} s"
            return Verdict("time_limit", f"The time limit of {limit} was reached.")
        return (
            self._at_processes.take(self._look_at_processes)
            or self._aside.verdict()
            or self._look_at_free_space()
        )

    def _processes(self) -> list[int]:
        root = self._room.root
        return [] if root is None else processes_below(root, self._limits.processes)

    def _look_at_processes(self) -> Verdict | None:
        if self._room.root is None:
            return None
        processes = self._processes()
        if len(processes) > self._limits.processes:
            return Verdict(
                "too_many_processes", f"It had more than {self._limits.processes} processes."
            )
        most_threads = THREADS_PER_PROCESS * self._limits.processes
        if threads_of(processes) > most_threads:
            return Verdict("too_many_processes", f"It had more than {most_threads} threads.")
        if self._limits.memory is None:
            return None
        in_files = self._hidden_in_memory
        if self._room.memory_folder and (shared := file_system(self._room.memory_folder)):
            in_files += shared.used
        # Exactly only if need be: what many processes share is counted for each at first.
        for measure in (memory_at_most, memory_of):
            used = measure(processes).together_with(in_files)
            if used <= self._limits.memory:
                return None
        return Verdict(
            "out_of_memory",
            f"It used {used / GIGABYTE:.2f} GB of memory and was given "
            f"{self._limits.memory / GIGABYTE:.2f} GB.",
        )

    def _look_at_hidden_files(self) -> Verdict | None:
        place = self._room.memory_folder
        shared = file_system(place) if place else None
        found = hidden_files(self._processes(), self._disk, shared.device if shared else None)
        self._hidden_in_memory, self._hidden_on_disk = found.memory, found.disk
        return self._judge_disk()

    def _look_at_disk(self) -> Verdict | None:
        self._written = bytes_on_disk(self._room.folder, self._aside.done)
        return self._judge_disk()

    def _judge_disk(self) -> Verdict | None:
        used = self._written + self._hidden_on_disk
        if self._limits.disk is None or used <= self._limits.disk:
            return None
        return Verdict(
            "disk_full",
            f"It wrote {used / GIGABYTE:.2f} GB and was given {self._limits.disk / GIGABYTE:.2f}.",
        )

    def _look_at_free_space(self) -> Verdict | None:
        free = _free(self._room.folder)
        if free >= LEAST_FREE_DISK:
            return None
        if _free_files(self._room.folder):
            gone = self._free_before - free
            # The last look may be long ago.
            own = bytes_on_disk(self._room.folder) + self._hidden_on_disk
        else:
            gone, own = self._files_before, files_on_disk(self._room.folder)
        return Verdict(
            "disk_full" if own > gone / 2 else "infrastructure",
            f"Only {free / GIGABYTE:.2f} GB were left on the disk of {self._room.folder}.",
        )


def _free(folder: Path) -> float:
    """Bytes that can still be written; none if there is no place for another file's name."""
    try:
        found = os.statvfs(folder)
    except OSError:  # it is gone, and with it all that was to be kept
        return 0
    if found.f_files and not found.f_favail:
        return 0
    return found.f_bavail * found.f_frsize if found.f_blocks else math.inf


def _free_files(folder: Path) -> float:
    """How many files can still be made; infinite if that cannot be known."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return math.inf
    return found.f_favail if found.f_files else math.inf
