"""A part of a job that must not touch the process it is called from."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from mlebench.errors import ProcessLostError
from mlebench.processes.folders import FolderSupply
from mlebench.processes.pipes import LineReader, readable, write_line
from mlebench.processes.responses import parse
from mlebench.processes.trees import die_with, end_descendants

logger = logging.getLogger(__name__)

LONGEST_ANSWER = 1 << 26
EXIT_SECONDS = 2.0
PAUSE_SECONDS = 0.005
LOOK_SECONDS = 0.1

_folder_supply = cache(FolderSupply)
_private_handles: set[int] = set()


def run_apart(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What a function returns that runs in a copy of this process.

    It finds everything that this process knows and changes nothing of it. Afterwards whatever
    runs below this process is ended. Only for handlers: it is the keeper that puts an end to a
    function that never returns.

    Raises:
        ProcessLostError: The process ended without an answer.
    """
    with made_process() as made:
        if made.pid == 0:
            _live(function, made)
        return parse(made.wait_for_line())


@dataclass
class Made:
    """A process just forked; seen from inside, its own `pid` is 0."""

    pid: int
    parent: int
    folder: Path
    reading: int
    writing: int

    def wait_for_line(self) -> bytes:
        """What it writes, unless it ends before; others may hold the pipe open after it."""
        answers = LineReader(self.reading)
        code: int | None = None
        while (line := answers.next_line()) is None:
            if answers.ended:
                raise ProcessLostError(
                    describe_exit(exit_code(self.pid, EXIT_SECONDS) if code is None else code)
                )
            if answers.pending > LONGEST_ANSWER:
                raise ProcessLostError("Its answer has no end.")
            if readable([self.reading], LOOK_SECONDS if code is None else 0):
                answers.receive()
            elif code is not None:  # nothing was left in the pipe
                raise ProcessLostError(describe_exit(code))
            else:
                code = exit_code(self.pid)
        return line


@contextmanager
def made_process() -> Iterator[Made]:
    """A copy of this process with a folder and a pipe; ended with all it started."""
    with ExitStack() as stack:
        try:
            folders = _folder_supply(tempfile.gettempdir())
            folder = folders.take()
            stack.callback(folders.give_back, folder)
            reading, writing = os.pipe()
            stack.callback(os.close, reading)
            child_end = stack.enter_context(ExitStack())
            child_end.callback(os.close, writing)
            parent = os.getpid()
            pid = fork()
        except OSError as error:
            raise ProcessLostError(f"No process could be made for it ({error}).") from error
        if pid:
            child_end.close()
            stack.callback(make_prints_wait)
            stack.callback(end_descendants)
        yield Made(pid, parent, folder, reading, writing)


def keep_private(handles: Iterable[int]) -> None:
    """Name what no function that runs apart may write to or read from."""
    _private_handles.update(handles)


def enter(folder: Path, parent: int, unused: Iterable[int]) -> None:
    """Make the process just forked one of its own: session, folder, and nobody else's pipes."""
    os.setsid()
    die_with(parent)
    for handle in unused:
        os.close(handle)
    os.chdir(folder)
    for name in ("TMPDIR", "JOBLIB_TEMP_FOLDER"):
        os.environ[name] = str(folder)
    tempfile.tempdir = str(folder)
    make_prints_wait()


def _live(function: Callable[[], dict[str, Any]], made: Made) -> NoReturn:
    code = 1
    try:
        enter(made.folder, made.parent, [made.reading, *_private_handles])
        answer = json.dumps(function()).encode()
        flush_prints()
        write_line(made.writing, answer)
        code = 0
    except BaseException:
        logger.exception("A process that was meant to answer failed")
    finally:
        os._exit(code)


def make_prints_wait() -> None:
    """Let whoever prints more than is read wait, as usual.

    A job may have changed that for all, since they share the pipe.
    """
    for stream in (1, 2):
        with contextlib.suppress(OSError):  # one that is closed
            os.set_blocking(stream, True)


def flush_prints() -> None:
    """Let go of what was printed, before the process ends without Python's farewell."""
    with contextlib.suppress(Exception):  # a job may have put anything in the place of stdout
        sys.stdout.flush()


def exit_code(pid: int, seconds: float = 0.0) -> int | None:
    """How a child of this process ended; None if it has not, even after some seconds."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:  # somebody has asked before
            return None
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= deadline:
            return None
        time.sleep(PAUSE_SECONDS)


def fork() -> int:
    """Fork, as cheaply as may be."""
    gc.freeze()  # or collecting garbage would write to, and so copy, every page of memory
    pid = -1
    try:
        with warnings.catch_warnings():
            # Python warns of threads; those we have are idle ones of libraries that know of forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
    finally:
        if pid:
            gc.unfreeze()  # or garbage of this moment would stay for ever
    return pid


def describe_exit(code: int | None) -> str:
    """A sentence on how a process ended without an answer."""
    if code is None:
        return "Its process closed the connection without an answer."
    return f"Its process ended {how_it_ended(code)} before there was an answer."


def how_it_ended(code: int) -> str:
    """In words, with what exit code or by which signal."""
    return f"with exit code {code}" if code >= 0 else f"by signal {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
