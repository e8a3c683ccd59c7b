"""The content of a csv file, in bounded memory.

Arrow splits the usual files. Where it stumbles, over rows of different lengths or longer than a
block, the csv module starts again from the first row; both split what they can read alike. Cells
are bytes, so the encoding of the file does not matter to either.
"""

from __future__ import annotations

import codecs
import csv
import os
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.table_content import TableContent, distinct
from mlebench.data.text_columns import TextColumn

if TYPE_CHECKING:
    import pyarrow as pa

SMALLEST_BLOCK = 4 * 2**20
LARGEST_BLOCK = 64 * 2**20
# A block of a wide table would hold only a few rows, and each column costs its overhead.
BYTES_PER_COLUMN = 2**18
BYTES_OF_AN_OBJECT = 64
LONGEST_CELL = 2**31 - 1
# Maps bytes to signs and back one by one.
BYTEWISE = "latin-1"


def csv_content(path: Path) -> TableContent:
    """Rows and columns of a csv file; its first row holds the names."""
    import pyarrow as pa

    with closing(_rows(path)) as rows:
        header = next(rows, None)
    if header is None:
        return TableContent(rows=0, columns={})
    try:
        return _content(header, _split_by_arrow(path, len(header)))
    except pa.ArrowInvalid:
        return _content(header, _split_by_csv(path))


def _content(header: list[bytes], parts: Iterator[list[pa.Array]]) -> TableContent:
    """Hash the columns of all parts, each part while the next one is being split."""
    columns = [TextColumn() for _ in header]
    rows = 0
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        pending: list[Future[None]] = []
        for part in parts:
            _finish(pending)
            for _ in part[len(columns) :]:
                columns.append(TextColumn())
                columns[-1].add_missing(rows)
            pending = [threads.submit(columns[i].add, cells) for i, cells in enumerate(part)]
            count = len(part[0])
            pending += [threads.submit(rest.add_missing, count) for rest in columns[len(part) :]]
            rows += count
        _finish(pending)
    names = [name.decode("utf-8", "backslashreplace") for name in header]
    names += ["(beyond the header)"] * (len(columns) - len(names))
    digests = (column.digest() for column in columns)
    return TableContent(rows, dict(zip(distinct(names), digests, strict=True)))


def _finish(pending: list[Future[None]]) -> None:
    for future in pending:
        future.result()


def _split_by_arrow(path: Path, width: int) -> Iterator[list[pa.Array]]:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    names = [str(number) for number in range(width)]  # those in the file may not be unique
    block = min(max(SMALLEST_BLOCK, width * BYTES_PER_COLUMN), LARGEST_BLOCK)
    with arrow_csv.open_csv(
        path,
        arrow_csv.ReadOptions(column_names=names, block_size=block),
        arrow_csv.ParseOptions(newlines_in_values=True),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.binary()), strings_can_be_null=False
        ),
    ) as reader:
        header = 1
        for batch in reader:
            yield batch.slice(header).columns
            header -= min(header, len(batch))


def _split_by_csv(path: Path) -> Iterator[list[pa.Array]]:
    rows = _rows(path)
    next(rows)  # the header
    part: list[list[bytes]] = []
    size = 0
    for row in rows:
        part.append(row)
        size += sum(map(len, row)) + len(row) * BYTES_OF_AN_OBJECT
        if size >= LARGEST_BLOCK:
            yield _columns(part)
            part, size = [], 0
    if part:
        yield _columns(part)


def _columns(rows: list[list[bytes]]) -> list[pa.Array]:
    import pyarrow as pa

    return [pa.array(cells, pa.binary()) for cells in zip_longest(*rows, fillvalue=b"")]


def _rows(path: Path) -> Generator[list[bytes], None, None]:
    """The rows as the csv module splits them, without blank ones."""
    csv.field_size_limit(LONGEST_CELL)
    mark = codecs.BOM_UTF8.decode(BYTEWISE)
    with path.open(encoding=BYTEWISE, newline="") as file:
        if file.read(len(mark)) != mark:
            file.seek(0)
        for row in csv.reader(file):
            if row:
                yield [cell.encode(BYTEWISE) for cell in row]
