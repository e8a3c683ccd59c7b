"""Reading and writing tables the way published checksums require.

Outputs must equal the original's byte for byte, so these are pandas' own reader and writer
with fixed options; nothing here is for speed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.versions import round_trip_option


@contextmanager
def _raw_file(source: Path | IO[bytes]) -> Iterator[None]:
    """A file that is missing or damaged is the data source's fault."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataSourceError(f"The raw data lack the file {source}.") from error
    except (ValueError, UnicodeError) as error:
        raise DataSourceError(f"{source} cannot be read: {error}") from error


def read_csv(source: Path | IO[bytes], **options: Any) -> pd.DataFrame:
    """A csv, plain or as the one member of a zip, with exactly rounded floats."""
    with _raw_file(source):
        frame: pd.DataFrame = pd.read_csv(source, **round_trip_option(), **options)
    return frame


def read_csv_in_parts(source: Path, rows: int, **options: Any) -> Iterator[pd.DataFrame]:
    """The same csv so many rows at a time, for one that would fill the memory."""
    with (
        _raw_file(source),
        pd.read_csv(source, chunksize=rows, **round_trip_option(), **options) as parts,
    ):
        yield from parts


def write_csv(frame: pd.DataFrame, path: Path, **options: Any) -> None:
    """A csv without row labels."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, **options)


def with_each(table: pd.DataFrame, columns: Sequence[str], value: Any) -> pd.DataFrame:
    """The table with further columns that all hold the same value."""
    return table.join(pd.DataFrame(value, index=table.index, columns=list(columns)))


def one_hot(labels: pd.Series[Any], classes: Sequence[str]) -> pd.DataFrame:
    """A column of 0 and 1 for each class, in their order."""
    codes = pd.Categorical(labels, categories=list(classes)).codes
    table = np.eye(len(classes) + 1, len(classes), dtype=np.int64)[codes]  # the last row is none
    return pd.DataFrame(table, index=labels.index, columns=list(classes))


def read_json(path: Path, encoding: str = "utf-8") -> Any:
    """A JSON document."""
    with _raw_file(path):
        return json.loads(path.read_text(encoding=encoding))


def write_json(
    value: Any, path: Path, indent: int | None = None, *, sort_keys: bool = False
) -> None:
    """A JSON document in Python's default form: ASCII only, no final newline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=indent, sort_keys=sort_keys)


def read_jsonl(path: Path) -> Iterator[Any]:
    """The records of a JSON-lines file, one after the other."""
    with _raw_file(path), path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def append_jsonl(records: Iterable[Any], path: Path) -> None:
    """Add records to a JSON-lines file in the form in which pandas writes them."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(_pandas_json(record) + "\n" for record in records)


def _pandas_json(record: Any) -> str:
    """Compact JSON with escaped slashes and a raw DEL, like ``DataFrame.to_json``."""
    text = json.dumps(record, separators=(",", ":")).replace("/", r"\/")
    # An even number of backslashes before it means the u is a letter, not an escape.
    return re.sub(r"(?<!\\)((?:\\\\)*)\\u007f", "\\1\x7f", text)
