"""Keys as 64-bit words, and words as a fingerprint of 64 bits, whole columns at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Words = npt.NDArray[np.uint64]

# Longer texts are numbered instead: the words of a whole column would fill the memory.
LONGEST_PACKED = 64

SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def bits(numbers: pa.Array) -> Words:
    """A word for each number, equal for equal numbers."""
    values = pc.fill_null(numbers, 0).to_numpy()
    # Adding zero turns -0.0, which equals 0.0, into it.
    return np.ascontiguousarray(values + values.dtype.type(0)).view(np.uint64)


@dataclass(frozen=True)
class Characters:
    """The bytes of a text column, to be looked at eight at a time."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    _words: dict[int, Words] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, texts: pa.Array) -> Characters:
        """Those of an Arrow column."""
        kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
        _, offsets, data = texts.buffers()
        edges = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
        edges = edges.astype(np.int64) if len(texts) else np.zeros(1, np.int64)
        stored = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
        padding = np.zeros(LONGEST_PACKED + 8, np.uint8)  # no word reaches past it
        padded = np.concatenate([stored[edges[0] : edges[-1]], padding])
        return cls(padded, edges[:-1] - edges[0], np.diff(edges))

    @cached_property
    def common_length(self) -> int:
        """The length of all texts, 0 if they differ."""
        first = int(self.lengths[0]) if len(self.lengths) else 0
        return first if (self.lengths == first).all() else 0

    @cached_property
    def longest(self) -> int:
        """The length of the longest text."""
        return int(self.lengths.max(initial=0))

    @cached_property
    def has_nul(self) -> bool:
        """Whether a zero byte stands in some text, where it looks like padding."""
        return not self.data[: int(self.lengths.sum())].min(initial=1)

    def word(self, start: int) -> Words:
        """Eight bytes of every text from ``start`` on; beyond its end there are zeros."""
        if start not in self._words:
            self._words[start] = self._make_word(start)
        return self._words[start]

    def _make_word(self, start: int) -> Words:
        everywhere = np.ndarray((len(self.data) - 7,), "<u8", self.data, strides=(1,))
        if step := self.common_length:
            words = everywhere[start : start + step * len(self.starts) : step].copy()
            lengths = self.lengths[:1]
        else:
            words = everywhere[self.starts + start]
            lengths = self.lengths
        missing = 8 - np.clip(lengths - start, 0, 8)
        if missing.any():
            # In two steps, because shifting by all 64 bits at once is not defined.
            half = (4 * missing).astype(np.uint64)
            words &= ~np.uint64(0) >> half >> half
        return words


def marks(columns: Iterable[pa.Array], mark: np.uint64) -> Words:
    """A word for each row that tells whether one of its cells is empty."""
    empty = [pc.is_null(keys).to_numpy(zero_copy_only=False) for keys in columns]
    return np.asarray(np.logical_or.reduce(empty) * mark)


def fingerprint(words: Sequence[Words]) -> Words:
    """64 bits that depend on all words; with a single word no two of them agree."""
    mixed = np.zeros(len(words[0]), np.uint64)
    for word in words:
        mixed ^= word
        mixed *= SPREAD
        mixed ^= mixed >> _HALF
    return mixed
