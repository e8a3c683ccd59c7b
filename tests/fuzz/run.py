"""Many cases on several processes, with a watchdog and a folder for what went wrong."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType

import pyarrow
from rich.console import Console
from rich.progress import track

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.fuzz.bench import Bench, DisagreementError, Kind, open_bench

CASE_LIMIT = 20  # seconds
CHUNK = 100
VALIDATE_EVERY = 4  # validation is the first half of grading and doubles the time
CHUNK_LIMIT = 900  # seconds
NOTE_SUFFIX = ".case"
MEMORY_FOLDER = Path("/dev/shm")


@dataclass(frozen=True)
class Failure:
    """A case that showed a fault; the file is made again from its number."""

    competition_id: str
    seed: int
    number: int
    steps: tuple[str, ...]
    message: str

    @property
    def command(self) -> str:
        """How to see it again."""
        return (
            f"python -m tests.fuzz --competition {self.competition_id} "
            f"--seed {self.seed} --case {self.number}"
        )


@dataclass
class Tally:
    """What happened to the cases of one competition."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def cases(self) -> int:
        """How many there were."""
        return self.kinds.total() + len(self.failures)

    def add(self, other: Tally) -> None:
        """Count another's cases too."""
        self.kinds += other.kinds
        self.failures += other.failures
        self.seconds += other.seconds


class HangError(BaseException):
    """A case took too long; not an `Exception`, so that no handler takes it for one."""


@contextmanager
def _watchdog() -> Iterator[None]:
    def bark(_number: int, _frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, bark)
    signal.setitimer(signal.ITIMER_REAL, CASE_LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_case(bench: Bench, seed: int, number: int, path: Path) -> Kind | Failure:
    """Make a case, judge it, and say how that went."""
    case = bench.make(seed, number)
    path.write_bytes(case.content)
    try:
        with _watchdog():
            return bench.check(path, validating=number % VALIDATE_EVERY == 0)
    except DisagreementError as error:
        message = str(error)
    except HangError:
        message = f"took more than {CASE_LIMIT} seconds"
    return Failure(bench.competition.id, seed, number, case.steps, message)


def run_cases(bench: Bench, seed: int, numbers: Iterable[int], folder: Path) -> Tally:
    """Some cases, one after the other in this process."""
    tally, started = Tally(), time.perf_counter()
    path = folder / f"{os.getpid()}.csv"
    note = path.with_suffix(NOTE_SUFFIX)
    for number in numbers:
        note.write_text(f"{bench.competition.id} {number}")
        outcome = run_case(bench, seed, number, path)
        if isinstance(outcome, Failure):
            tally.failures.append(outcome)
        else:
            tally.kinds[outcome] += 1
    note.unlink()
    tally.seconds = time.perf_counter() - started
    return tally


def _start_worker() -> None:
    # Handing tiny files to Arrow's threads costs more than it saves.
    pyarrow.set_cpu_count(1)


@cache
def _bench(competition_id: str, data_dir: Path) -> Bench:
    return open_bench(competition_id, data_dir)


def _run_chunk(competition_id: str, data_dir: Path, seed: int, numbers: range) -> Tally:
    # Ends the process even if it hangs in C code, where no signal handler gets its turn.
    faulthandler.dump_traceback_later(CHUNK_LIMIT, exit=True)
    try:
        return run_cases(_bench(competition_id, data_dir), seed, numbers, data_dir)
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def prepared_data(competition_ids: Iterable[str]) -> Iterator[Path]:
    """A folder, in memory if possible, with the competitions prepared from made-up data."""
    parent = MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=parent))
    try:
        for competition_id in competition_ids:
            prepare(Registry(folder, ()).get_competition(competition_id), fixture=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_all(
    competition_ids: Sequence[str], cases: int, seed: int, workers: int, data_dir: Path
) -> dict[str, Tally]:
    """Spread the cases over competitions and processes."""
    tallies = {competition_id: Tally() for competition_id in competition_ids}
    chunks: dict[Future[Tally], str] = {}
    # Arrow's threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_start_worker) as pool:
        for competition_id, count in zip(
            competition_ids, _shares(cases, len(competition_ids)), strict=True
        ):
            for start in range(0, count, CHUNK):
                numbers = range(start, min(start + CHUNK, count))
                future = pool.submit(_run_chunk, competition_id, data_dir, seed, numbers)
                chunks[future] = competition_id
        try:
            progress = Console(stderr=True)
            for future in track(as_completed(chunks), "Fuzzing", len(chunks), console=progress):
                tallies[chunks[future]].add(future.result())
        except BrokenProcessPool:
            for failure in _deaths(seed, data_dir):
                tallies[failure.competition_id].failures.append(failure)
    return tallies


def _deaths(seed: int, data_dir: Path) -> Iterator[Failure]:
    """The cases that processes had in hand when one of them died; nothing runs after that."""
    for note in data_dir.glob(f"*{NOTE_SUFFIX}"):
        competition_id, number = note.read_text().split()
        yield Failure(competition_id, seed, int(number), (), "a process died here or beside it")


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (part < total % parts) for part in range(parts)]
