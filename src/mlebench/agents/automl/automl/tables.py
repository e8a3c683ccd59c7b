"""Reading tables, whatever they are packed in, within what memory allows."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from .nested import table_of
from .surface import near_surface

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
PACKED = (".zip", ".gz", ".7z")
SAMPLE = re.compile(r"sample.{0,3}sub|submission.{0,8}(?:sample|example|format)", re.IGNORECASE)
LIKE_SAMPLE = re.compile(
    r"(?:random|constant|example|baseline|benchmark|dummy)\W?(?:pred|sub|solution)|^submission",
    re.IGNORECASE,
)
PADDED = re.compile(r"0\d+")
NO_CONTENT = "__MACOSX/"
FIRST_ROWS = 1000
MOST_LABELS = 50  # a column with so few texts may mean "None" or "NA" as one of them
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"encoding": "latin-1"},
    {"encoding": "latin-1", "on_bad_lines": "skip"},
    {"encoding": "latin-1", "on_bad_lines": "skip", "quoting": csv.QUOTE_NONE},
)
CUT, MENDED = "only its first rows fit into the memory", "damaged lines are left out"
BYTES_A_CELL = 60
LARGEST_PACKED = 2 * 1024**3


Opened = Callable[[], io.BufferedIOBase]


class TooLargeError(ValueError):
    """Only a part of a table fits, and that is of no use."""


def kind_of(path: Path) -> str | None:
    """What sort of table a file is, by its name; None if it is none."""
    name = path.name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


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


def content_of(path: Path) -> bytes:
    """A table as it is written, without what it is packed in."""
    if kind_of(path) in (".csv", ".tsv"):
        with _content(path)() as file:
            return file.read()
    return read_table(path, LARGEST_PACKED).to_csv(index=False).encode()


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
        only_whole: Whether a part of it is of no use.

    Raises:
        TooLargeError: Not all of it fits, and only a part is of no use.
        ValueError: It cannot be read as a table.
    """
    table, remark = _read(path, memory, only_text=only_text)
    if only_whole and remark == CUT:
        raise TooLargeError(f"{path.name} is too large for the memory.")
    return table


def _read(path: Path, memory: int, *, only_text: bool) -> tuple[pd.DataFrame, str]:
    """A table, and what is not as it should be; nothing if all is."""
    kind = kind_of(path)
    if kind is None:
        raise ValueError(f"{path.name} is no table")
    if kind in (".csv", ".tsv"):
        return _read_csv(_content(path), "\t" if kind == ".tsv" else ",", memory, only_text)
    if path.stat().st_size > memory:  # these can only be read as a whole
        raise TooLargeError(f"{path.name} is too large for the memory.")
    if kind == ".parquet":
        return pd.read_parquet(path), ""
    with _content(path)() as file:
        content = file.read(memory + 1)
    if len(content) > memory:
        raise TooLargeError(f"{path.name} is too large for the memory.")
    return table_of(content), ""


def _content(path: Path) -> Opened:
    """How to open a file, and with it what it is packed in."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [
                name
                for name in archive.namelist()
                if kind_of(Path(name)) and not name.startswith(NO_CONTENT)
            ]
        if len(names) != 1:
            raise ValueError(f"{path.name} holds {len(names)} tables")
        return lambda: zipfile.ZipFile(path).open(names[0])  # type: ignore[return-value]
    if suffix == ".gz":
        import gzip

        return lambda: gzip.open(path)
    if suffix == ".7z":
        return lambda: io.BytesIO(_from_seven_zip(path))
    return lambda: path.open("rb")


def _from_seven_zip(path: Path) -> bytes:
    import py7zr
    from py7zr.io import BytesIOFactory

    factory = BytesIOFactory(LARGEST_PACKED)
    with py7zr.SevenZipFile(path) as archive:
        names = [name for name in archive.getnames() if kind_of(Path(name))]
        if len(names) != 1:
            raise ValueError(f"{path.name} holds {len(names)} tables")
        archive.extract(targets=names, factory=factory)
    return bytes(factory.products[names[0]].read())


def _read_csv(
    opened: Opened, separator: str, memory: int, only_text: bool
) -> tuple[pd.DataFrame, str]:
    """A table as it is most likely meant, and what of it is left out."""
    reason: Exception | None = None
    for way in WAYS:
        try:
            table, is_whole = _read_csv_so(opened, {"sep": separator, **way}, memory, only_text)
            return table, CUT if not is_whole else MENDED if "on_bad_lines" in way else ""
        except (UnicodeDecodeError, pd.errors.ParserError) as error:
            reason = error
    raise ValueError(str(reason)) from reason


def _read_csv_so(
    opened: Opened, way: dict[str, Any], memory: int, only_text: bool
) -> tuple[pd.DataFrame, bool]:
    def read(rows: int | None, **options: Any) -> pd.DataFrame:
        with opened() as file:
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
            table.memory_usage(deep=True).sum() / len(table), BYTES_A_CELL * table.shape[1] / 4
        )
        most = max(FIRST_ROWS, int(memory / bytes_a_row))
        table = read(most + 1, **options)
        is_whole = len(table) <= most
    if not only_text and isinstance(table.index, pd.RangeIndex):
        doubtful = [
            place
            for place, (_, column) in enumerate(table.items())
            if column.dtype.kind == "O" and column.hasnans and column.nunique() <= MOST_LABELS
        ]
        if doubtful:
            texts = read(
                len(table), usecols=doubtful, dtype=str, keep_default_na=False, na_values=[""]
            )
            for name in texts.columns:
                if texts[name].notna().sum() > table[name].notna().sum():
                    table[name] = texts[name]
    return table, is_whole


def _padded(texts: pd.DataFrame) -> list[str]:
    """Columns of numbers with zeros in front, which would be lost: they are names."""
    return [
        str(name)
        for name in texts.columns
        if texts[name].str.fullmatch(r"\d+").all() and texts[name].str.fullmatch(PADDED).any()
    ]
