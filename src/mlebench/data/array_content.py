"""The content of parquet and npy files: names, types and values, however they were written.

The bytes of a parquet file change with the compressor, the row groups and the version of the
writer although the table stays the same. Values go into the hash one after the other, which makes
the result independent of the pieces in which they are read.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.data.table_content import UNNAMED, TableContent, distinct, short_digest

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

BATCH_ROWS = 65_536
BATCH_BYTES = 16 * 2**20
NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def npy_content(path: Path) -> TableContent:
    """The fields of an array of records, or the one array there is; its shape counts as well."""
    import numpy as np

    array = np.load(path, mmap_mode="r", allow_pickle=False)
    rows = np.atleast_1d(array)
    fields = {name: rows[name] for name in rows.dtype.names or ()} or {UNNAMED: rows}
    digests = {name: _digest_of(field, array.shape) for name, field in fields.items()}
    return TableContent(rows=len(rows), columns=digests)


def _digest_of(rows: npt.NDArray[Any], shape: tuple[int, ...]) -> str:
    plain = rows.dtype.newbyteorder("<")
    kind = plain.str if plain.names is None else str(plain.descr)
    values = hashlib.sha256()
    bytes_per_row = max(1, rows[:1].nbytes)
    step = max(1, BATCH_BYTES // bytes_per_row)
    for start in range(0, len(rows), step):
        values.update(rows[start : start + step].astype(plain).tobytes())
    return short_digest(kind, str([*shape]), values.hexdigest())


def parquet_content(path: Path) -> TableContent:
    """The columns of a parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        names = distinct(file.schema_arrow.names)
        columns = [_Column(field.type) for field in file.schema_arrow]
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            for column, values in zip(columns, batch.columns, strict=True):
                column.add(values)
        digests = dict(zip(names, (column.digest() for column in columns), strict=True))
        return TableContent(rows=file.metadata.num_rows, columns=digests)


class _Column:
    """The running digests of one column: its values, their lengths, and which are missing."""

    def __init__(self, kind: pa.DataType) -> None:
        import pyarrow.types as kinds

        self._is_coded = kinds.is_dictionary(kind)
        self._kind = kind.value_type if self._is_coded else kind
        self._is_text = kinds.is_string(self._kind) or kinds.is_large_string(self._kind)
        self._is_time = kinds.is_timestamp(self._kind)
        self._digests = {part: hashlib.sha256() for part in ("values", "lengths", "missing")}

    def add(self, array: pa.Array) -> None:
        """Take the next values in."""
        import pyarrow.types as kinds

        values = array.dictionary_decode() if self._is_coded else array
        if kinds.is_floating(self._kind):
            self._add_floats(values)
            return
        self._add_missing(values)
        if self._is_time:
            self._add_times(values)
        elif kinds.is_integer(self._kind) or kinds.is_boolean(self._kind):
            filled = values.fill_null(False if kinds.is_boolean(self._kind) else 0)
            self._add_numbers(filled.to_numpy(zero_copy_only=False))
        else:
            self._add_texts(values)

    def digest(self) -> str:
        """The digest of the type and of all values so far."""
        digests = (digest.hexdigest() for digest in self._digests.values())
        return short_digest(self._kind_in_words(), *digests)

    def _kind_in_words(self) -> str:
        if self._is_time:
            return f"time {self._kind.tz}"
        return "text" if self._is_text else str(self._kind)

    def _add_floats(self, values: pa.Array) -> None:
        """Floats, with one NaN for all: some writers keep a missing number as NaN, some do not."""
        import numpy as np

        numbers = values.to_numpy(zero_copy_only=False).copy()
        numbers[np.isnan(numbers)] = np.nan
        self._add_numbers(numbers)

    def _add_times(self, values: pa.Array) -> None:
        """Seconds and nanoseconds, since the unit in which times are kept is the library's."""
        import numpy as np
        import pyarrow as pa

        nanoseconds = NANOSECONDS[self._kind.unit]
        numbers = values.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        seconds, rest = np.divmod(numbers, 10**9 // nanoseconds)
        self._add_numbers(np.column_stack([seconds, rest * nanoseconds]))

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
