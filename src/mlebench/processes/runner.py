"""The runner: hands jobs to keepers and returns what became of them."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import queue
import secrets
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from mlebench.errors import CannotStartError, ProcessLostError
from mlebench.printable import print_to_stderr
from mlebench.processes.apart import LONGEST_ANSWER, how_it_ended
from mlebench.processes.isolation import clean_environment, keeper_command, remove_folder
from mlebench.processes.limits import Limits
from mlebench.processes.pipes import LineReader, readable, write_line
from mlebench.processes.printed import Printed, Sink
from mlebench.processes.responses import ALIVE, RENEW, ready_line, understand
from mlebench.processes.trees import end_marked
from mlebench.settings import log_format as format_at

logger = logging.getLogger(__name__)

ATTEMPTS_TO_START = 3
PAUSE_SECONDS = 0.5
# A keeper gives a sign of life every few seconds; on a very busy machine it may be late.
LONGEST_SILENCE_SECONDS = 100.0
CLOSE_SECONDS = 15.0
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Job:
    """Something to be done.

    Attributes:
        task: What the handler gets.
        lane: Jobs of the same lane share a process, which may keep things between them; without
            a lane, a job gets a process of its own.
        label: What stands before each line that is logged or printed on its behalf.
    """

    task: dict[str, Any]
    lane: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Loss:
    """Why a job has no answer.

    Attributes:
        reason: ``timeout``, ``too_many_processes`` or ``crashed``.
        message: A sentence for people.
    """

    reason: str
    message: str


Outcome = dict[str, Any] | Loss
STOPPED = "The runner was stopped."


class _Ticket:
    """A job, and the promise of its outcome."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.future: Future[Outcome] = Future()

    def is_wanted(self) -> bool:
        """Whether somebody still waits for the outcome, who from now on cannot call it off."""
        return self.future.running() or self.future.set_running_or_notify_cancel()


class JobRunner(Protocol):
    """Whoever does jobs, here or elsewhere."""

    def __enter__(self) -> JobRunner: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Do jobs; each comes back with its outcome as soon as it is there."""


MakeRunner = Callable[..., JobRunner]
"""Called with the arguments of `Runner`."""


class Runner:
    """Does jobs in parallel; see the package for what it promises."""

    def __init__(
        self,
        handler: str,
        settings: dict[str, Any],
        *,
        size: int,
        limits: Limits,
        log_level: int | None = None,
        log_format: str | None = None,
        sink: Sink = print_to_stderr,
    ) -> None:
        """Make a runner; processes start with the first jobs.

        Args:
            handler: The import string of the handler's class, ``package.module:Class``.
            settings: Its keyword arguments, as they fit into JSON.
            size: How many jobs are done at a time.
            limits: What each of them may use.
            log_level: From which level on processes log; by default as here.
            log_format: How they write it; by default as commands do.
            sink: Gets the lines that processes log or print, one at a time.
        """
        level = logging.getLogger().getEffectiveLevel() if log_level is None else log_level
        self._setup = {
            "handler": handler,
            "settings": settings,
            "limits": dataclasses.asdict(limits),
            "log_level": level,
            "log_format": log_format or format_at(level),
        }
        self._sink = sink
        self._sinking = threading.Lock()
        self._size = size
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._keepers: set[_KeeperProcess] = set()
        self._slots: set[threading.Thread] = set()
        self._waiting: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._unfinished = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._stopped.set()
            keepers, slots = list(self._keepers), list(self._slots)
        self._dismiss(len(slots))
        for keeper in keepers:
            keeper.hang_up()
        for slot in slots:  # each closes its own keeper, which nobody else reads from
            slot.join(2 * CLOSE_SECONDS)
        for keeper in list(self._keepers):
            keeper.close()
        with self._lock:
            self._refuse_waiting(STOPPED)

    def _dismiss(self, slots: int) -> None:
        """Let the slots go, since there will be no more jobs."""
        for _ in range(slots):
            self._waiting.put(None)

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Do jobs; each comes back with its outcome as soon as it is there.

        Raises:
            CannotStartError: No process could be started, for no fault of a job.
        """
        pending = {self.submit(job): job for job in list(jobs)}
        for future in as_completed(pending):
            yield pending.pop(future), future.result()

    def submit(self, job: Job) -> Future[Outcome]:
        """Have a job done whose outcome somebody waits for; jobs take their turns.

        The future ends in any case: with an outcome, or with a `CannotStartError` if no process
        could be started or the runner is left. Cancelled before its turn, the job is not done.

        Raises:
            CannotStartError: The runner has been left.
        """
        ticket = _Ticket(job)
        with self._lock:
            if self._stopped.is_set():
                raise CannotStartError(STOPPED)
            self._waiting.put(ticket)
            self._unfinished += 1
            if len(self._slots) < min(self._size, self._unfinished):
                slot = threading.Thread(target=self._work, daemon=True)
                self._slots.add(slot)
                slot.start()
        return ticket.future

    def _work(self) -> None:
        """Do jobs in one slot until the runner is left, or no process can be started for it."""
        keeper: _KeeperProcess | None = None
        try:
            while (ticket := self._waiting.get()) is not None:
                if ticket.is_wanted():
                    try:
                        keeper, outcome = self._do(ticket.job, keeper)
                    except CannotStartError as error:
                        self._leave(ticket, str(error))
                        return
                    except Exception as error:  # of ours; somebody waits all the same
                        logger.exception("A slot failed")
                        self._leave(ticket, repr(error))
                        return
                    ticket.future.set_result(outcome)
                with self._lock:
                    self._unfinished -= 1
        finally:
            if keeper:
                self._close(keeper)

    def _leave(self, ticket: _Ticket, reason: str) -> None:
        """Give a slot up, and its job to those who can; if nobody is left, no job can be done."""
        with self._lock:
            self._slots.discard(threading.current_thread())
            self._waiting.put(ticket)
            if not self._slots or self._stopped.is_set():
                self._refuse_waiting(f"No process can be started to do the work: {reason}")

    def _refuse_waiting(self, reason: str) -> None:
        """End all that waits; with the lock held, so that nothing is added meanwhile."""
        with contextlib.suppress(queue.Empty):
            while True:
                ticket = self._waiting.get_nowait()
                if ticket is not None:
                    self._unfinished -= 1
                    if ticket.is_wanted():
                        ticket.future.set_exception(CannotStartError(reason))
        if self._stopped.is_set():  # slots that were dismissed still wait to hear of it
            self._dismiss(len(self._slots))

    def _do(self, job: Job, keeper: _KeeperProcess | None) -> tuple[_KeeperProcess | None, Outcome]:
        """A job's outcome, and the keeper to use for the next one.

        Whoever loses a process may not be to blame for it, so a lost job is tried once more,
        under a new keeper: what was done to the old one nobody knows.
        """
        outcome: Outcome = Loss("crashed", "It was not tried.")
        for _ in range(2):
            keeper = keeper or self._start()
            is_lost = False
            try:
                outcome = keeper.do(job)
            except _KeeperLostError as error:
                outcome, is_lost = Loss("crashed", str(error)), True
            except Exception as error:  # of ours; it must cost neither the slot nor the others
                logger.exception("A job could not be handed over")
                outcome = Loss("crashed", f"It could not be handed over ({error!r}).")
                is_lost = True
            if isinstance(outcome, dict) or outcome.reason != "crashed":
                break
            if self._stopped.is_set() or is_lost or not keeper.renew():
                self._close(keeper)
                keeper = None
            if self._stopped.is_set():  # which may be why it was lost
                raise CannotStartError(STOPPED)
        return keeper, outcome

    def _start(self) -> _KeeperProcess:
        reason = "the runner was stopped"
        for _ in range(ATTEMPTS_TO_START):
            if self._stopped.is_set():
                break
            try:
                return self._started()
            except (OSError, _KeeperLostError) as error:
                reason = str(error)
            self._stopped.wait(PAUSE_SECONDS)
        raise CannotStartError(reason)

    def _started(self) -> _KeeperProcess:
        with self._lock:
            if self._stopped.is_set():
                raise _KeeperLostError("the runner was stopped")
            keeper = _KeeperProcess(self._setup, self._show)
            self._keepers.add(keeper)
        try:
            keeper.wait_until_ready()
        except _KeeperLostError:
            self._close(keeper)
            raise
        return keeper

    def _close(self, keeper: _KeeperProcess) -> None:
        with self._lock:
            self._keepers.discard(keeper)
        keeper.close()

    def _show(self, line: str) -> None:
        try:
            with self._sinking:
                self._sink(line)
        except Exception:  # of whoever listens; it must not cost the job
            logger.exception("A line could not be shown")


class _KeeperLostError(Exception):
    """A keeper has ended, or is silent."""


class _KeeperProcess:
    """The runner's end of a keeper."""

    def __init__(self, setup: dict[str, Any], sink: Sink) -> None:
        self._mark = uuid.uuid4().hex
        self._folder = Path(tempfile.mkdtemp(prefix="mlebench-"))
        self._is_ready = False
        self._writing = threading.Lock()
        try:
            self._process = subprocess.Popen(  # noqa: S603 (our own command)
                keeper_command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=self._folder,
                env=clean_environment(self._mark, self._folder),
                start_new_session=True,
            )
        except OSError:
            remove_folder(self._folder)
            raise
        self._responses = LineReader(_opened(self._process.stdout).fileno())
        self._printed = Printed(_opened(self._process.stderr).fileno(), sink)
        self._seconds: float = setup["limits"]["seconds"]
        self._secret = secrets.token_hex(8)
        self._setup = json.dumps(setup | {"secret": self._secret}).encode()
        self._copies = 0

    def wait_until_ready(self) -> None:
        """Hand over the setup; returns when the keeper has imported what it needs."""
        self._send(self._setup)
        self._wait_for_greeting()
        self._is_ready = True

    def do(self, job: Job) -> Outcome:
        """What became of a job."""
        token = secrets.token_hex(8)
        self._printed.begin(job.label)
        deadline = time.monotonic() + self._seconds + LONGEST_SILENCE_SECONDS
        try:
            self._send(json.dumps({"job": job.task, "lane": job.lane, "token": token}).encode())
            while (response := self._receive()) == ALIVE:
                if time.monotonic() > deadline:  # the keeper would have ended it long ago
                    raise _KeeperLostError("Its process answers, but does not end.")
        finally:
            self._printed.end()
        try:
            return understand(response, token)
        except ProcessLostError as lost:
            return Loss(lost.reason, str(lost))

    def renew(self) -> bool:
        """Have another copy of the keeper serve, which no job has seen; whether one does."""
        try:
            self._send(RENEW)
            self._wait_for_greeting()
        except _KeeperLostError:
            return False
        return True

    def _wait_for_greeting(self) -> None:
        """Wait for the next copy of the keeper; a lost job may have slipped in anything before."""
        greeting = ready_line(self._secret, self._copies)
        deadline = time.monotonic() + LONGEST_SILENCE_SECONDS
        while self._receive() != greeting:
            if time.monotonic() > deadline:
                raise _KeeperLostError("The process answers what it was not asked.")
        self._copies += 1

    def hang_up(self) -> None:
        """Tell the keeper that nobody wants anything any more, so that it ends."""
        if not self._is_ready:  # then there is nothing to clear up, and importing takes time
            self._process.kill()
        with self._writing, contextlib.suppress(OSError):
            self._stdin.close()

    def close(self) -> None:
        """End the keeper and everything below it."""
        self.hang_up()
        try:
            was_orderly = self._process.wait(CLOSE_SECONDS) == 0
        except subprocess.TimeoutExpired:
            was_orderly = False
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # the system holds on to it
                self._process.wait(CLOSE_SECONDS)
        if self._is_ready and not was_orderly:
            end_marked(self._mark, self._folder)
        self._printed.end()
        for pipe in (self._process.stdout, self._process.stderr):
            _opened(pipe).close()
        remove_folder(self._folder)

    @property
    def _stdin(self) -> IO[bytes]:
        return _opened(self._process.stdin)

    def _send(self, line: bytes) -> None:
        try:
            with self._writing:  # nobody may close the pipe, lest its number become another file's
                write_line(self._stdin.fileno(), line, CLOSE_SECONDS)
        except (OSError, ValueError) as error:  # its end is closed, or ours is
            raise self._lost() from error

    def _receive(self) -> bytes:
        """The next response; what is printed meanwhile goes where it is shown."""
        deadline = time.monotonic() + LONGEST_SILENCE_SECONDS
        while (line := self._responses.next_line()) is None:
            try:
                self._wait_for_more(deadline - time.monotonic())
            except (OSError, ValueError) as error:
                raise self._lost() from error
            if self._responses.ended:
                raise self._lost()
            if self._responses.pending > 2 * LONGEST_ANSWER:
                raise _KeeperLostError("Its answer has no end.")
        return line

    def _wait_for_more(self, seconds: float) -> None:
        open_pipes = [pipe for pipe in (self._responses, self._printed) if not pipe.ended]
        ready = readable([pipe.handle for pipe in open_pipes], seconds)
        if self._responses.handle not in ready and seconds <= 0:
            raise TimeoutError  # however much is printed
        for pipe in open_pipes:
            if pipe.handle in ready:
                pipe.receive()

    def _lost(self) -> _KeeperLostError:
        try:
            code = self._process.wait(LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            return _KeeperLostError("Its process is there but does not answer.")
        return _KeeperLostError(f"The process that watched it ended {how_it_ended(code)}.")


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise _KeeperLostError("Its process was started without pipes.")
    return pipe
