"""Reading a csv as the original's pandas did, several times faster.

The original reads submissions with ``pandas.read_csv(float_precision="round_trip")`` and
lets the types it infers decide what is valid. Arrow splits the same bytes in parallel and
rounds floats correctly, so we let Arrow read, and infer types column by column. Whatever
Arrow stumbles over (ragged rows, row labels, odd line ends) is split by `records` instead;
whatever is no plain column of numbers or text (huge numbers, infinities, gaps among truth
values) is judged by `inference`. Both follow pandas 2.2, whichever pandas is installed:
there is one meaning of a file and two speeds.
"""

from __future__ import annotations

import codecs
import mmap
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.columns import FALSE_WORDS, TRUE_WORDS
from mlebench.submission.inference import MISSING_WORDS, Text, infer
from mlebench.submission.records import even_rows, name_columns, split_records
from mlebench.submission.tables import make_table
from mlebench.submission.wide import MANY_COLUMNS, wide_table
from mlebench.versions import arrow_threads

# A cell with any other character than these is no number, however numbers are spelt.
NOT_A_NUMBER = r"[^0-9eE.+\-\s\vinfatyINFATY]"
FRACTION = "[.eE]"

HEXADECIMAL = (b"0x", b"0X")  # which begin a number to Arrow only
WHOLE_NUMBER = re.compile("[0-9]{1,18}")

# As a line end of its own, pandas and Arrow see different blank lines around it.
LONE_RETURN = re.compile(rb"\r(?!\n)")

ARROW_BYTES_PER_COLUMN = 7000
"""What Arrow spends on a column, however short it is."""

# A header of a hundred thousand names above a million short rows would fill any memory. Beyond
# this, no more cells are added to short rows than the file has characters.
MOST_ADDED_CELLS = 1_000_000

CELLS_AT_A_TIME = 100_000
ONE_THREAD_BYTES = 1_000_000  # up to which several threads cost more than they gain
LONGEST_HINT = 10_000  # bytes of a first row that hint at types
BLOCK, LARGEST_BLOCK = 2**20, 2**31 - 1  # bytes that Arrow reads at a time


Content = bytes | mmap.mmap
Column = Any
"""The values of a column, in whatever pandas makes a table of without a copy."""


class _NotForArrowError(Exception):
    """Arrow does not split the file as pandas did, or at too high a price."""


def read_table(
    path: Path, numbers: Collection[str] = (), only: Collection[str] | None = None
) -> pd.DataFrame:
    """Read a csv that nobody writes to; values and types are those that pandas 2.2 inferred.

    Text columns come back as Arrow strings, which compare and hash without Python
    objects, unless there are very many columns. An empty file gives an empty frame.

    Args:
        path: The file.
        numbers: Columns expected to be numeric. If they are, they come back as floats or
            truth values; parsing them at once saves a pass.
        only: The columns wanted; by default all.

    Raises:
        InvalidSubmissionError: The file is not a readable csv.
    """
    if path.stat().st_size == 0:
        return pd.DataFrame()
    with path.open("rb") as file:
        # Never closed by hand: Arrow may still hold on to the mapping.
        return parse_table(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), numbers, only)


def parse_table(
    data: Content, numbers: Collection[str] = (), only: Collection[str] | None = None
) -> pd.DataFrame:
    """As `read_table`, from the content of a file."""
    if not len(data):
        return pd.DataFrame()
    if data.find(b"\0") >= 0:
        raise InvalidSubmissionError(
            "The file holds NUL bytes: it is binary, or not saved as UTF-8.", code="encoding"
        )
    try:
        return _read_with_arrow(data, numbers, only)
    except _NotForArrowError:
        table = _read_with_python(data)
    if only is not None:
        table = table[[name for name in table.columns if name in only]]
    return table.assign(**{name: _as_expected(table[name]) for name in numbers if name in table})


def _as_expected(column: Column) -> Column:
    """A column that should hold numbers: floats, if those it holds are whole."""
    return column.astype(np.float64) if column.dtype.kind in "iu" else column


def _read_with_arrow(
    data: Content, numbers: Collection[str], only: Collection[str] | None
) -> pd.DataFrame:
    if data.find(b"\r") >= 0 and LONE_RETURN.search(data):
        raise _NotForArrowError
    source = _ArrowSource.find(data)
    wanted = source.names if only is None else [name for name in source.names if name in only]
    if not wanted:
        raise _NotForArrowError
    whole = source.seemingly_whole({*wanted}.difference(numbers))
    if whole and any(data.find(prefix) >= 0 for prefix in HEXADECIMAL):
        whole = frozenset()
    table = source.parse(
        {
            name: guess if name in numbers else pa.int64() if name in ids else pa.string()
            for name in wanted
        }
        for ids in ([whole, frozenset()] if whole else [whole])
        for guess in source.guesses()
    )
    columns = {name: _typed(table.column(name)) for name in wanted}
    if odd := [name for name, column in columns.items() if column is None]:
        raw = source.parse_raw(odd)
        columns |= {name: _judged(raw.column(name)) for name in odd}
    for name in numbers:
        if (column := columns.get(name)) is not None:
            columns[name] = _as_expected(column)
    return make_table(columns)


@dataclass(frozen=True)
class _ArrowSource:
    """The rows of a file that Arrow splits as pandas does."""

    rows: pa.Buffer
    names: list[str]
    has_quotes: bool
    block_size: int

    @classmethod
    def find(cls, data: Content) -> _ArrowSource:
        """The rows below a header."""
        start = data.find(b"\n") + 1
        names = _header(data[:start])
        if len(names) == 1:
            raise _NotForArrowError  # a line of blanks is a row to Arrow only
        if len(names) > MANY_COLUMNS and len(data) < len(names) * ARROW_BYTES_PER_COLUMN:
            raise _NotForArrowError
        if data[start : start + len(codecs.BOM_UTF8)] == codecs.BOM_UTF8:
            raise _NotForArrowError  # Arrow drops it wherever it begins to read
        block_size = _block_size(data, start)
        if data.find(b'"') < 0:
            return cls(pa.py_buffer(data).slice(start), names, False, block_size)
        return cls(pa.py_buffer(data[start:] + _last_row(names)), names, True, block_size)

    @cached_property
    def _first_row(self) -> list[str]:
        line, _, _ = bytes(memoryview(self.rows)[:LONGEST_HINT]).partition(b"\n")
        return line.decode(errors="replace").rstrip().split(",")

    def seemingly_whole(self, among: Collection[str]) -> frozenset[str]:
        """Those of some columns that the first row lets expect whole numbers in, such as ids."""
        return frozenset(
            name
            for name, cell in zip(self.names, self._first_row, strict=False)
            if name in among and WHOLE_NUMBER.fullmatch(cell)
        )

    def guesses(self) -> list[pa.DataType]:
        """Types to try on number columns, the one that the first row suggests in front."""
        is_boolean = not {*TRUE_WORDS, *FALSE_WORDS}.isdisjoint(self._first_row)
        likely = [pa.bool_(), pa.float64()] if is_boolean else [pa.float64(), pa.bool_()]
        return [*likely, pa.string()]

    def parse(self, attempts: Iterable[dict[str, pa.DataType]]) -> pa.Table:
        """The columns under the first types that fit all cells."""
        for types in attempts:
            try:
                table = self._parse(types, MISSING_WORDS)
            except pa.ArrowInvalid as error:
                reason = error
                continue
            if self.has_quotes:
                _check_last_row(table)
                table = table.slice(0, table.num_rows - 1)
            if table.num_rows == 0:
                raise _NotForArrowError
            return table
        raise _NotForArrowError from reason

    def parse_raw(self, names: Iterable[str]) -> pa.Table:
        """Columns as they stand in the file, once it has been parsed."""
        table = self._parse(dict.fromkeys(names, pa.string()), ())
        return table.slice(0, table.num_rows - 1) if self.has_quotes else table

    def _parse(self, types: dict[str, pa.DataType], missing: Sequence[str]) -> pa.Table:
        return pyarrow.csv.read_csv(
            self.rows,
            read_options=pyarrow.csv.ReadOptions(
                block_size=self.block_size,
                column_names=self.names,
                use_threads=len(self.rows) > ONE_THREAD_BYTES and arrow_threads(),
            ),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=self.has_quotes),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=missing,
                true_values=TRUE_WORDS,
                false_values=FALSE_WORDS,
                strings_can_be_null=True,
            ),
        )


def _block_size(data: Content, start: int) -> int:
    """So much that no line is longer; that of a large mask may have millions of characters."""
    while start + BLOCK < len(data):
        end = data.rfind(b"\n", start, start + BLOCK)
        if end < 0:
            return min(len(data), LARGEST_BLOCK)
        start = end + 1
    return BLOCK


def _header(line: bytes) -> list[str]:
    """The names in a first line that is all of the header, and nothing but it."""
    try:
        records = list(split_records(line.removeprefix(codecs.BOM_UTF8).decode()))
    except (UnicodeDecodeError, InvalidSubmissionError) as error:
        raise _NotForArrowError from error  # quotes may close further down
    if len(records) != 1:
        raise _NotForArrowError
    return name_columns(records[0])


def _last_row(names: list[str]) -> bytes:
    """An empty row to put behind a file with quotes.

    Arrow reads a file that ends inside quotes, pandas refuses it. Such a file swallows the
    row; all others show it.
    """
    return b"\n" + b",".join([b'""'] * len(names)) + b"\n"


def _check_last_row(table: pa.Table) -> None:
    if any(column[table.num_rows - 1].is_valid for column in table.columns):
        raise _NotForArrowError


def _read_with_python(data: Content) -> pd.DataFrame:
    try:
        text = str(memoryview(data), "utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InvalidSubmissionError(
            "The file is not UTF-8 text; save it as a UTF-8 csv.", code="encoding"
        ) from error
    records = split_records(text)
    header = next(records, None)
    if header is None:
        return pd.DataFrame()
    names = name_columns(header)
    rows = even_rows(records, len(names), max(MOST_ADDED_CELLS, len(text)))
    if len(names) > MANY_COLUMNS:
        return wide_table(names, rows)
    raw = dict(zip(names, _gather(rows, len(names)), strict=True))
    if not any(len(cells) for cells in raw.values()):
        return pd.DataFrame(columns=names, dtype=object)
    typed = {name: _typed(_with_gaps(cells)) for name, cells in raw.items()}
    typed |= {name: _judged(raw[name]) for name, column in typed.items() if column is None}
    return make_table(typed)


def _gather(rows: Iterator[list[str]], width: int) -> list[pa.ChunkedArray]:
    """The columns of rows that all have this width, in Arrow's memory."""
    chunks: list[list[pa.Array]] = [[] for _ in range(width)]
    # A flat list; the garbage collector would look at every row of a nested one.
    while cells := list(chain.from_iterable(islice(rows, CELLS_AT_A_TIME // width))):
        for position, own in enumerate(chunks):
            own.append(pa.array(cells[position::width], pa.string()))
    return [pa.chunked_array(own, pa.string()) for own in chunks]


class _Cells:
    """The cells of a column as Python strings, few at a time, as often as wanted."""

    def __init__(self, cells: pa.ChunkedArray) -> None:
        self._chunks = cells.chunks

    def __iter__(self) -> Iterator[str]:
        for chunk in self._chunks:
            yield from chunk.to_pylist()


def _judged(cells: pa.ChunkedArray) -> Column:
    """A column whose type takes a closer look."""
    values = infer(_Cells(cells))
    if isinstance(values, Text):
        return _text(cells if values is Text.WITHOUT_GAPS else _with_gaps(cells))
    # As a series, lest pandas guess what objects are.
    return pd.Series(values, dtype=object) if values.dtype == object else values


def _with_gaps(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.is_in(cells, pa.array(MISSING_WORDS)), None, cells)


def _text(cells: pa.ChunkedArray) -> Column:
    return pd.arrays.ArrowExtensionArray(cells)


def _typed(cells: pa.ChunkedArray) -> Column | None:
    """The column with the type that pandas gave it, if that is plain to see."""
    if cells.type == pa.float64():
        return _floats(cells)
    if cells.type == pa.bool_():
        return _booleans(cells)
    if cells.type == pa.int64():
        rounded = cells.cast(pa.float64(), safe=False) if cells.null_count else None
        return cells.to_numpy() if rounded is None else _floats(rounded)
    first = _first_cell(cells)
    if first is None:
        return np.full(len(cells), np.nan)
    if first.lower() in ("true", "false"):  # odd capitals too are truth values to pandas
        return _booleans(_words_to_booleans(cells))
    if _may_be_number(first):
        try:
            return _numbers(cells)
        except pa.ArrowInvalid:
            if not _any_match(cells, NOT_A_NUMBER):
                return None
    return _text(cells)


def _first_cell(cells: pa.ChunkedArray) -> str | None:
    for chunk in cells.chunks:
        present = chunk.drop_null() if chunk.null_count else chunk
        if len(present):
            return str(present[0])
    return None


def _may_be_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # 1_000 is a number to Python only


def _any_match(cells: pa.ChunkedArray, pattern: str) -> bool:
    """Whether the pattern is in some cell; seldom needs to look beyond the first chunk."""
    return any(pc.any(pc.match_substring_regex(chunk, pattern)).as_py() for chunk in cells.chunks)


def _words_to_booleans(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    is_true = pc.is_in(cells, pa.array(TRUE_WORDS))
    is_false = pc.is_in(cells, pa.array(FALSE_WORDS))
    return pc.if_else(pc.or_(is_true, is_false), is_true, None)


def _booleans(cells: pa.ChunkedArray) -> Column | None:
    # Gaps make Python objects of truth values, and a word makes text of them.
    return None if cells.null_count else cells.to_numpy()


def _numbers(cells: pa.ChunkedArray) -> Column | None:
    values = cells.cast(pa.float64())
    if not cells.null_count:
        try:
            return cells.cast(pa.int64()).to_numpy()
        except pa.ArrowInvalid:
            if not _any_match(cells, FRACTION):
                return None  # +1 is a whole number to pandas
    return _floats(values)


def _floats(cells: pa.ChunkedArray) -> Column | None:
    # Infinities, whole numbers beyond 64 bits, and NaN in other spellings than the words for
    # missing have rules of their own.
    values = cells.to_numpy()
    if cells.null_count:
        missing = int(np.isnan(values).sum())
        is_plain = missing == cells.null_count and not (np.abs(values) >= 2.0**63).any()
    else:
        is_plain = values.min() > -(2.0**63) and values.max() < 2.0**63  # never if one is NaN
    return values if is_plain else None
