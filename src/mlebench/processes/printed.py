"""What a process and all below it print, as complete lines that say which job they are from.

Whatever is printed, in whatever amount: long lines are cut, of many lines the first are shown,
bytes that are no text and control characters are escaped. Nobody waits for the pipe to end,
since anybody may hold it open.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from mlebench.printable import printable
from mlebench.processes.pipes import CHUNK, readable

LONGEST_LINE = 2000
MOST_LINES = 200
# More than the largest pipe holds, so all that was printed so far is within.
MOST_CHUNKS = 32

Sink = Callable[[str], None]
"""Takes a line without its end; called from several threads."""


class Printed:
    """The reading end of a pipe that processes print to."""

    def __init__(self, handle: int, sink: Sink) -> None:
        self.handle = handle
        self.ended = False
        self._sink = sink
        self._label = ""
        self._line = b""
        self._lines = 0

    def begin(self, label: str) -> None:
        """What is printed from now on belongs to the job with this label."""
        self.end()
        self._label = label

    def end(self) -> None:
        """What was printed so far, even half a line, was all that belongs to the job."""
        for _ in range(MOST_CHUNKS):
            if self.ended or not readable([self.handle], 0):
                break
            self.receive()
        if self._line:
            self._end_line()
        if self._lines > MOST_LINES:
            self._say(f"{self._lines - MOST_LINES:,} more lines were printed.")
        self._label, self._lines = "", 0

    def receive(self) -> None:
        """Take what is there; waits if there is nothing."""
        chunk = os.read(self.handle, CHUNK)
        self.ended = not chunk
        if self._lines > MOST_LINES:  # only counted, so that a flood costs little
            self._lines += chunk.count(b"\n")
            if chunk:
                self._line = b"" if chunk.endswith(b"\n") else b"half a line"
            return
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._append(line)
            self._end_line()
        self._append(rest)

    def _append(self, part: bytes) -> None:
        self._line += part[: LONGEST_LINE + 1 - len(self._line)]

    def _end_line(self) -> None:
        line, self._line = self._line, b""
        self._lines += 1
        if self._lines <= MOST_LINES:
            text = printable(line[:LONGEST_LINE].decode(errors="backslashreplace").rstrip("\r"))
            self._say(text + "..." if len(line) > LONGEST_LINE else text)

    def _say(self, line: str) -> None:
        self._sink(f"{self._label}: {line}" if self._label else line)
