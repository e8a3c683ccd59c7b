"""The process between a runner and its jobs: forks, watches and ends them; runs none itself.

It reads requests and writes responses, one line each, on what were its standard streams. A
response is an answer, a loss, or a mere sign of life; `runner` holds the other end.

Requests are served by a copy of the process that has made the handler. Where a job was lost,
nobody knows what it did to the copy; another one takes a few milliseconds, and what only some jobs
need (`Handler.get_ready`).
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any, NoReturn, Protocol, cast

from mlebench.errors import ProcessLostError
from mlebench.processes.apart import (
    EXIT_SECONDS,
    LONGEST_ANSWER,
    describe_exit,
    enter,
    exit_code,
    flush_prints,
    fork,
    keep_private,
    make_prints_wait,
)
from mlebench.processes.folders import FolderSupply
from mlebench.processes.isolation import remove_folder
from mlebench.processes.limits import Limits
from mlebench.processes.pipes import LineReader, readable, write_line
from mlebench.processes.responses import (
    ALIVE,
    RENEW,
    answer_line,
    loss_line,
    ready_line,
    understand,
)
from mlebench.processes.trees import adopt_orphans, descendants, die_with, end_descendants

LOOK_SECONDS = 0.1
ALIVE_SECONDS = 5.0
# Warm processes hold memory; the one unused longest goes where there are more.
MOST_LANES = 8
# Exit codes of the copy that serves.
RUNNER_GONE, RENEWED = 0, 3


class Handler(Protocol):
    """What does the jobs."""

    def get_ready(self, job: dict[str, Any]) -> None:
        """Import what a job needs, before a process is forked for it; runs nobody's code."""

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """Do a job, in a process of its own or in that of its lane."""


class _RunnerGoneError(Exception):
    """Nobody is left who wants an answer."""


@dataclass
class _Process:
    """A forked process, and the pipes to and from it."""

    pid: int
    jobs: int
    answers: LineReader
    folder: Path
    code: int | None = None
    """How it ended, once that is known."""

    def close(self) -> None:
        """Give up the pipes, once the process has ended."""
        os.close(self.jobs)
        os.close(self.answers.handle)


class Keeper:
    """Serves one request after the other, until the runner is gone or wants another one."""

    def __init__(
        self, requests: LineReader, responses: int, handler: Handler, limits: Limits, folder: Path
    ) -> None:
        self._requests = requests
        self._responses = responses
        self._handler = handler
        self._limits = limits
        self._folders = FolderSupply(folder)
        self._lanes: dict[str | None, _Process] = {}
        self._last_sign = time.monotonic()

    def serve(self, greeting: bytes) -> int:
        """Greet, and answer requests; returns why it ended, as an exit code."""
        write_line(self._responses, greeting)
        while (line := self._requests.read()) is not None:
            if line == RENEW:
                return RENEWED
            request = json.loads(line)
            try:
                response = self._do(request["job"], request["lane"], request["token"])
            except ProcessLostError as lost:
                response = loss_line(request["token"], lost)
            write_line(self._responses, response)
        return RUNNER_GONE

    def _do(self, job: dict[str, Any], lane: str | None, token: str) -> bytes:
        """The response to a job, from the process of its lane or from one of its own."""
        try:
            self._handler.get_ready(job)
        except Exception as error:
            raise ProcessLostError(f"It could not be made ready for ({error!r}).") from error
        process = self._lanes.pop(lane, None) or self._fork(serves_many=lane is not None)
        stays = False
        try:
            response = self._response_of(process, job, token)
            stays = lane is not None
        finally:
            if stays:
                self._lanes[lane] = process
                if len(self._lanes) > MOST_LANES:
                    self._end(self._lanes.pop(next(iter(self._lanes))))  # the one unused longest
            else:
                self._end(process)
        return response

    def _end(self, process: _Process) -> None:
        """End a process that is no lane's any more."""
        end_descendants(spare=[other.pid for other in self._lanes.values()])
        make_prints_wait()
        process.close()
        self._folders.give_back(process.folder)

    def _response_of(self, process: _Process, job: dict[str, Any], token: str) -> bytes:
        deadline = time.monotonic() + self._limits.seconds
        request = json.dumps({"job": job, "token": token}).encode()
        try:
            write_line(process.jobs, request, self._limits.seconds)
        except BrokenPipeError:
            raise self._ended(process) from None
        except TimeoutError:
            raise self._too_late() from None
        next_look = time.monotonic() + LOOK_SECONDS
        while (response := process.answers.next_line()) is None:
            if process.answers.ended:
                raise self._ended(process)
            until = min(next_look, deadline) - time.monotonic()
            ready = readable([process.answers.handle, self._requests.handle], until)
            if self._requests.handle in ready:  # no request comes before the response
                raise _RunnerGoneError
            if process.answers.handle in ready:
                process.answers.receive()
                if process.answers.pending > LONGEST_ANSWER:
                    raise ProcessLostError("Its answer has no end.")
            if time.monotonic() >= deadline:
                raise self._too_late()
            if time.monotonic() >= next_look:
                self._look_at(process)
                next_look = time.monotonic() + LOOK_SECONDS
        understand(response, token)  # or the process is not to be trusted with another job
        return response

    def _look_at(self, process: _Process) -> None:
        if process.code is None:
            process.code = exit_code(process.pid)
        elif not readable([process.answers.handle], 0):  # nothing was left in the pipe
            raise ProcessLostError(describe_exit(process.code))
        if len(descendants(process.pid)) >= self._limits.processes:
            raise ProcessLostError(
                f"It started more than {self._limits.processes} processes.", "too_many_processes"
            )
        if time.monotonic() - self._last_sign >= ALIVE_SECONDS:
            write_line(self._responses, ALIVE)
            self._last_sign = time.monotonic()

    def _too_late(self) -> ProcessLostError:
        return ProcessLostError(f"It took longer than {self._limits.seconds:g} seconds.", "timeout")

    @staticmethod
    def _ended(process: _Process) -> ProcessLostError:
        """How a process was lost that has closed its end; it may still be alive."""
        code = exit_code(process.pid, EXIT_SECONDS) if process.code is None else process.code
        return ProcessLostError(describe_exit(code))

    def _fork(self, *, serves_many: bool) -> _Process:
        with ExitStack() as made:
            try:
                folder = self._folders.take()
                made.callback(self._folders.give_back, folder)
                handles = [*os.pipe(), *os.pipe()]
                for handle in handles:
                    made.callback(os.close, handle)
                keeper = os.getpid()
                pid = fork()
            except OSError as error:
                raise ProcessLostError(f"No process could be made for it ({error}).") from error
            made.pop_all()
        from_keeper, jobs, answers, to_keeper = handles
        if pid == 0:
            unused = [jobs, answers, self._responses, self._requests.handle]
            for other in self._lanes.values():
                unused += [other.jobs, other.answers.handle]
            self._live(keeper, LineReader(from_keeper), to_keeper, unused, folder, serves_many)
        os.close(from_keeper)
        os.close(to_keeper)
        return _Process(pid, jobs, LineReader(answers), folder)

    def _live(
        self,
        keeper: int,
        jobs: LineReader,
        answers: int,
        unused: list[int],
        folder: Path,
        serves_many: bool,
    ) -> NoReturn:
        """The life of a forked process."""
        code = 1
        try:
            enter(folder, keeper, unused)
            keep_private([jobs.handle, answers])
            adopt_orphans()
            self._limits.apply()
            while line := jobs.read():
                request = json.loads(line)
                try:
                    answer = self._handler.handle(request["job"])
                    response = answer_line(request["token"], answer)
                except ProcessLostError as lost:
                    response = loss_line(request["token"], lost)
                flush_prints()
                write_line(answers, response)
                if not serves_many:
                    break
            code = 0
        except BaseException:
            logging.getLogger(__name__).exception("A job ended its process")
        finally:
            os._exit(code)


def _serve_in_a_copy(keeper: Keeper, greeting: bytes) -> int:
    """Let a copy of this process greet the runner and serve it; returns how that ended."""
    parent = os.getpid()
    pid = fork()
    if pid == 0:
        code = 1
        try:
            die_with(parent)
            adopt_orphans()
            code = keeper.serve(greeting)
        except (_RunnerGoneError, BrokenPipeError):
            code = RUNNER_GONE
        except BaseException:
            logging.getLogger(__name__).exception("A keeper failed")
        finally:
            end_descendants()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    end_descendants()
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Serve on the standard streams; whatever a job prints goes to stderr."""
    requests, responses = LineReader(os.dup(0)), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    # So that lines come at once and in order, and a process that is killed loses none.
    cast(TextIOWrapper, sys.stdout).reconfigure(line_buffering=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it hides how processes end
    adopt_orphans()
    folder = Path.cwd()
    code = RUNNER_GONE
    try:
        setup = json.loads(requests.read() or b"null")
        if setup is None:
            return
        logging.basicConfig(level=setup["log_level"], format=setup["log_format"])
        module, _, name = setup["handler"].partition(":")
        handler: Handler = getattr(import_module(module), name)(**setup["settings"])
        limits = Limits(**setup["limits"])
        greetings = (ready_line(setup["secret"], number) for number in count())
        code = RENEWED
        while code == RENEWED:
            try:
                with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as own:
                    keeper = Keeper(requests, responses, handler, limits, Path(own))
                    code = _serve_in_a_copy(keeper, next(greetings))
            except OSError as error:  # neither a folder nor a process more
                logging.getLogger(__name__).error("Work cannot go on: %s", error)
                code = 1
    finally:
        end_descendants()
        remove_folder(folder)
    if code < 0:  # end as the copy did, for whoever asks why
        os.kill(os.getpid(), -code)
    sys.exit(code)
