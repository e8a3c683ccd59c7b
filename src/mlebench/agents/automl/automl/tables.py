"""Reading tables, whatever they are packed in, within what memory allows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from .nested import table_of
from .packing import BYTES_AT_ONCE, PACKED, TooLargeError, kind_of, opened
from .surface import near_surface

SAMPLE = re.compile(r"sample.{0,3}sub|submission.{0,8}(?:sample|example|format)", re.IGNORECASE)
LIKE_SAMPLE = re.compile(
    r"(?:random|constant|example|baseline|benchmark|dummy)\W?(?:pred|sub|solution)|^submission",
    re.IGNORECASE,
)
PADDED = re.compile(r"0\d+")
FIRST_ROWS = 1000
MOST_LABELS = 50  # a column with so few texts may mean "None" or "NA" as one of them
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"encoding": "latin-1"},
    {"encoding": "latin-1", "on_bad_lines": "skip"},
    {"encoding": "latin-1", "on_bad_lines": "skip", "quoting": csv.QUOTE_NONE},
)
CUT, MENDED = "only its first rows fit into the memory", "damaged lines are left out"
LEAST_A_CELL = 15  # bytes
TEXT_FOR_ONE = 2  # bytes of text for one in memory, at most
FEWER = 8
PORTIONS = 16
SIGNS, BYTES_A_SIGN = (b",", b":", b"[", b"{"), 40  # what is between values of JSON
WHILE_READ = 4  # times what the table may have


def find_tables(data: Path) -> list[Path]:
    """The tables of a folder and those near its surface; the sample is one of them.

    Of folders with very many files the content belongs to single rows and is no table.
    """
    found = sorted(near_surface(data, lambda path: kind_of(path) is not None))
    unpacked = {path.name for path in found if path.suffix.lower() not in PACKED}
    return [
        path
        for path in found
        if path.suffix.lower() not in PACKED or path.name[: -len(path.suffix)] not in unpacked
    ]


def holds_containers(column: pd.Series) -> bool:
    """Whether some values of a column are lists or mappings, which cannot be compared."""
    return column.dtype == object and bool(column.map(type).isin([list, dict]).any())


def is_sample(path: Path) -> bool:
    """Whether a file is called like a sample submission."""
    return bool(SAMPLE.search(path.name) or LIKE_SAMPLE.search(path.name))


def find_sample(tables: list[Path]) -> Path | None:
    """The sample submission, by its name."""
    for pattern in (SAMPLE, LIKE_SAMPLE):
        named = [path for path in tables if pattern.search(path.name)]
        if named:
            return min(named, key=lambda path: (len(path.parts), len(path.name)))
    return None


def content_of(path: Path, memory: int) -> bytes:
    """A table as it is written, without what it is packed in.

    Raises:
        TooLargeError: It does not fit into so many bytes.
    """
    if kind_of(path) in (".csv", ".tsv"):
        with opened(path, memory) as file:
            return file.read()
    return read_table(path, memory, only_whole=True).to_csv(index=False).encode()


def read_all(paths: Iterable[Path], memory: int) -> tuple[dict[Path, pd.DataFrame], list[str]]:
    """The tables that can be read, and what cannot be read of them or of others, and why.

    Args:
        paths: The files.
        memory: How many bytes each table may have.
    """
    tables, unread = {}, []
    for path in paths:
        try:
            table, remark = _read(path, memory, only_text=False)
            tables[path] = table.rename(columns=str)
            if remark:
                unread.append(f"{path.name}: {remark}")
        except Exception as error:  # one damaged file costs only itself
            unread.append(f"{path.name} cannot be read: {type(error).__name__}: {error}"[:200])
    return tables, unread


def read_table(
    path: Path, memory: int, *, only_text: bool = False, only_whole: bool = False
) -> pd.DataFrame:
    """Read a table, or as many of its first rows as fit.

    Args:
        path: The file, which may be packed.
        memory: How many bytes the table may have.
        only_text: Whether values stay as they are written.
        only_whole: Whether a part of it, or other names of columns, are of no use.

    Raises:
        TooLargeError: Not all of it fits, and only a part is of no use.
        ValueError: It cannot be read as a table, or not with its own names of columns.
    """
    table, remark = _read(path, memory, only_text=only_text)
    if only_whole and remark == CUT:
        raise TooLargeError(path)
    if only_whole and _repeats_names(path, memory):
        raise ValueError(f"{path.name} has several columns of one name.")
    return table


def _repeats_names(path: Path, memory: int) -> bool:
    """Whether columns are called the same; they get other names when they are read."""
    if kind_of(path) not in (".csv", ".tsv"):
        return False
    with opened(path, memory) as file:
        names = pd.read_csv(
            file, sep=_separator(path), header=None, nrows=1, dtype=str, encoding="latin-1"
        )
    return not names.iloc[0].dropna().is_unique


def _separator(path: Path) -> str:
    return "\t" if kind_of(path) == ".tsv" else ","


def _read(path: Path, memory: int, *, only_text: bool) -> tuple[pd.DataFrame, str]:
    """A table, and what is not as it should be; nothing if all is."""
    kind = kind_of(path)
    if kind is None:
        raise ValueError(f"{path.name} is no table")
    if kind in (".csv", ".tsv"):
        return _read_csv(path, _separator(path), memory, only_text)
    if kind == ".parquet":
        return _read_parquet(path, memory)
    return _read_json(path, memory), ""


def _read_parquet(path: Path, memory: int) -> tuple[pd.DataFrame, str]:
    """The first rows, portion by portion, until there is no room for more."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path, buffer_size=BYTES_AT_ONCE) as file:
        about = file.metadata
        groups = (about.row_group(place) for place in range(about.num_row_groups))
        bytes_a_row = max(
            sum(group.total_byte_size for group in groups) / max(about.num_rows, 1),
            about.num_columns * LEAST_A_CELL,
            1,
        )
        portions, left = [], float(memory)
        for portion in file.iter_batches(max(1, int(memory / PORTIONS / bytes_a_row))):
            left -= max(portion.nbytes, portion.num_rows * about.num_columns * LEAST_A_CELL)
            if left < 0:
                break
            portions.append(portion)
        if left < 0 and not portions:
            raise TooLargeError(path)
        table = pa.Table.from_batches(portions, file.schema_arrow).to_pandas()
    return table, CUT if left < 0 else ""


def _read_json(path: Path, memory: int) -> pd.DataFrame:
    """All of it, if what it takes while it is read fits, too."""
    with opened(path, memory) as file:
        content = file.read()
    if len(content) + BYTES_A_SIGN * sum(map(content.count, SIGNS)) > WHILE_READ * memory:
        raise TooLargeError(path)
    return table_of(content)


def _read_csv(path: Path, separator: str, memory: int, only_text: bool) -> tuple[pd.DataFrame, str]:
    """A table as it is most likely meant, and what of it is left out."""
    reason: Exception | None = None
    for way in WAYS:
        try:
            table, is_whole = _read_csv_so(path, {"sep": separator, **way}, memory, only_text)
            return table, CUT if not is_whole else MENDED if "on_bad_lines" in way else ""
        except (UnicodeDecodeError, pd.errors.ParserError) as error:
            reason = error
    raise ValueError(str(reason)) from reason


def _read_csv_so(
    path: Path, way: dict[str, Any], memory: int, only_text: bool
) -> tuple[pd.DataFrame, bool]:
    def read(rows: int, **options: Any) -> pd.DataFrame:
        with opened(path, memory if rows <= FIRST_ROWS else TEXT_FOR_ONE * memory) as file:
            table: pd.DataFrame = pd.read_csv(file, nrows=rows, low_memory=False, **way, **options)
            return table

    options: dict[str, Any] = {}
    if only_text:
        options = {"dtype": str, "keep_default_na": False}
    elif padded := _padded(read(FIRST_ROWS, dtype=str)):
        options = {"dtype": dict.fromkeys(padded, str)}
    table = read(FIRST_ROWS, **options)
    is_whole = len(table) < FIRST_ROWS
    if not is_whole:
        bytes_a_row = max(
            table.memory_usage(deep=True).sum() / len(table), LEAST_A_CELL * table.shape[1]
        )
        most = max(FIRST_ROWS, int(memory / bytes_a_row))
        while most >= FIRST_ROWS:
            try:
                table = read(most + 1, **options)
            except TooLargeError:  # later rows are much longer than the first ones
                most //= FEWER
            else:
                is_whole = len(table) <= most
                break
    if not only_text and isinstance(table.index, pd.RangeIndex):
        doubtful = [
            place
            for place, (_, column) in enumerate(table.items())
            if column.dtype.kind == "O" and column.hasnans and _is_telling(column)
        ]
        if doubtful:
            texts = read(
                len(table), usecols=doubtful, dtype=str, keep_default_na=False, na_values=[""]
            )
            for name in texts.columns:
                is_more = texts[name].notna().sum() > table[name].notna().sum()
                if is_more and _is_telling(texts[name]):
                    table[name] = texts[name]
    return table, is_whole


def _is_telling(column: pd.Series) -> bool:
    """Whether each text is a name, or one of a few labels."""
    different = column.nunique()
    return bool(different <= MOST_LABELS or different == column.count())


def _padded(texts: pd.DataFrame) -> list[str]:
    """Columns of numbers with zeros in front, which would be lost: they are names."""
    return [
        str(name)
        for name in texts.columns
        if texts[name].str.fullmatch(r"\d+").all() and texts[name].str.fullmatch(PADDED).any()
    ]
