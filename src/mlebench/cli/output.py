"""Printing results: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.progress import Progress


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout; numbers that JSON does not have are null."""
    typer.echo(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table: drawn on a terminal, plain and aligned in a pipe."""
    cells = [[_text(cell) for cell in row] for row in rows]
    if sys.stdout and sys.stdout.isatty():
        _draw(columns, cells)
        return
    widths = [
        max(len(row[index]) for row in [list(columns), *cells]) for index in range(len(columns))
    ]
    for row in [columns, *cells]:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo(line.rstrip())


def _draw(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for position, name in enumerate(columns):
        # What a row is about must stay whole, to be read and copied.
        table.add_column(name, no_wrap=position == 0)
    for row in cells:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    Console().print(table)


_STYLES = {"ok": "green", "gold": "yellow", "failed": "bold red", "low": "green", "high": "red"}


def _text(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on stderr, gone when the work is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    progress = Progress(*columns, console=console, transient=True)
    if not console.is_terminal:
        yield progress  # never drawn
        return
    with progress:
        yield progress
