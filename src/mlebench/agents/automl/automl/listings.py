"""Files of text whose lines name something and list what is known of it, as much as there is.

Their first line often does not say how many values follow. Where lists are of different lengths
they are taken for what something has, of several things that it may have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

SUFFIX = ".txt"
SEPARATORS = (",", "\t", ";", "|")
NAME = re.compile(r"[A-Za-z]\w*")
UNKNOWN = "?"
FEWEST_LINES, MOST_LABELS = 4, 1000
LEAST_REPEATED = 1.5
BYTES_FOR_ONE = 20  # what a byte of such a file takes as a table
BYTES_A_MARK = 8


def read_listing(path: Path, memory: int) -> pd.DataFrame | None:
    """A file as a table; None if its lines list nothing.

    Lists of one length become columns. Of others, each thing that is listed becomes a column of
    0 and 1; where only a question mark is listed, that is not known.

    Args:
        path: The file.
        memory: How many bytes the table may have.
    """
    if path.stat().st_size * BYTES_FOR_ONE > memory:
        return None
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if len(lines) <= FEWEST_LINES:
        return None
    separator = next((one for one in SEPARATORS if one in lines[0]), None)
    if separator is None or not NAME.fullmatch(lines[0].split(separator)[0].strip()):
        return None
    header, *rows = (_parts(line, separator) for line in lines if line.strip())
    if len(rows) < FEWEST_LINES:
        return None
    longest = max(map(len, rows))
    if longest < 2 or len({bool(re.search("[A-Za-z]", row[0])) for row in rows}) > 1:
        return None
    if all(len(row) in (1, longest) for row in rows):
        return _table(header, rows, longest, path.stem)
    return _marks(header[0], rows, memory)


def _parts(line: str, separator: str) -> list[str]:
    parts = [part.strip() for part in line.split(separator)]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def _table(header: list[str], rows: list[list[str]], width: int, called: str) -> pd.DataFrame:
    names = header[:width]
    if len(names) < width:  # the last name is that of all that follow, or of something else
        names = [names[0], *(f"{called} {place}" for place in range(1, width))]
    padded = [row + [""] * (width - len(row)) for row in rows]
    columns = map(_numbers, zip(*padded, strict=True))
    apart = (
        name if name not in names[:place] else f"{name} {place}" for place, name in enumerate(names)
    )
    return pd.DataFrame(dict(zip(apart, columns, strict=True)))


def _numbers(texts: tuple[str, ...]) -> pd.Series:
    """Numbers where all are, else the texts."""
    column = pd.Series(texts, dtype=object)
    try:
        return pd.to_numeric(column.where(column != "", None))
    except (TypeError, ValueError):
        return column


def _marks(key: str, rows: list[list[str]], memory: int) -> pd.DataFrame | None:
    """A column of 0 and 1 for each label; None if these are no labels, or too many."""
    counts = Counter(_listed(rows))
    if not 2 <= len(counts) <= MOST_LABELS:
        return None
    if len(rows) * len(counts) * BYTES_A_MARK > memory or key in counts:
        return None
    if counts.total() < LEAST_REPEATED * len(counts) or len({row[0] for row in rows}) < len(rows):
        return None
    labels = sorted(counts, key=lambda label: (not label.isdigit(), len(label), label))
    places = {label: place for place, label in enumerate(labels)}
    marks = np.zeros((len(rows), len(labels)), dtype=np.float32)
    for row, (_, *listed) in enumerate(rows):
        if listed == [UNKNOWN]:
            marks[row] = np.nan
        else:
            marks[row, [places[label] for label in listed if label in places]] = 1
    told = pd.DataFrame(marks, columns=labels)
    told.insert(0, key, _numbers(tuple(row[0] for row in rows)))
    return told


def _listed(rows: list[list[str]]) -> Iterator[str]:
    return (label for _, *listed in rows for label in listed if label not in (UNKNOWN, ""))
