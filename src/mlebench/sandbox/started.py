"""The host's end of the process that a room lives in."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from mlebench.errors import SandboxError
from mlebench.processes.pipes import LineReader, readable
from mlebench.sandbox.door import ENDED, STARTED
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.watching import LOOK_SECONDS

START_SECONDS = 60.0
END_SECONDS = 20.0


class StartedProcess:
    """A process that says on a pipe how far it is, and with which everything it holds ends.

    Used as a context, which ends it on the way out.
    """

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        printed: PrintedLog,
        environment: Mapping[str, str],
        folder: Path,
        end: Callable[[int], None] | None = None,
        handles: Sequence[int] = (),
    ) -> None:
        """Start a command.

        Args:
            command: Makes it, given the handle to say things on.
            printed: Where it prints.
            environment: All its variables.
            folder: Where it starts.
            end: Ends the process with this number, without waiting for it. By default it ends
                by itself, since nobody listens to it any more.
            handles: Further handles that it gets.
        """
        source, status = os.pipe()
        self._status = LineReader(source)
        self._is_listening = True
        self._end = end
        try:
            self._process = subprocess.Popen(  # noqa: S603 (made of a plan of ours)
                command(status),
                stdin=subprocess.DEVNULL,
                stdout=printed.handle,
                stderr=printed.handle,
                env=environment,
                cwd=folder,
                pass_fds=[status, *handles],
                start_new_session=True,
            )
        except BaseException as error:
            self._hang_up()
            if isinstance(error, OSError):
                raise SandboxError(f"No room can be started: {error}") from error
            raise
        finally:
            os.close(status)
            printed.handed_over()
        self.pid = self._process.pid
        self._handle: int | None = None
        with contextlib.suppress(AttributeError, OSError):  # no such call on this system
            self._handle = os.pidfd_open(self.pid)

    def __enter__(self) -> StartedProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.end()
        finally:
            self._hang_up()
            if self._handle is not None:
                os.close(self._handle)

    def end(self) -> None:
        """End it with all it holds, and wait for that.

        Raises:
            SandboxError: The system holds on to it.
        """
        if self.wait(0):
            return
        if self._end:
            self._end(self.pid)
        else:
            self._hang_up()
        if not self.wait(END_SECONDS):
            self._process.kill()
            if not self.wait(END_SECONDS):
                raise SandboxError(f"Process {self.pid} of a room cannot be ended.")

    def _hang_up(self) -> None:
        if self._is_listening:
            self._is_listening = False
            os.close(self._status.handle)

    @property
    def was_orderly(self) -> bool:
        """Whether it ended by itself, not by a signal."""
        return (self._process.poll() or 0) >= 0

    def wait(self, seconds: float) -> bool:
        """Wait for its end, which includes that of all it holds; whether it came."""
        if self._handle is not None:
            readable([self._handle], seconds)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self._process.poll() is not None

    def has_started(self, stop: threading.Event) -> bool:
        """Wait until the agent's command is started; False if there is no hope of it.

        Raises:
            SandboxError: It takes forever.
        """
        deadline = time.monotonic() + START_SECONDS
        while not stop.is_set() and not self._status.ended:
            if self._status.read(LOOK_SECONDS) == STARTED:
                return True
            if time.monotonic() > deadline:
                raise SandboxError(f"A room did not start within {START_SECONDS:g} seconds.")
        return False

    def agent_code(self) -> int | None:
        """The exit code of the agent's command, if it ended by itself."""
        while self._is_listening and (line := self._status.read(0)) is not None:
            word, _, code = line.partition(b" ")
            if word == ENDED:
                return int(code)
        return None
