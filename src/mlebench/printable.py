"""Text of anybody's, made safe to show: no sign in it does anything to a terminal."""

from __future__ import annotations

import contextlib
import sys


def printable(text: str) -> str:
    """One line: control characters, line ends among them, stand as their escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def printable_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    return "\n".join(map(printable, text.split("\n")))


def print_to_stderr(line: str) -> None:
    """Write a line to stderr, wherever that leads just now."""
    # A log that nobody can write to is no reason to fail, and there is no other place to say so.
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def _shown(sign: str) -> str:
    return sign if sign.isprintable() or sign == "\t" else sign.encode("unicode_escape").decode()
