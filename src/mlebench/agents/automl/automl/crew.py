"""Steps in processes of their own, so that one that fails, hangs or bursts costs only itself."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .faults import told

PAUSE_SECONDS = 0.02
PAGE = os.sysconf("SC_PAGE_SIZE")
END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True)
class Outcome:
    """What became of a step.

    Attributes:
        name: Which one.
        result: What it returned, if it ended well.
        failure: Why there is none.
        seconds: How long it took.
    """

    name: str
    result: Any
    failure: str | None
    seconds: float


@dataclass
class _Worker:
    name: str
    process: int
    place: Path
    began_at: float
    deadline: float
    is_too_large: bool = False


class Crew:
    """At most so many processes as there are places; each does one step and ends."""

    def __init__(self, size: int, memory: int, scratch: Path) -> None:
        """Have nobody at work yet.

        Args:
            size: How many steps are done at a time.
            memory: How many bytes all processes together may use.
            scratch: Where results are handed over.
        """
        self.size = size
        self._memory = memory
        self._scratch = scratch
        self._workers: list[_Worker] = []
        self._refused: list[Outcome] = []
        self._count = 0

    @property
    def is_full(self) -> bool:
        """Whether nobody is free."""
        return len(self._workers) + len(self._refused) >= self.size

    @property
    def at_work(self) -> list[str]:
        """The steps that are being done."""
        return [worker.name for worker in self._workers]

    def start(self, name: str, work: Callable[[], Any], seconds: float) -> None:
        """Begin a step, which is ended after some time; it fails where there is no process for it.

        Who could not begin takes a place until that was told.
        """
        self._count += 1
        place = self._scratch / f"result-{self._count}.pickle"
        try:
            process = os.fork()
        except OSError as error:
            self._refused.append(Outcome(name, None, told(error), 0.0))
            return
        if process == 0:
            _do(work, place)
        now = time.monotonic()
        self._workers.append(_Worker(name, process, place, now, now + seconds))

    def wait(self, seconds: float) -> Outcome | None:
        """The next step that ends, or nothing if none does in time."""
        until = time.monotonic() + seconds
        while self._workers:
            for worker in self._workers:
                if (outcome := self._ended(worker)) is not None:
                    self._workers.remove(worker)
                    return outcome
            self._end_the_largest()
            if time.monotonic() >= until:
                break
            time.sleep(PAUSE_SECONDS)
        return self._refused.pop() if self._refused else None

    def stop(self) -> None:
        """End all that is being done."""
        for worker in self._workers:
            _kill(worker.process)
        self._workers.clear()

    def _ended(self, worker: _Worker) -> Outcome | None:
        number, status = os.waitpid(worker.process, os.WNOHANG)
        seconds = time.monotonic() - worker.began_at
        if number == 0:
            if time.monotonic() < worker.deadline:
                return None
            _kill(worker.process)
            return Outcome(worker.name, None, "it took too long", seconds)
        if not worker.place.exists():
            reason = "it needed too much memory" if worker.is_too_large else _how_it_ended(status)
            return Outcome(worker.name, None, reason, seconds)
        try:
            result, failure = pickle.loads(worker.place.read_bytes())  # noqa: S301 (our own)
        except (OSError, MemoryError) as error:
            result, failure = None, told(error)
        worker.place.unlink()
        return Outcome(worker.name, result, failure, seconds)

    def _end_the_largest(self) -> None:
        """End who uses most memory if all together use too much."""
        everybody = [os.getpid(), *(worker.process for worker in self._workers)]
        # Exactly only if need be: what a step got from its parent is counted for both at first.
        if sum(resident_bytes(process) for process in everybody) <= self._memory:
            return
        sizes = {process: own_bytes(process) for process in everybody}
        if sum(sizes.values()) > self._memory:
            largest = max(self._workers, key=lambda worker: sizes[worker.process])
            largest.is_too_large = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(largest.process, signal.SIGKILL)


def _do(work: Callable[[], Any], place: Path) -> None:
    """Do a step in a process of its own, which then ends whatever happens."""
    code = 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    _end_with_parent()
    try:
        try:
            handed: tuple[Any, str | None] = (work(), None)
        except Exception as error:
            handed = (None, told(error))
        beside = place.with_suffix(".new")
        beside.write_bytes(pickle.dumps(handed, protocol=pickle.HIGHEST_PROTOCOL))
        beside.replace(place)
        code = 0
    finally:
        os._exit(code)


def _end_with_parent() -> None:
    """Ask the system to end this process when its parent ends, also if that is killed."""
    with contextlib.suppress(OSError, AttributeError):  # systems that cannot do so
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "it was killed from outside, perhaps for want of memory"
    return f"its process ended with status {status}"


def resident_bytes(process: int) -> int:
    """What a process has in memory without files, with what it still shares with its parent."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE


def own_bytes(process: int) -> int:
    """The same, with what several processes share divided among them; that takes longer."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return resident_bytes(process)
    sizes = [int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:")]
    return sizes[0] * 1024 if sizes else resident_bytes(process)
