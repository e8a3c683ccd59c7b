"""Tables of very many columns.

Pandas and Arrow spend microseconds and kilobytes on every column. Where columns are short and
there are a hundred thousand of them, plain Python is faster and needs less memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.submission.inference import MISSING_WORDS, Text, infer

MANY_COLUMNS = 1000
CELLS_AT_A_TIME = 1_000_000
SEPARATOR = "\0"
"""In no cell of a file that is read at all."""

_MISSING = frozenset(MISSING_WORDS)


def wide_table(names: list[str], rows: Iterator[list[str]]) -> pd.DataFrame:
    """A table from rows with one cell for each name; texts are Python objects."""
    joined: list[list[str]] = [[] for _ in names]
    # Cells that are joined take a tenth of the memory of Python strings.
    rows_at_a_time = max(1, CELLS_AT_A_TIME // len(names))
    while cells := list(chain.from_iterable(islice(rows, rows_at_a_time))):
        for position, parts in enumerate(joined):
            parts.append(SEPARATOR.join(cells[position :: len(names)]))
    if not joined[0]:
        return pd.DataFrame(columns=names, dtype=object)
    columns = [_values(SEPARATOR.join(parts).split(SEPARATOR)) for parts in joined]
    return _in_blocks(columns).set_axis(names, axis=1)


def _values(cells: list[str]) -> npt.NDArray[Any]:
    values = infer(cells)
    if values is Text.WITHOUT_GAPS:
        return np.array(cells, np.object_)
    if values is Text.WITH_GAPS:
        return np.array([np.nan if cell in _MISSING else cell for cell in cells], np.object_)
    return values


def _in_blocks(columns: list[npt.NDArray[Any]]) -> pd.DataFrame:
    """A table put together from one block for each type."""
    by_type = defaultdict(list)
    for position, column in enumerate(columns):
        by_type[column.dtype].append(position)
    blocks = [
        pd.DataFrame(
            np.stack([columns[position] for position in positions], axis=1),
            columns=positions,
            dtype=dtype,
        )
        for dtype, positions in by_type.items()
    ]
    return pd.concat(blocks, axis=1)[range(len(columns))]
