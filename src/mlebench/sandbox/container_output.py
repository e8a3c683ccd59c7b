"""What a container prints, from before its first line on."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mlebench.errors import SandboxError
from mlebench.sandbox.container_engine import engine_errors
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.room import RoomPlan

if TYPE_CHECKING:
    from docker.models.containers import Container

logger = logging.getLogger(__name__)

# What is printed last arrives right after the end; nobody waits for more.
SECONDS_TO_END = 5.0
MOST_SAID = 1000
WANTED = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 0}


class Output:
    """A stream of what a container prints, on its way into the log.

    Attributes:
        ended: Set once nothing more comes, which is mostly because the container ended.
        said: The last of what was printed, for messages.
    """

    def __init__(self, stream: Any, printed: PrintedLog) -> None:
        self.ended = threading.Event()
        self.said = b""
        self._stream = stream
        self._printed = printed

    def take_all(self) -> None:
        """Pass on everything until the stream ends."""
        from docker.utils.socket import frames_iter

        try:
            with engine_errors("What the container prints cannot be read any more"):
                frames: Iterator[tuple[int, bytes]]
                frames = frames_iter(self._stream, tty=False)  # type: ignore[no-untyped-call]
                for _, chunk in frames:
                    self.said = (self.said + chunk)[-MOST_SAID:]
                    self._write(chunk)
        except SandboxError as error:
            logger.warning("%s", error)  # whether the engine is lost, the watch finds out
        finally:
            self.ended.set()

    def _write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(self._printed.handle, rest) :]

    def hang_up(self) -> None:
        """End the stream at once, for whoever reads it."""
        connection = getattr(self._stream, "_sock", self._stream)
        with contextlib.suppress(OSError):  # the other end was faster
            connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection, which the library leaves to us with all around it."""
        connection = getattr(self._stream, "_sock", self._stream)
        # From the outside in: whoever is closed wants to close what is below.
        for part in (getattr(self._stream, "_response", None), self._stream, connection):
            if part is not None:
                part.close()


@contextmanager
def taken_output(container: Container, plan: RoomPlan) -> Iterator[Output]:
    """Take what a container prints; it must not have been started yet.

    Raises:
        SandboxError: The log cannot be written, or the engine does not let us listen.
    """
    with PrintedLog(plan.log, plan.limits.printed) as printed:
        with engine_errors(f"The output of {plan.name} cannot be had"):
            output = Output(container.attach_socket(params=WANTED), printed)
        thread = threading.Thread(target=output.take_all, daemon=True)
        thread.start()
        try:
            yield output
        finally:
            output.ended.wait(SECONDS_TO_END)
            output.hang_up()
            thread.join(SECONDS_TO_END)
            output.close()
