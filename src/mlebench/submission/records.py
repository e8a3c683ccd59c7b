"""Splitting a csv into cells and naming its columns, as pandas 2.2 did.

This is the slow way, for files that Arrow cannot take: ragged rows, row labels, old line
ends, tens of thousands of columns. Pandas has no part in it: its time grows with the square
of the number of equal names, and behind a lone carriage return a line that begins with a
blank makes some of its releases repeat rows until the memory is full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mlebench.errors import InvalidSubmissionError

BLANKS = " \t"
LINE_END = re.compile(r"\r\n|\r|\n")
PLAIN_LINE = re.compile(r'([^"\r\n]*+)(\r\n|\r|\n|\Z)')
# A cell in quotes and what follows them, or a plain one; and what ends it. Quotes mean something
# at the beginning of a cell only.
CELL = re.compile(
    r"""
    (?: "(?P<quoted>[^"]*+(?:""[^"]*+)*+)"(?P<rest>[^,\r\n]*+) | (?P<plain>(?!")[^,\r\n]*+) )
    (?P<end> , | \r\n | \r | \n | \Z )
    """,
    re.VERBOSE,
)


def unreadable(reason: str) -> InvalidSubmissionError:
    """The refusal of a file that is no table."""
    return InvalidSubmissionError(f"The file cannot be read as a csv: {reason}.", code="unreadable")


def split_records(text: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank.

    Raises:
        InvalidSubmissionError: The file ends inside quotes, or has lines that pandas 2.2
            repeated without end or cut short.
    """
    position, misread_openings = 0, ""
    while position < len(text):
        start = position
        if line := PLAIN_LINE.match(text, start):
            content, line_end = line.groups()
            record, position = content.split(","), line.end()
            is_blank = not content.strip(BLANKS)
        else:
            record, line_end, position = _quoted_record(text, start)
            is_blank = False
        if not is_blank:
            if text[start] in misread_openings:
                raise unreadable(
                    f"line {_line(text, start)} begins with a blank or a comma, and the one before "
                    "ends with a lone carriage return; end all lines with a newline"
                )
            yield record
        misread_openings = "" if line_end != "\r" else BLANKS + "," if is_blank else BLANKS


def _quoted_record(text: str, position: int) -> tuple[list[str], str, int]:
    """The cells of a record with quotes in it, its line end, and where the next one begins."""
    record: list[str] = []
    end = ","
    while end == ",":
        cell = CELL.match(text, position)
        if cell is None:
            raise unreadable(f"the quotes opened in line {_line(text, position)} never close")
        quoted, rest, plain, end = cell.groups()
        record.append(plain if quoted is None else quoted.replace('""', '"') + rest)
        position = cell.end()
    return record, end, position


def _line(text: str, position: int) -> int:
    """The number of the line, counted from 1."""
    return 1 + sum(1 for _ in LINE_END.finditer(text, 0, position))


def name_columns(header: Sequence[str]) -> list[str]:
    """One name for each column.

    Empty ones are called after their position, the second ``a`` becomes ``a.1``, and so on;
    names that stand in the file are not taken away from their columns.
    """
    names = [name or f"Unnamed: {position}" for position, name in enumerate(header)]
    taken, repeats = set(names), dict[str, int]()
    for position in sorted(range(len(names)), key=lambda position: not header[position]):
        name = names[position]
        repeat = repeats.get(name, 0)
        if repeat:
            while f"{name}.{repeat}" in taken:
                repeat += 1
            names[position] = f"{name}.{repeat}"
            taken.add(names[position])
        repeats[name] = repeat + 1
    return names


def even_rows(records: Iterable[list[str]], columns: int, most_added: int) -> Iterator[list[str]]:
    """The records below a header, with one cell for each column.

    Short rows end with empty cells. Where the first row is longer than the header, its
    surplus of leading cells, and that of all others, labels the rows; labels are dropped.

    Args:
        records: The rows.
        columns: The length of the header.
        most_added: How many cells may be added to short rows in all.

    Raises:
        InvalidSubmissionError: A later row is longer still, or too many cells are missing.
    """
    width = added = 0
    for number, record in enumerate(records, 1):
        width = width or max(columns, len(record))
        if len(record) > width:
            raise unreadable(f"row {number} has {len(record)} cells, where {width} are expected")
        if len(record) < width:
            added += width - len(record)
            if added > most_added:
                raise unreadable(f"the header has {columns} names, and most rows far fewer cells")
            record.extend([""] * (width - len(record)))
        yield record[width - columns :] if width > columns else record
