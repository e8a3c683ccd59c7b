"""Reading and writing tables the way published checksums require.

Outputs must equal the original's byte for byte, so these are pandas' own reader and writer
with fixed options; nothing here is for speed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import packing
from mlebench.preparing.files import fresh_file, own_file
from mlebench.preparing.reading import raw_file
from mlebench.preparing.trail import note_columns
from mlebench.versions import pandas_version, round_trip_option

if TYPE_CHECKING:
    import pyarrow.parquet as pq


_DECIMAL = re.compile(r"\s*([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?\s*")
_HASTY_DIGITS = 17
_SURE_CHARACTERS = 15  # of a number without an exponent, which every parser rounds exactly

FIRST_CHARACTERS = 1_000_000
CSV, LINES = "a csv file", "lines of JSON"  # in messages


def read_csv(source: Path | IO[bytes], **options: Any) -> pd.DataFrame:
    """A csv, plain or as the one member of a zip, with exactly rounded floats."""
    with raw_file(source, CSV):
        frame: pd.DataFrame = pd.read_csv(source, **round_trip_option(), **options)
    note_columns(frame.columns)
    return frame


def read_csv_hastily(path: Path, **options: Any) -> pd.DataFrame:
    """A csv with floats as the default parser of pandas 2 gave them, not always the nearest.

    Where the original named no parser, its tables show what that one makes of numbers with
    more than fifteen digits. From 3.1 on pandas rounds all of them correctly.
    """
    if pandas_version() < (3, 1):
        with raw_file(path, CSV):
            own: pd.DataFrame = pd.read_csv(path, **options)
        note_columns(own.columns)
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
        raw_file(source, CSV),
        pd.read_csv(source, chunksize=rows, **round_trip_option(), **options) as parts,
    ):
        yield from parts


def write_csv(frame: pd.DataFrame, path: Path, **options: Any) -> None:
    """A csv without row labels; ``mode="a"`` adds rows to one that is there."""
    file = own_file(path) if options.get("mode", "w").startswith("a") else fresh_file(path)
    frame.to_csv(file, index=False, **options)


def read_text(path: Path) -> str:
    """A text file."""
    with raw_file(path, "a text"):
        return path.read_text(encoding="utf-8")


def write_text(text: str, path: Path) -> None:
    """A text file."""
    fresh_file(path).write_text(text, encoding="utf-8")


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet table, to be read in parts because it is large."""
    import pyarrow.parquet as pq

    with raw_file(path, "a Parquet table"), pq.ParquetFile(path) as file:
        note_columns(file.schema_arrow.names)
        yield file


def write_parquet(frame: pd.DataFrame, path: Path) -> None:
    """A Parquet table without row labels."""
    frame.to_parquet(fresh_file(path), index=False)


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
    with raw_file(path, "JSON"):
        return json.loads(path.read_text(encoding=encoding))


def first_record(path: Path) -> dict[str, Any]:
    """The first of a JSON list of records; however long the list is, little more is read."""
    text = ""
    with raw_file(path, "JSON"), path.open(encoding="utf-8") as file:
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
    with fresh_file(path).open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=indent, sort_keys=sort_keys)


def read_json_table(path: Path) -> pd.DataFrame:
    """A table with a JSON record in each line, typed by pandas, which makes 1 of 1.0."""
    with raw_file(path, LINES):
        frame: pd.DataFrame = pd.read_json(path, lines=True)
        if not len(frame.columns):
            raise ValueError("there are no records")
    note_columns(frame.columns)
    return frame


def write_json_table(frame: pd.DataFrame, path: Path) -> None:
    """A table with a JSON record in each line, floats with ten decimals at most."""
    frame.to_json(fresh_file(path), orient="records", lines=True)


def read_jsonl(path: Path) -> Iterator[Any]:
    """The records of a JSON-lines file, one after the other."""
    with raw_file(path, LINES), path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def append_jsonl(records: Iterable[Any], path: Path) -> None:
    """Add records to a JSON-lines file in the form in which pandas writes them."""
    with own_file(path).open("a", encoding="utf-8") as file:
        file.writelines(_pandas_json(record) + "\n" for record in records)


def _pandas_json(record: Any) -> str:
    """Compact JSON with escaped slashes and a raw DEL, like ``DataFrame.to_json``."""
    text = json.dumps(record, separators=(",", ":")).replace("/", r"\/")
    # An even number of backslashes before it means the u is a letter, not an escape.
    return re.sub(r"(?<!\\)((?:\\\\)*)\\u007f", "\\1\x7f", text)


def read_array(path: Path) -> npt.NDArray[Any]:
    """A numpy array that stays on disk until its items are asked for."""
    with raw_file(path, "a numpy array"):
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    return array


def write_array_rows(
    array: npt.NDArray[Any], rows: Sequence[int], path: Path, at_a_time: int = 10_000
) -> None:
    """Some rows of an array as a file of its own, without ever holding all of them."""
    shape = (len(rows), *array.shape[1:])
    chosen = np.lib.format.open_memmap(fresh_file(path), "w+", dtype=array.dtype, shape=shape)
    for start in range(0, len(rows), at_a_time):
        chosen[start : start + at_a_time] = array[rows[start : start + at_a_time]]
    chosen.flush()
