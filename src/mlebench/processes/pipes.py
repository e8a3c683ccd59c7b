"""Lines through pipes, with every wait bounded."""

from __future__ import annotations

import os
import select
import time

CHUNK = 1 << 16


class LineReader:
    """The lines that arrive through a pipe."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.ended = False
        self._pending = b""

    def read(self, seconds: float | None = None, longest: int | None = None) -> bytes | None:
        """The next line without its end; None at the end of the pipe, of time or of patience."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while (line := self.next_line()) is None and not self.ended:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self.handle], [], [], left)[0]:
                return None
            self.receive()
            if longest is not None and self.pending > longest:
                return None
        return line

    def next_line(self) -> bytes | None:
        """A line that has arrived completely."""
        line, end, rest = self._pending.partition(b"\n")
        if not end:
            return None
        self._pending = rest
        return line

    @property
    def pending(self) -> int:
        """How many bytes have arrived of lines not yet taken."""
        return len(self._pending)

    def receive(self) -> None:
        """Take what is there; waits if there is nothing."""
        chunk = os.read(self.handle, CHUNK)
        self.ended = not chunk
        self._pending += chunk


def write_line(handle: int, line: bytes) -> None:
    """Write a line, however many calls it takes.

    Raises:
        BrokenPipeError: Nobody reads.
    """
    rest = memoryview(line + b"\n")
    while rest:
        rest = rest[os.write(handle, rest) :]
