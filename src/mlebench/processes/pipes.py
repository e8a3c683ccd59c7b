"""Lines through pipes, with every wait bounded by whoever waits."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Iterable

CHUNK = 1 << 16
LONGEST_WAIT_SECONDS = 1e6  # beyond, the system's clock counts no milliseconds


def readable(handles: Iterable[int], seconds: float = math.inf) -> list[int]:
    """Which of these handles can be read from, after some seconds at the latest."""
    return _ready(handles, select.POLLIN, seconds)


def _ready(handles: Iterable[int], event: int, seconds: float) -> list[int]:
    # Not by `select.select`, which knows no handles beyond 1023.
    poll = select.poll()
    for handle in handles:
        poll.register(handle, event)
    wait = None if seconds > LONGEST_WAIT_SECONDS else max(0, math.ceil(seconds * 1000))
    return [handle for handle, _ in poll.poll(wait)]


class LineReader:
    """The lines that arrive through a pipe."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.ended = False
        self._pending = bytearray()
        self._searched = 0

    def read(self, seconds: float = math.inf) -> bytes | None:
        """The next line without its end; None at the end of the pipe or of the time."""
        deadline = time.monotonic() + seconds
        while (line := self.next_line()) is None and not self.ended:
            if not readable([self.handle], deadline - time.monotonic()):
                return None
            self.receive()
        return line

    def next_line(self) -> bytes | None:
        """A line that has arrived completely."""
        end = self._pending.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._pending)  # a long line is not to be searched again and again
            return None
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        self._searched = 0
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


def write_line(handle: int, line: bytes, seconds: float = math.inf) -> None:
    """Write a line, however many calls it takes.

    Raises:
        BrokenPipeError: Nobody reads.
        TimeoutError: Nobody has read for some seconds.
    """
    rest = memoryview(line + b"\n")
    os.set_blocking(handle, False)
    while rest:
        try:
            rest = rest[os.write(handle, rest) :]
        except BlockingIOError:
            if not _ready([handle], select.POLLOUT, seconds):
                raise TimeoutError("Nobody reads what is written.") from None
