"""Reading tables, whatever they are packed in, within what memory allows."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from .nested import table_of

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
PACKED = (".zip", ".gz", ".7z")
SAMPLE = re.compile(r"sample.{0,3}sub|submission.{0,8}(?:sample|example|format)", re.IGNORECASE)
LIKE_SAMPLE = re.compile(
    r"(?:random|constant|example|baseline|benchmark|dummy)\W?(?:pred|sub|solution)|^submission",
    re.IGNORECASE,
)
PADDED = re.compile(r"0\d+")
DEPTH = 3
BYTES_A_CELL = 60
LARGEST_PACKED = 2 * 1024**3
MANY_FILES = 200


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


def near_surface(
    folder: Path, is_wanted: Callable[[Path], bool], depth: int = DEPTH
) -> Iterator[Path]:
    """Files of a folder and those within it that are wanted, but for folders with very many."""
    entries = sorted(folder.iterdir())
    wanted = [path for path in entries if path.is_file() and is_wanted(path)]
    if len(wanted) <= MANY_FILES:
        yield from wanted
    folders = [path for path in entries if path.is_dir()]
    if depth > 1 and len(folders) <= MANY_FILES:
        for inner in folders:
            yield from near_surface(inner, is_wanted, depth - 1)


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


def read_table(path: Path, memory: int, *, only_text: bool = False) -> pd.DataFrame:
    """Read a table, or as many of its first rows as fit.

    Args:
        path: The file, which may be packed.
        memory: How many bytes the table may have.
        only_text: Whether values stay as they are written.

    Raises:
        ValueError: It cannot be read as a table.
    """
    kind = kind_of(path)
    if kind is None:
        raise ValueError(f"{path.name} is no table")
    if kind == ".parquet":
        return pd.read_parquet(path)
    opened = _content(path)
    if kind in (".csv", ".tsv"):
        return _read_csv(opened, "\t" if kind == ".tsv" else ",", memory, only_text)
    with opened() as file:
        return table_of(file.read())


def _content(path: Path) -> Callable[[], io.BufferedIOBase]:
    """How to open a file, and with it what it is packed in."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if kind_of(Path(name))]
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
    opened: Callable[[], io.BufferedIOBase], separator: str, memory: int, only_text: bool
) -> pd.DataFrame:
    options: dict[str, Any] = {"sep": separator, "low_memory": False}
    if only_text:
        options |= {"dtype": str, "keep_default_na": False}
    with opened() as file:
        head: pd.DataFrame = pd.read_csv(file, nrows=1000, **options)
    if not only_text:
        options["dtype"] = dict.fromkeys(_padded(opened, separator), str)
        if options["dtype"]:
            with opened() as file:
                head = pd.read_csv(file, nrows=1000, **options)
    if len(head) < 1000:
        return head
    bytes_a_row = max(
        head.memory_usage(deep=True).sum() / len(head), BYTES_A_CELL * head.shape[1] / 4
    )
    with opened() as file:
        table: pd.DataFrame = pd.read_csv(
            file, nrows=max(1000, int(memory / bytes_a_row)), **options
        )
    return table


def _padded(opened: Callable[[], io.BufferedIOBase], separator: str) -> list[str]:
    """Columns of numbers with zeros in front, which would be lost: they are names."""
    with opened() as file:
        texts = pd.read_csv(file, sep=separator, nrows=1000, dtype=str)
    return [
        str(name)
        for name in texts.columns
        if texts[name].str.fullmatch(r"\d+").all() and texts[name].str.fullmatch(PADDED).any()
    ]
