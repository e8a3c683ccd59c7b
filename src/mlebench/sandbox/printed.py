"""What a room prints: kept in a file up to a limit, read to the end whatever comes."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path
from types import TracebackType

from mlebench.errors import SandboxError
from mlebench.processes.pipes import CHUNK, readable

logger = logging.getLogger(__name__)

# More than enough for what is still in a pipe; whoever prints on is not waited for.
MOST_SECONDS_TO_END = 2.0


class PrintedLog:
    """A pipe for a room to print to, and a thread that takes what comes out into a file.

    Used as a context; leaving it returns soon, even if a process holds the pipe open.

    Attributes:
        handle: What the room's first process gets as its output; `handed_over` once it has.
    """

    def __init__(self, log: Path, most_bytes: int) -> None:
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise SandboxError(f"The log {log} cannot be written: {error}") from error
        self._log = log
        self._left = most_bytes
        self._dropped = 0
        self._is_writable = True
        self._source, self.handle = os.pipe()
        self._waker, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._take_all, daemon=True)

    def __enter__(self) -> PrintedLog:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.handed_over()
        os.write(self._wake, b".")
        self._thread.join()
        for handle in (self._source, self._waker, self._wake, self._file):
            os.close(handle)

    def handed_over(self) -> None:
        """Let go of the room's end of the pipe, so that it ends when the room does."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1

    def say(self, line: str) -> None:
        """Write a line of our own, which counts like the others."""
        self._keep(line.encode() + b"\n")

    def _take_all(self) -> None:
        deadline = float("inf")
        while time.monotonic() < deadline:
            if deadline == float("inf"):
                ready = readable([self._source, self._waker])
                if self._waker in ready:
                    deadline = time.monotonic() + MOST_SECONDS_TO_END
            elif not (ready := readable([self._source], 0)):
                break
            if self._source in ready:
                chunk = os.read(self._source, CHUNK)
                if not chunk:
                    break
                self._keep(chunk)
        if self._dropped:
            self._write(f"\n[{self._dropped:,} more bytes were printed and dropped.]\n".encode())

    def _keep(self, chunk: bytes) -> None:
        kept = chunk[: self._left]
        self._left -= len(kept)
        self._dropped += len(chunk) - len(kept)
        self._write(kept)

    def _write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        try:
            while rest and self._is_writable:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:  # the room must not wait for a disk that is full
            self._is_writable = False
            logger.error("%s cannot be written any more: %s", self._log, error)
