"""Printing results: tables for people, JSON for programs."""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mlebench.cli.logs import lines_above, print_as_it_is
from mlebench.cli.screen import Screen
from mlebench.cli.tables import Cell, Column, fact_lines, table_lines, text_lines
from mlebench.printable import print_to_stderr, printable_lines

if TYPE_CHECKING:
    from rich.progress import Progress

logger = logging.getLogger(__name__)


def echo(text: str = "", end: str = "\n") -> None:
    """Print on stdout in the encoding it has; `typer.echo` takes ASCII for a mistake."""
    if sys.stdout:
        sys.stdout.write(f"{text}{end}")
        sys.stdout.flush()


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; numbers that JSON does not have are null."""
    echo(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, wide: bool = False
) -> None:
    """Print a table that fits the terminal; in a pipe, all of it in plain lines."""
    _print_lines(table_lines(columns, rows, Screen.here(), wide=wide))


def print_table_to_stderr(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], *, wide: bool = False
) -> None:
    """Print a table among what is logged."""
    for line in table_lines(columns, rows, Screen.of(sys.stderr), wide=wide):
        print_as_it_is(line)


def print_facts(facts: Sequence[tuple[str, Cell]]) -> None:
    """Print names and what is to be said of each."""
    _print_lines(fact_lines(facts, Screen.here()))


def print_text(text: str) -> None:
    """Print paragraphs and lists that fit the terminal; in a pipe as they are."""
    _print_lines(text_lines(text, Screen.here()))


def print_message(text: str) -> None:
    """Print a message on stderr, on a terminal in lines that fit; no sign in it is obeyed."""
    for line in text_lines(printable_lines(text), Screen.of(sys.stderr)):
        print_to_stderr(line)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        echo(line)


def log_for_programs(*messages: str) -> None:
    """Log what programs written for the original look for; on a terminal, people have a table."""
    if not sys.stderr or not sys.stderr.isatty():
        for message in messages:
            logger.info("%s", message)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on stderr, gone when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    # Lines that were redirected would be wrapped; ours are written above the bar as they are.
    progress = Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    )
    is_quiet = not logger.isEnabledFor(logging.WARNING)
    if is_quiet or not console.is_terminal or console.is_dumb_terminal:
        yield progress  # never drawn
        return
    with progress, lines_above(console):
        yield progress
