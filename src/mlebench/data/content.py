"""Digests of what a file says, whichever library wrote it.

The bytes of a parquet file change with the compressor, the row groups and the version of the
writer although the table stays the same. So its columns are hashed instead: name, type and
values, each in a form that depends on nothing else. Values go into the hash one after the
other, which makes the result independent of the pieces in which they are read.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import ConfigError, DataSourceError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

BATCH_ROWS = 65_536


def content_digest(path: Path) -> str:
    """The hex digest of the content of a parquet, csv, json, jsonl or npy file.

    Raises:
        ConfigError: Files of this kind have no such digest.
        DataSourceError: The file is damaged.
    """
    tell = _TELLERS.get(path.suffix)
    if tell is None:
        raise ConfigError(
            f"{path.name} cannot be compared by content; "
            f"files of these kinds can: {', '.join(_TELLERS)}."
        )
    digest = hashlib.sha256()
    try:
        for piece in tell(path):
            digest.update(piece)
    except (ValueError, csv.Error) as error:  # Arrow's errors about broken files are ValueErrors
        raise DataSourceError(f"{path} cannot be read: {error}") from error
    return digest.hexdigest()


def _line(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _tell_csv(path: Path) -> Iterable[bytes]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from map(_line, csv.reader(file))


def _tell_json(path: Path) -> Iterable[bytes]:
    yield _line(json.loads(path.read_bytes()))


def _tell_jsonl(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        yield from (_line(json.loads(line)) for line in file if line.strip())


def _tell_npy(path: Path) -> Iterable[bytes]:
    import numpy as np

    array = np.load(path, mmap_mode="r", allow_pickle=False)
    plain = array.dtype.newbyteorder("<")
    yield _line([plain.str if plain.names is None else plain.descr, list(array.shape)])
    rows = np.atleast_1d(array)
    for start in range(0, len(rows), BATCH_ROWS):
        yield rows[start : start + BATCH_ROWS].astype(plain).tobytes()


def _tell_parquet(path: Path) -> Iterable[bytes]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        columns = [_Column(field.name, field.type) for field in file.schema_arrow]
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            for column, values in zip(columns, batch.columns, strict=True):
                column.add(values)
        yield _line([file.metadata.num_rows, [column.summary() for column in columns]])


class _Column:
    """The running digests of one column: its values, their lengths, and which are missing."""

    def __init__(self, name: str, kind: pa.DataType) -> None:
        import pyarrow.types as kinds

        self._name = name
        self._is_coded = kinds.is_dictionary(kind)
        self._kind = kind.value_type if self._is_coded else kind
        self._is_text = kinds.is_string(self._kind) or kinds.is_large_string(self._kind)
        self._digests = {part: hashlib.sha256() for part in ("values", "lengths", "missing")}

    def add(self, array: pa.Array) -> None:
        """Take the next values in."""
        import pyarrow.types as kinds

        values = array.dictionary_decode() if self._is_coded else array
        if kinds.is_floating(self._kind):
            self._add_floats(values)
        elif kinds.is_integer(self._kind) or kinds.is_boolean(self._kind):
            self._add_missing(values)
            filled = values.fill_null(False if kinds.is_boolean(self._kind) else 0)
            self._add_numbers(filled.to_numpy(zero_copy_only=False))
        else:
            self._add_missing(values)
            self._add_texts(values)

    def summary(self) -> list[Any]:
        """Name, type and digests of all values so far."""
        kind = "text" if self._is_text else str(self._kind)
        return [self._name, kind, [digest.hexdigest() for digest in self._digests.values()]]

    def _add_floats(self, values: pa.Array) -> None:
        """Floats, with one NaN for all: some writers keep a missing number as NaN, some do not."""
        import numpy as np

        numbers = values.to_numpy(zero_copy_only=False).copy()
        numbers[np.isnan(numbers)] = np.nan
        self._add_numbers(numbers)

    def _add_texts(self, values: pa.Array) -> None:
        """Texts as they are, values of rarer types as Python writes them."""
        import numpy as np

        items = values.to_pylist()
        if not self._is_text:
            items = [None if item is None else repr(item) for item in items]
        encoded = [b"" if item is None else item.encode() for item in items]
        lengths = np.fromiter(map(len, encoded), dtype="<i8", count=len(encoded))
        self._digests["lengths"].update(lengths.tobytes())
        self._digests["values"].update(b"".join(encoded))

    def _add_missing(self, values: pa.Array) -> None:
        missing = values.is_null().to_numpy(zero_copy_only=False)
        self._digests["missing"].update(missing.tobytes())

    def _add_numbers(self, numbers: npt.NDArray[Any]) -> None:
        plain = numbers.astype(numbers.dtype.newbyteorder("<"))
        self._digests["values"].update(plain.tobytes())


_TELLERS: dict[str, Callable[[Path], Iterable[bytes]]] = {
    ".parquet": _tell_parquet,
    ".csv": _tell_csv,
    ".json": _tell_json,
    ".jsonl": _tell_jsonl,
    ".npy": _tell_npy,
}
