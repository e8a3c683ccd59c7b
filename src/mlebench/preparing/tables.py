"""Reading and writing tables the way published checksums require.

Outputs must equal the original's byte for byte, so these are pandas' own reader and writer
with fixed options; nothing here is for speed.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import packing
from mlebench.versions import pandas_version, round_trip_option

if TYPE_CHECKING:
    import pyarrow.parquet as pq


_DECIMAL = re.compile(r"\s*([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?\s*")
_HASTY_DIGITS = 17
_SURE_CHARACTERS = 15  # of a number without an exponent, which every parser rounds exactly

FIRST_CHARACTERS = 1_000_000


@contextmanager
def _raw_file(source: Path | IO[bytes]) -> Iterator[None]:
    """A file that is missing or damaged is the data source's fault."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataSourceError(f"The raw data lack the file {source}.") from error
    except (ValueError, EOFError, IsADirectoryError, zipfile.BadZipFile, zlib.error) as error:
        raise DataSourceError(f"{source} cannot be read: {error}") from error


def read_csv(source: Path | IO[bytes], **options: Any) -> pd.DataFrame:
    """A csv, plain or as the one member of a zip, with exactly rounded floats."""
    with _raw_file(source):
        frame: pd.DataFrame = pd.read_csv(source, **round_trip_option(), **options)
    return frame


def read_csv_hastily(path: Path, **options: Any) -> pd.DataFrame:
    """A csv with floats as the default parser of pandas 2 gave them, not always the nearest.

    Where the original named no parser, its tables show what that one makes of numbers with
    more than fifteen digits. From 3.1 on pandas rounds all of them correctly.
    """
    if pandas_version() < (3, 1):
        with _raw_file(path):
            own: pd.DataFrame = pd.read_csv(path, **options)
        return own
    table = read_csv(path, **options)
    names = table.columns[table.dtypes == np.float64]
    as_texts = {**options.get("dtype", {}), **dict.fromkeys(names, str)}
    texts = read_csv(path, **{**options, "dtype": as_texts})
    return table.assign(**{name: _hasty_column(table[name], texts[name]) for name in names})


def _hasty_column(numbers: pd.Series[Any], texts: pd.Series[Any]) -> pd.Series[Any]:
    doubtful = (texts.str.len() > _SURE_CHARACTERS) | texts.str.contains("[eE]")
    doubtful = doubtful.astype(bool) & numbers.notna()
    hasty = [_hasty_float(text) for text in texts[doubtful]]
    return numbers.mask(doubtful, pd.Series(hasty, texts.index[doubtful], np.float64))


def _hasty_float(text: str) -> float:
    """A number built up digit by digit, with a rounding at each step and the first 17 only."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return float(text)
    sign, whole, fraction, exponent = match.groups(default="")
    digits = (whole + fraction)[:_HASTY_DIGITS]
    number = 0.0
    for digit in digits:
        number = number * 10 + int(digit)
    power = len(whole) - len(digits) + int(exponent or 0)
    if power > 0:
        number *= float(f"1e{power}")
    elif power >= -308:
        number /= float(f"1e{-power}")
    else:
        number = number / float(f"1e{-power - 308}") / 1e308
    return -number if sign == "-" else number


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


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet table, to be read in parts because it is large."""
    import pyarrow.parquet as pq

    with _raw_file(path), pq.ParquetFile(path) as file:
        yield file


def write_zipped_csv(frame: pd.DataFrame, path: Path, **options: Any) -> None:
    """A csv without row labels in a zip that is called like it, with ``.zip`` at the end."""
    with packing(path, path.stem) as file:
        frame.to_csv(file, mode="wb", index=False, **options)


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


def first_record(path: Path) -> dict[str, Any]:
    """The first of a JSON list of records; however long the list is, little more is read."""
    text = ""
    with _raw_file(path), path.open(encoding="utf-8") as file:
        while part := file.read(FIRST_CHARACTERS):
            text = (text + part).lstrip("[ \n\r\t")
            with suppress(json.JSONDecodeError):  # it goes on in the next part
                record: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
                return record
    raise DataSourceError(f"{path} cannot be read: it is no list of records.")


def write_json(
    value: Any, path: Path, indent: int | None = None, *, sort_keys: bool = False
) -> None:
    """A JSON document in Python's default form: ASCII only, no final newline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=indent, sort_keys=sort_keys)


def read_json_table(path: Path) -> pd.DataFrame:
    """A table with a JSON record in each line, typed by pandas, which makes 1 of 1.0."""
    with _raw_file(path):
        frame: pd.DataFrame = pd.read_json(path, lines=True)
    return frame


def write_json_table(frame: pd.DataFrame, path: Path) -> None:
    """A table with a JSON record in each line, floats with ten decimals at most."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_json(path, orient="records", lines=True)


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


def read_array(path: Path) -> npt.NDArray[Any]:
    """A numpy array that stays on disk until its items are asked for."""
    with _raw_file(path):
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return array


def write_array_rows(
    array: npt.NDArray[Any], rows: Sequence[int], path: Path, at_a_time: int = 10_000
) -> None:
    """Some rows of an array as a file of its own, without ever holding all of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = (len(rows), *array.shape[1:])
    chosen = np.lib.format.open_memmap(path, "w+", dtype=array.dtype, shape=shape)
    for start in range(0, len(rows), at_a_time):
        chosen[start : start + at_a_time] = array[rows[start : start + at_a_time]]
    chosen.flush()
