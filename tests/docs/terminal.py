"""A terminal to run things in: what they print is what a user would see there."""

from __future__ import annotations

import os
import sys
import termios
import threading
import uuid
from collections.abc import Callable

COLUMNS = 80
LONGEST_SILENCE_SECONDS = 60.0


def seen(action: Callable[[], int]) -> tuple[int, str]:
    """What an action returns, and what it and its children print on a real terminal."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, COLUMNS))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # lines end as they were written
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    # Nobody else prints this; processes that go on may keep the terminal open, and print behind it.
    end = uuid.uuid4().bytes
    printed = bytearray()

    def read() -> None:
        while end not in printed[-65536 - len(end) :]:
            printed.extend(os.read(master, 65536))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    streams, outputs = (sys.stdout, sys.stderr), (os.dup(1), os.dup(2))
    os.dup2(slave, 1)
    os.dup2(slave, 2)
    try:
        with (
            open(1, "w", encoding="utf-8", buffering=1, closefd=False) as sys.stdout,
            open(2, "w", encoding="utf-8", buffering=1, closefd=False) as sys.stderr,
        ):
            code = action()
    finally:
        sys.stdout, sys.stderr = streams
        for number, output in enumerate(outputs, start=1):
            os.dup2(output, number)
            os.close(output)
        os.write(slave, end)
        reader.join(LONGEST_SILENCE_SECONDS)
        os.close(slave)
        os.close(master)
    text, found, _ = printed.partition(end)
    if not found:
        raise TimeoutError("The terminal does not show what is printed on it.")
    return code, text.decode(errors="replace")
