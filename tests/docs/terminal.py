"""A terminal to run things in: what they print is what a user would see there."""

from __future__ import annotations

import os
import sys
import termios
import threading
from collections.abc import Callable

COLUMNS = 80
END = b"\0"
"""Ends what was printed; processes that go on may keep the terminal open for longer."""


def seen(action: Callable[[], int]) -> tuple[int, str]:
    """What an action returns, and what it and its children print on a real terminal."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, COLUMNS))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # lines end as they were written
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    printed = bytearray()

    def read() -> None:
        while not printed.endswith(END):
            printed.extend(os.read(master, 65536))

    reader = threading.Thread(target=read)
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
        os.write(slave, END)
        reader.join()
        os.close(slave)
        os.close(master)
    return code, printed.removesuffix(END).decode()
