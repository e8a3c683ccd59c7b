"""Log lines on stderr, whole and above the progress bar while there is one."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlebench.printable import print_to_stderr, printable_lines
from mlebench.settings import log_format

if TYPE_CHECKING:
    from rich.console import Console

_consoles: list[Console] = []
"""Where a bar is being drawn just now, if anywhere."""
_as_events: list[bool] = []
"""Not empty while programs read what is logged."""


def set_up_logging() -> None:
    """Have all that is logged written to stderr."""
    logging.basicConfig(handlers=[LogHandler()])


class LogHandler(logging.Handler):
    """Writes to what is stderr at that moment, as much as is wanted at that moment."""

    def format(self, record: logging.LogRecord) -> str:
        """The line for a record."""
        return logging.Formatter(log_format(logging.getLogger().level)).format(record)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            print_log_line(self.format(record))
        except Exception:  # a message that cannot be put together must not stop the work
            self.handleError(record)


def print_log_line(text: str) -> None:
    """Write to stderr; whatever stands in the text does nothing to the terminal."""
    print_as_it_is(printable_lines(text))


def print_as_it_is(shown: str) -> None:
    """Write to stderr, above a bar if there is one, what is made to be shown."""
    if _as_events:
        print_to_stderr(json.dumps({"event": "log", "line": shown}))
    elif _consoles:
        with contextlib.suppress(OSError, ValueError):  # as there, a log is no reason to fail
            _consoles[-1].out(shown, highlight=False)
    else:
        print_to_stderr(shown)


@contextlib.contextmanager
def lines_above(console: Console) -> Iterator[None]:
    """Until the end, write lines so that they stand above what the console draws."""
    _consoles.append(console)
    try:
        yield
    finally:
        _consoles.remove(console)


@contextlib.contextmanager
def warnings_only() -> Iterator[None]:
    """Until the end, log no more than warnings, unless somebody wants every detail."""
    root = logging.getLogger()
    before = root.level
    if before == logging.INFO:
        root.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.setLevel(before)


@contextlib.contextmanager
def lines_as_events() -> Iterator[None]:
    """Until the end, write lines as JSON objects, among others that programs read."""
    _as_events.append(True)
    try:
        yield
    finally:
        _as_events.pop()
