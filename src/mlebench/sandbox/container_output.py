"""What a container prints, from before its first line on."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mlebench.errors import SandboxError
from mlebench.sandbox.container_engine import engine_errors
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.room import RoomPlan

if TYPE_CHECKING:
    from docker.models.containers import Container

logger = logging.getLogger(__name__)

# What is printed last arrives right after the end; nobody waits for more.
SECONDS_TO_END = 5.0


class Output:
    """A stream of what a container prints, on its way into the log.

    Attributes:
        ended: Set once nothing more comes, which is mostly because the container ended.
        said: The last of what was printed, for messages.
    """

    def __init__(self, printed: PrintedLog) -> None:
        self.ended = threading.Event()
        self.said = b""
        self._printed = printed

    def take_all(self, stream: Iterator[bytes]) -> None:
        """Pass on everything until the stream ends."""
        try:
            with engine_errors("What the container prints cannot be read any more"):
                for chunk in stream:
                    self.said = (self.said + chunk)[-1000:]
                    self._write(chunk)
        except SandboxError as error:
            logger.warning("%s", error)  # whether the engine is lost, the watcher finds out
        finally:
            self.ended.set()

    def _write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            rest = rest[os.write(self._printed.handle, rest) :]


@contextmanager
def taken_output(container: Container, plan: RoomPlan) -> Iterator[Output]:
    """Take what a container prints; it must not have been started yet.

    Raises:
        SandboxError: The log cannot be written, or the engine does not let us listen.
    """
    with PrintedLog(plan.log, plan.limits.printed) as printed:
        with engine_errors(f"The output of {plan.name} cannot be had"):
            stream = container.attach(stream=True, stdout=True, stderr=True, logs=False)
        output = Output(printed)
        thread = threading.Thread(target=output.take_all, args=(stream,), daemon=True)
        thread.start()
        try:
            yield output
        finally:
            thread.join(SECONDS_TO_END)
            if thread.is_alive():
                # Hung up on, the stream ends at once.
                with contextlib.suppress(SandboxError), engine_errors("It has ended"):
                    stream.close()
                thread.join(SECONDS_TO_END)
