"""Reading a csv as pandas would, several times faster.

The original reads submissions with ``pandas.read_csv(float_precision="round_trip")`` and
lets the types it infers decide what is valid: a mask column of plain numbers is not text,
``NA`` is missing, ``True`` is a boolean. Arrow parses the same bytes in parallel and rounds
floats correctly, so we let Arrow read and repeat pandas' inference column by column.
Whatever Arrow stumbles over (ragged rows, row labels, odd numbers) pandas reads instead,
so there is one meaning of a file and two speeds.
"""

from __future__ import annotations

import codecs
import mmap
import re
import warnings
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.columns import FALSE_WORDS, TRUE_WORDS
from mlebench.versions import round_trip_option

MISSING_WORDS = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip

# A cell with any other character than these is no number, however numbers are spelt.
NOT_A_NUMBER = r"[^0-9eE.+\-\s\vinfatyINFATY]"


# As a line end of its own, pandas and Arrow see different blank lines around it.
LONE_RETURN = re.compile(rb"\r(?!\n)")


class _NeedsPandasError(Exception):
    """The file or a column of it is outside what both readers agree on."""


def read_table(
    path: Path, numbers: Collection[str] = (), only: Collection[str] | None = None
) -> pd.DataFrame:
    """Read a csv; values and types are those of pandas' default inference.

    Text columns come back as Arrow strings, which compare and hash without Python
    objects. An empty file gives an empty frame.

    Args:
        path: The file.
        numbers: Columns expected to be numeric; parsing them at once saves a pass.
        only: The columns wanted; by default all.

    Raises:
        InvalidSubmissionError: The file is not a readable csv.
    """
    try:
        return _read_with_arrow(path, numbers, only)
    except _NeedsPandasError:
        return _read_with_pandas(path)


def _read_with_pandas(path: Path) -> pd.DataFrame:
    try:
        with warnings.catch_warnings():
            # Mixed types are the checks' business, not a warning.
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            frame: pd.DataFrame = pd.read_csv(path, **round_trip_option())
            return frame
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    except UnicodeError as error:
        raise InvalidSubmissionError(
            "The file is not UTF-8 text; save it as a UTF-8 csv.", code="encoding"
        ) from error
    except (ValueError, OverflowError, MemoryError) as error:
        reason = " ".join(str(error).split())
        raise InvalidSubmissionError(
            f"The file cannot be read as a csv: {reason}", code="unreadable"
        ) from error


def _read_with_arrow(
    path: Path, numbers: Collection[str], only: Collection[str] | None
) -> pd.DataFrame:
    if path.stat().st_size == 0:
        return pd.DataFrame()
    with path.open("rb") as file:
        # Never closed by hand: Arrow may still hold on to the mapping.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if data.find(b"\0") >= 0:
        raise InvalidSubmissionError(
            "The file holds NUL bytes: it is binary, or not saved as UTF-8.", code="encoding"
        )
    if data.find(b"\r") >= 0 and LONE_RETURN.search(data):
        raise _NeedsPandasError
    names = _header(data)
    wanted = names if only is None else [name for name in names if name in only]
    types = [_types(wanted, numbers, guess) for guess in _guesses(data)]
    if data.find(b'"') < 0:
        table = _parse(pa.py_buffer(data), types, newlines=False)
    else:
        content = pa.py_buffer(data[:] + _last_row(names))
        table = _without_last_row(_parse(content, types, newlines=True))
    if table.num_rows == 0:
        raise _NeedsPandasError
    columns = {name: _typed(table.column(name)) for name in table.column_names}
    return pd.DataFrame(columns, copy=False)


def _header(data: mmap.mmap) -> list[str]:
    line = data[: data.find(b"\n") + 1].removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n")
    names = line.split(b",")
    if b'"' in line or b"\r" in line or not all(names) or len(set(names)) < len(names):
        raise _NeedsPandasError  # quoted, old-Mac, unnamed or repeated columns
    if len(names) == 1:
        raise _NeedsPandasError  # a line of blanks is a row to Arrow only
    try:
        return [name.decode() for name in names]
    except UnicodeDecodeError as error:
        raise _NeedsPandasError from error


def _last_row(names: list[str]) -> bytes:
    """An empty row to put behind a file with quotes.

    Arrow reads a file that ends inside quotes, pandas refuses it. Such a file swallows the
    row; all others show it.
    """
    return b"\n" + b",".join([b'""'] * len(names)) + b"\n"


def _without_last_row(table: pa.Table) -> pa.Table:
    rows = table.num_rows - 1
    if any(column[rows].is_valid for column in table.columns):
        raise _NeedsPandasError
    return table.slice(0, rows)


def _types(
    names: Collection[str], numbers: Collection[str], guess: pa.DataType
) -> dict[str, pa.DataType]:
    return {name: guess if name in numbers else pa.string() for name in names}


def _parse(
    content: pa.Buffer, attempts: Iterable[dict[str, pa.DataType]], *, newlines: bool
) -> pa.Table:
    """The columns under the first types that fit all cells."""
    for types in attempts:
        try:
            return pyarrow.csv.read_csv(
                content,
                parse_options=pyarrow.csv.ParseOptions(newlines_in_values=newlines),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=MISSING_WORDS,
                    true_values=TRUE_WORDS,
                    false_values=FALSE_WORDS,
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            reason = error
    raise _NeedsPandasError from reason


def _guesses(data: mmap.mmap) -> list[pa.DataType]:
    """Types to try on number columns, the one that the first row suggests in front."""
    start = data.find(b"\n") + 1
    cells = data[start : data.find(b"\n", start)].decode(errors="replace").rstrip().split(",")
    is_boolean = not {*TRUE_WORDS, *FALSE_WORDS}.isdisjoint(cells)
    likely = [pa.bool_(), pa.float64()] if is_boolean else [pa.float64(), pa.bool_()]
    return [*likely, pa.string()]


def _typed(cells: pa.ChunkedArray) -> pd.Series[Any]:
    """The column with the type that pandas would give it."""
    if cells.type == pa.float64():
        return _floats(cells)
    if cells.type == pa.bool_():
        return _booleans(cells)
    first = _first_cell(cells)
    if first is None:
        return pd.Series(np.full(len(cells), np.nan))
    if first.lower() in ("true", "false"):  # odd capitals too are truth values to pandas
        return _booleans(_words_to_booleans(cells))
    if _may_be_number(first):
        try:
            return _numbers(cells)
        except pa.ArrowInvalid as error:
            if not _has_other_text(cells):
                raise _NeedsPandasError from error
    return pd.Series(cells, dtype=pd.ArrowDtype(pa.string()))


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


def _has_other_text(cells: pa.ChunkedArray) -> bool:
    """Whether some cell is certainly no number; seldom needs to look beyond the first chunk."""
    return any(
        pc.any(pc.match_substring_regex(chunk, NOT_A_NUMBER)).as_py() for chunk in cells.chunks
    )


def _words_to_booleans(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    is_true = pc.is_in(cells, pa.array(TRUE_WORDS))
    is_false = pc.is_in(cells, pa.array(FALSE_WORDS))
    return pc.if_else(pc.or_(is_true, is_false), is_true, None)


def _booleans(cells: pa.ChunkedArray) -> pd.Series[Any]:
    if cells.null_count:
        raise _NeedsPandasError  # truth values with gaps are Python objects to pandas
    return pd.Series(cells.to_numpy())


def _numbers(cells: pa.ChunkedArray) -> pd.Series[Any]:
    values = cells.cast(pa.float64())
    if not cells.null_count:
        try:
            return pd.Series(cells.cast(pa.int64()).to_numpy())
        except pa.ArrowInvalid:
            pass  # fractions
    return _floats(values)


def _floats(cells: pa.ChunkedArray) -> pd.Series[Any]:
    # Whole numbers beyond 64 bits, and NaN in other spellings than the words for missing,
    # are text to pandas.
    values = cells.to_numpy()
    missing = int(np.isnan(values).sum())
    if missing > cells.null_count or (np.abs(values) >= 2.0**63).any():
        raise _NeedsPandasError
    return pd.Series(values)
