"""Digests of columns of text cells, by the numbers in them where all of them are numbers.

Libraries spell numbers differently: `1`, `1.0` and `1e0` are one number. Whether a column holds
nothing else is known at its end only, so it is hashed both ways at once.
"""

from __future__ import annotations

import hashlib
import math
import re
from typing import TYPE_CHECKING, Any

from mlebench.data.table_content import short_digest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Floats = npt.NDArray[np.float64]

# Without a zero in front of other digits: such cells are codes that only look like numbers.
NUMBER = re.compile(rb"(?!0[0-9])[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WHOLE = re.compile(rb"[+-]?[0-9]+")
# From here on, neighbouring whole numbers share a float.
FIRST_INEXACT = 2.0**53
# Two values that no cell has: numbers are finite.
MISSING_BITS = 0x7FF8_0000_0000_0000
LARGE_BITS = 0x7FF8_0000_0000_0001
LONG_CELL = 255
CELLS_AT_A_TIME = 65_536


class TextColumn:
    """The running digests of one column; an empty cell is a missing one."""

    def __init__(self) -> None:
        self._texts = _digests("values", "lengths", "long")
        self._numbers = _digests("values", "large")
        self._is_numeric = True

    def add(self, array: pa.Array) -> None:
        """Take the next cells in, given as binary values none of which is null."""
        cells = _Cells(array)
        self._add_texts(cells)
        if self._is_numeric:
            numbers = cells.numbers()
            self._is_numeric = numbers is not None
            if numbers is not None:
                self._add_numbers(cells, numbers)

    def add_missing(self, count: int) -> None:
        """Take empty cells in, of rows that ended before this column."""
        import pyarrow as pa

        for start in range(0, count, CELLS_AT_A_TIME):
            self.add(pa.array([b""] * min(CELLS_AT_A_TIME, count - start), pa.binary()))

    def digest(self) -> str:
        """The digest of all cells so far."""
        kind, digests = ("numbers", self._numbers) if self._is_numeric else ("texts", self._texts)
        return short_digest(kind, *(digest.hexdigest() for digest in digests.values()))

    def _add_texts(self, cells: _Cells) -> None:
        """Bytes and lengths, those in one byte each unless a cell is long."""
        import numpy as np

        lengths = cells.lengths
        self._texts["values"].update(cells.joined)
        self._texts["lengths"].update(np.minimum(lengths, LONG_CELL).astype("u1"))
        self._texts["long"].update(lengths[lengths >= LONG_CELL].astype("<i8"))

    def _add_numbers(self, cells: _Cells, numbers: Floats) -> None:
        """The bits of the floats; of whole numbers that no float can hold the text."""
        import numpy as np

        bits = numbers.astype("<f8").view("<u8")
        bits[cells.lengths == 0] = MISSING_BITS
        for row in np.flatnonzero(np.abs(numbers) >= FIRST_INEXACT).tolist():
            cell = cells[row]
            if WHOLE.fullmatch(cell):
                bits[row] = LARGE_BITS
                self._numbers["large"].update(cell + b"\n")
        self._numbers["values"].update(bits)


class _Cells:
    """The cells of one column in a part of a table, as Arrow keeps them: end to end."""

    def __init__(self, array: pa.Array) -> None:
        import numpy as np

        _, offsets, values = array.buffers()
        self._array = array
        self._values = memoryview(b"" if values is None else values)
        all_offsets = np.frombuffer(offsets or b"\0" * 4, dtype=np.int32)
        self._offsets = all_offsets[array.offset : array.offset + len(array) + 1]
        self.lengths = np.diff(self._offsets)

    def __getitem__(self, row: int) -> bytes:
        return bytes(self._values[self._offsets[row] : self._offsets[row + 1]])

    @property
    def joined(self) -> memoryview:
        """All cells, one after the other."""
        return self._values[self._offsets[0] : self._offsets[-1]]

    def numbers(self) -> Floats | None:
        """All cells as numbers, NaN for empty ones; None if a cell is something else.

        What a number is does not depend on Arrow. It only reads the usual spellings faster.
        """
        import numpy as np
        import pyarrow as pa

        try:
            numbers = self._by_arrow()
        except pa.ArrowInvalid:
            return self._by_rule()
        if self._has_codes():
            return None
        is_sound = bool(np.all(np.isfinite(numbers) | (self.lengths == 0)))
        return numbers if is_sound else self._by_rule()

    def _by_arrow(self) -> Floats:
        import numpy as np
        import pyarrow as pa

        is_filled = np.packbits(self.lengths > 0, bitorder="little")
        parts = [pa.py_buffer(part) for part in (is_filled, self._offsets, self._values)]
        texts = pa.Array.from_buffers(pa.string(), len(self.lengths), parts)
        floats: Floats = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return floats

    def _has_codes(self) -> bool:
        """Whether a cell begins with a zero and another digit."""
        import numpy as np

        signs = np.frombuffer(self._values, dtype="u1")
        starts = self._offsets[:-1][self.lengths > 1]
        seconds = signs[starts[signs[starts] == ord("0")] + 1]
        return bool(np.any((seconds >= ord("0")) & (seconds <= ord("9"))))

    def _by_rule(self) -> Floats | None:
        import numpy as np

        numbers = np.full(len(self.lengths), np.nan)
        for row in np.flatnonzero(self.lengths).tolist():
            cell = self[row]
            if not NUMBER.fullmatch(cell) or not math.isfinite(number := float(cell)):
                return None
            numbers[row] = number
        return numbers


def _digests(*names: str) -> dict[str, Any]:
    return {name: hashlib.sha256() for name in names}
