"""Tables that fit where they are shown: important columns first, nothing cut, no word broken."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlebench.cli.screen import BOLD, STYLES, Screen
from mlebench.cli.wrapping import placed, width_of, wrapped
from mlebench.printable import printable

GAP = "  "
INDENT = "    "
LEAST_TEXT = 24
"""How narrow a column of text may become before another one is left out instead."""
LONGEST_WORD = 40
"""Longer ones among the text, such as paths, stand out of their column rather than widen it."""
COMMAND = "mlebench "

Cell = str | int | float | bool | None


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: What stands above it.
        rank: Which columns are left out first if there is no room: those of the highest rank.
            One of rank 0 always stays.
        wraps: Its cells are sentences, which may go on in the next line. All others, such as
            ids, paths and numbers, stay whole.
        is_right: Its cells end below each other, as numbers do anyway.
    """

    name: str
    rank: int = 0
    wraps: bool = False
    is_right: bool = False


class _Laid(NamedTuple):
    """A column with its texts and the width it gets."""

    column: Column
    texts: tuple[str, ...]
    is_right: bool

    @property
    def natural(self) -> int:
        return max(map(width_of, (self.column.name, *self.texts)))

    @property
    def least(self) -> int:
        if not self.column.wraps:
            return self.natural
        words = [word for text in (self.column.name, *self.texts) for word in text.split()]
        widths = [width for width in map(width_of, words) if width <= LONGEST_WORD]
        return max([min(self.natural, LEAST_TEXT), *widths])


def table_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], screen: Screen, *, wide: bool = False
) -> Iterator[str]:
    """The lines of a table; where even its first columns have no room, of a block for each row.

    Args:
        columns: From left to right.
        rows: A cell for each column.
        screen: Where they are shown.
        wide: Leave no column out, however long the lines become.
    """
    laid = [
        _Laid(
            column,
            tuple(cell_text(row[position]) for row in rows),
            column.is_right or _is_numeric(rows, position),
        )
        for position, column in enumerate(columns)
    ]
    kept = laid if wide else _fitting(laid, screen.width)
    if screen.width and not wide and _total(part.least for part in kept) > screen.width:
        yield from _block_lines(laid, len(rows), screen, screen.width)
        return
    widths = _widths(kept, None if wide else screen.width)
    names = [part.column.name for part in kept]
    yield from _line(names, kept, widths, screen, header=True)
    if screen.width is not None:
        yield GAP.join(("─" if screen.has_unicode else "-") * width for width in widths)
    for position in range(len(rows)):
        yield from _line([part.texts[position] for part in kept], kept, widths, screen)
    if left_out := [part.column.name for part in laid if part not in kept]:
        yield ""
        yield from textwrap.wrap(
            f"Not shown: {', '.join(left_out)}. --wide shows all.", screen.width or 80
        )


def _block_lines(laid: Sequence[_Laid], rows: int, screen: Screen, width: int) -> Iterator[str]:
    """Each row as a block: its first cell, and below it the others with their names."""
    first, *others = laid
    room = max(width - len(INDENT), LEAST_TEXT)
    for position in range(rows):
        yield screen.styled(first.texts[position], BOLD)
        short = [part for part in others if not part.column.wraps]
        pairs = [(part.column.name, part.texts[position]) for part in short]
        yield from (f"{INDENT}{line}" for line in _packed(pairs, room, screen))
        for part in others:
            if part.column.wraps and part.texts[position]:
                for line in wrapped(f"{part.column.name}: {part.texts[position]}", room):
                    yield placed(line, len(INDENT), width)


def _packed(pairs: Sequence[tuple[str, str]], room: int, screen: Screen) -> Iterator[str]:
    """Names and values, as many in a line as there is room for."""
    line: list[str] = []
    used = 0
    for name, text in pairs:
        taken = width_of(f"{name}: {text}") + len(GAP)
        if line and used + taken > room + len(GAP):
            yield GAP.join(line)
            line, used = [], 0
        line.append(f"{name}: {screen.styled(text, STYLES.get(text))}")
        used += taken
    if line:
        yield GAP.join(line)


def fact_lines(facts: Sequence[tuple[str, Cell]], screen: Screen) -> Iterator[str]:
    """Lines with a name on the left and a value beside it, or below it where that is too long."""
    shown = [(cell_text(name), cell_text(value)) for name, value in facts]
    indent = max((width_of(name) for name, _ in shown), default=0) + len(GAP)
    room = (screen.width or 10**6) - indent
    for name, text in shown:
        parts = _value_lines(text, max(room, LEAST_TEXT))
        if max(LEAST_TEXT, *map(width_of, parts)) > room:
            yield screen.styled(name, BOLD)
            yield from _lines_below(text, screen)
            continue
        label = screen.styled(name + " " * (indent - width_of(name)), BOLD)
        for number, part in enumerate(parts):
            styled = screen.styled(part, STYLES.get(text))
            yield (label if number == 0 else " " * indent) + styled


def _value_lines(text: str, width: int) -> list[str]:
    """The lines of a value; one that is a command stays in one, to be pasted."""
    return [text] if text.startswith(COMMAND) else wrapped(text, width)


def _lines_below(text: str, screen: Screen) -> Iterator[str]:
    """A value on lines of its own."""
    width = screen.width or 80
    for part in _value_lines(text, max(width - len(INDENT), LEAST_TEXT)):
        line = placed(part, len(INDENT), width)
        yield screen.styled(line, STYLES.get(text))


def text_lines(text: str, screen: Screen) -> Iterator[str]:
    """The lines of paragraphs and lists; an item goes on below its text. In a pipe as they are."""
    if screen.width is None:
        yield from text.splitlines()
        return
    for line in text.splitlines():
        indent = 2 if line.startswith("- ") else 0
        first, *more = wrapped(line, max(screen.width - indent, LEAST_TEXT))
        yield first
        yield from (placed(part, indent, screen.width) for part in more)


def cell_text(cell: Cell) -> str:
    """What stands for a value in one line; no digit of a number is lost, no sign is obeyed."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.12g}"
    return printable(str(cell).replace("\n", " ").replace("\t", " "))


def _is_numeric(rows: Sequence[Sequence[Cell]], position: int) -> bool:
    cells = [row[position] for row in rows if row[position] is not None]
    return bool(cells) and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells
    )


def _fitting(laid: Sequence[_Laid], width: int | None) -> list[_Laid]:
    """The columns there is room for."""
    kept = list(laid)
    while width is not None and _total(part.least for part in kept) > width:
        last = max(kept, key=lambda part: part.column.rank)
        if last.column.rank == 0:
            break
        kept.remove(last)
    return kept


def _widths(kept: Sequence[_Laid], width: int | None) -> list[int]:
    """How wide each column is; text shares what the others leave."""
    if width is None:
        return [part.natural for part in kept]
    widths = [part.least for part in kept]
    spare = width - _total(widths)
    for position, part in enumerate(kept):
        more = min(max(spare, 0), part.natural - widths[position])
        widths[position] += more
        spare -= more
    return widths


def _total(widths: Sequence[int] | Iterator[int]) -> int:
    several = list(widths)
    return sum(several) + len(GAP) * (len(several) - 1)


def _line(
    texts: Sequence[str],
    kept: Sequence[_Laid],
    widths: Sequence[int],
    screen: Screen,
    *,
    header: bool = False,
) -> Iterator[str]:
    """A row, which takes several lines if a text does.

    What is too long for its column has a line of its own.
    """
    cells = [
        wrapped(text, width) if part.column.wraps else [text]
        for text, part, width in zip(texts, kept, widths, strict=True)
    ]
    for number in range(max(map(len, cells))):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        fitting = [
            part if width_of(part) <= width else ""
            for part, width in zip(parts, widths, strict=True)
        ]
        shown = []
        for part, text, laid, width in zip(fitting, texts, kept, widths, strict=True):
            padding = " " * (width - width_of(part))
            styled = screen.styled(part, BOLD if header else STYLES.get(text))
            shown.append(padding + styled if laid.is_right else styled + padding)
        too_long = [part for part in parts if part not in fitting]
        if any(fitting) or not too_long:
            yield GAP.join(shown).rstrip()
        for part in too_long:
            yield placed(part, len(INDENT), screen.width or 0)
