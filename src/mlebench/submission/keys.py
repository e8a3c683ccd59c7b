"""Comparing the keys of two tables, whole columns at a time.

A key becomes a few 64-bit words (the characters of a text, eight at a time, or the bits of a
number) and these a fingerprint of 64 bits. Equal keys have equal fingerprints, so two sorted
lists of fingerprints tell at once what is missing, unknown or repeated. That two keys with
the same fingerprint are equal is checked on the words, so a coincidence fools nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.refusals import is_text, quote

Rows = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Side = TypeVar("Side")
Result = TypeVar("Result")

# Longer texts are numbered instead: the words of a whole column would fill the memory.
LONGEST_PACKED = 64

# In another order, these already tell; comparing all would be in vain.
A_FEW = 1000

# With more rows than these bits can number, too little of a fingerprint would be left.
ROW_BITS = 21

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
# An empty key equals nothing, not even an empty one of the other side.
_EMPTY_GIVEN, _EMPTY_WANTED = np.uint64(1), np.uint64(2)


class Pairs(NamedTuple):
    """Which rows of the submission and of the answers have the same key.

    Repeated keys are paired in order of appearance, as far as both sides repeat them. The
    rows themselves come in no particular order.
    """

    given: Rows
    wanted: Rows
    unknown: Rows
    """Submitted rows whose key no answer has."""
    repeated: Rows
    """Submitted rows whose key has been given often enough before."""
    twins: Rows
    """For each repeated row an answer with its key."""
    missing: Rows
    """Answers that no submitted row belongs to."""


@dataclass(frozen=True)
class KeyColumns:
    """The same key columns of a submission and of the answers."""

    given: pd.DataFrame
    wanted: pd.DataFrame

    def are_equal(self) -> bool:
        """Whether both tables list the same keys in the same order."""
        return (
            len(self.given) == len(self.wanted)
            and all(_are_equal(given[:A_FEW], wanted[:A_FEW]) for given, wanted in self._columns)
            and all(_are_equal(given, wanted) for given, wanted in self._columns)
        )

    def may_repeat(self) -> bool:
        """Whether some answers seem to share a key; never False where they do."""
        ordered = np.sort(self._fingerprints[1])
        return bool((ordered[1:] == ordered[:-1]).any())

    def pair(self) -> Pairs:
        """Find for every key its row on the other side."""
        pairs = _pair(*self._fingerprints)
        same = _both(self._are_same, (pairs.given, pairs.wanted), (pairs.repeated, pairs.twins))
        return pairs if all(same) else _pair(*self._numbered)

    def _are_same(self, rows: tuple[Rows, Rows]) -> bool:
        """Whether no two different keys share a fingerprint."""
        mine, theirs = rows
        # Mixing loses nothing, so the first words are equal wherever all the others are.
        return all(np.array_equal(given[mine], wanted[theirs]) for given, wanted in self._words[1:])

    @cached_property
    def _columns(self) -> list[tuple[Any, Any]]:
        return [_comparable(self.given[name], self.wanted[name]) for name in self.wanted.columns]

    @cached_property
    def _words(self) -> list[tuple[Words, Words]]:
        columns = [(_in_one_piece(given), _in_one_piece(wanted)) for given, wanted in self._columns]
        words = [pair for given, wanted in columns for pair in _to_words(given, wanted)]
        given, wanted = zip(*columns, strict=True)
        if any(keys.null_count for keys in (*given, *wanted)):
            words.append((_marks(given, _EMPTY_GIVEN), _marks(wanted, _EMPTY_WANTED)))
        return words

    @cached_property
    def _fingerprints(self) -> tuple[Words, Words]:
        return _both(_fingerprint, *zip(*self._words, strict=True))

    @property
    def _numbered(self) -> tuple[Words, Words]:
        """Exact but slower: distinct keys get distinct numbers."""
        given, wanted = (
            pd.DataFrame(dict(enumerate(side))) for side in zip(*self._words, strict=True)
        )
        numbers = pd.concat([given, wanted]).groupby(list(given.columns)).ngroup()
        codes: Words = numbers.to_numpy().astype(np.uint64)
        return codes[: len(given)], codes[len(given) :]


def _are_equal(given: pa.Array | pa.ChunkedArray, wanted: pa.Array | pa.ChunkedArray) -> bool:
    """Whether both columns hold the same cells, none of them empty."""
    if given.null_count or wanted.null_count:
        return False
    return bool(pc.all(pc.equal(given, wanted), min_count=0).as_py())


def _marks(columns: Iterable[pa.Array], mark: np.uint64) -> Words:
    """A word for each row that tells whether one of its cells is empty."""
    empty = [pc.is_null(keys).to_numpy(zero_copy_only=False) for keys in columns]
    return np.asarray(np.logical_or.reduce(empty) * mark)


def _comparable(submitted: pd.Series[Any], expected: pd.Series[Any]) -> tuple[Any, Any]:
    """Both columns in Arrow's memory and of one type: text, or numbers compared by value."""
    # Without cells a column is neither text nor numbers.
    if submitted.empty:
        submitted = expected.iloc[:0]
    elif expected.empty:
        expected = submitted.iloc[:0]
    if is_text(expected):
        if not is_text(submitted) and submitted.notna().any():
            _refuse_type(submitted, expected, "numbers", "text")
        return _as_text(submitted), _as_text(expected)
    if is_text(submitted):
        _refuse_type(submitted, expected, "text", "numbers")
    given, wanted = submitted.to_numpy(), expected.to_numpy()
    kinds = {given.dtype.kind, wanted.dtype.kind}
    if kinds == {"f"}:
        return pa.array(given, from_pandas=True), pa.array(wanted, from_pandas=True)
    kind = np.uint64 if kinds <= {"f", "u"} else np.int64
    return _as_whole(given, kind), _as_whole(wanted, kind)


def _as_whole(values: npt.NDArray[Any], kind: type[np.int64 | np.uint64]) -> pa.Array:
    """Numbers in the type of the other side; those that equal none of that type are empty."""
    limits = np.iinfo(kind)
    if values.dtype.kind == "f":
        in_range = (values >= float(limits.min)) & (values < float(limits.max))
        fits = in_range & (values == np.floor(values))
        return pa.array(np.where(fits, values, 0).astype(kind), mask=~fits)
    if values.dtype.kind == "u" and kind is np.int64:
        return pa.array(values.astype(kind), mask=values > np.uint64(limits.max))
    return pa.array(values.astype(kind, copy=False))


def _refuse_type(
    submitted: pd.Series[Any], expected: pd.Series[Any], found: str, wanted: str
) -> None:
    raise InvalidSubmissionError(
        f"Column {submitted.name!r} holds {found}, but the ids are {wanted} such as "
        f"{quote(expected.iloc[0])}.",
        code="wrong_ids",
        column=str(submitted.name),
    )


def _as_text(series: pd.Series[Any]) -> pa.Array | pa.ChunkedArray:
    if isinstance(series.dtype, pd.ArrowDtype):
        return pa.array(series)
    present = series.notna()
    return pa.array(series.astype(object).map(str).where(present, None), pa.string())


def _in_one_piece(keys: pa.Array | pa.ChunkedArray) -> pa.Array:
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


def _to_words(given: pa.Array, wanted: pa.Array) -> list[tuple[Words, Words]]:
    if not pa.types.is_string(given.type) and not pa.types.is_large_string(given.type):
        return [(_bits(given), _bits(wanted))]
    sides = _both(_Characters.of, given, wanted)
    longest = max(side.longest for side in sides)
    if longest > LONGEST_PACKED:
        texts = pa.chunked_array([given.cast(pa.large_string()), wanted.cast(pa.large_string())])
        numbers = pc.fill_null(texts.combine_chunks().dictionary_encode().indices, 0)
        codes = numbers.to_numpy().astype(np.uint64)
        return [(codes[: len(given)], codes[len(given) :])]
    starts = range(0, max(longest, 1), 8)
    words = _both(lambda side: [side.word(start) for start in starts], *sides)
    pairs = list(zip(*words, strict=True))
    if any(side.has_nul for side in sides):  # then the padding hides where a text ends
        pairs.append((sides[0].lengths.astype(np.uint64), sides[1].lengths.astype(np.uint64)))
    return pairs


def _bits(numbers: pa.Array) -> Words:
    values = pc.fill_null(numbers, 0).to_numpy()
    # Adding zero turns -0.0, which equals 0.0, into it.
    return np.ascontiguousarray(values + values.dtype.type(0)).view(np.uint64)


@dataclass(frozen=True)
class _Characters:
    """The bytes of a text column, to be looked at eight at a time."""

    data: npt.NDArray[np.uint8]
    starts: Rows
    lengths: Rows

    @classmethod
    def of(cls, texts: pa.Array) -> _Characters:
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

    @property
    def longest(self) -> int:
        return int(self.lengths.max(initial=0))

    @property
    def has_nul(self) -> bool:
        return not self.data[: int(self.lengths.sum())].min(initial=1)

    def word(self, start: int) -> Words:
        """Eight bytes of every text from ``start`` on; beyond its end there are zeros."""
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


def _fingerprint(words: Sequence[Words]) -> Words:
    """64 bits that depend on all words; with a single word no two of them agree."""
    mixed = np.zeros(len(words[0]), np.uint64)
    for word in words:
        mixed ^= word
        mixed *= _SPREAD
        mixed ^= mixed >> _HALF
    return mixed


def _pair(given: Words, wanted: Words) -> Pairs:
    """Pair equal fingerprints; all that is needed is two sorted lists."""
    (given_rows, mine), (wanted_rows, theirs) = _both(_sorted, given, wanted)
    if np.array_equal(mine, theirs):
        nothing = np.zeros(0, np.int64)
        return Pairs(given_rows, wanted_rows, nothing, nothing, nothing, nothing)
    asked, known = (side.take(places) for side, places in _common_runs(mine, theirs))
    pairable = np.minimum(asked.lengths, known.lengths)
    too_many = asked.lengths - pairable
    paired = _places(asked.starts, pairable)
    repeated = _places(asked.starts + pairable, too_many)
    answered = _places(known.starts, pairable)
    is_unknown = np.ones(len(mine), bool)
    is_unknown[paired] = is_unknown[repeated] = False
    is_missing = np.ones(len(theirs), bool)
    is_missing[answered] = False
    return Pairs(
        given_rows[paired],
        wanted_rows[answered],
        unknown=given_rows[is_unknown],
        repeated=given_rows[repeated],
        twins=wanted_rows[np.repeat(known.starts, too_many)],
        missing=wanted_rows[is_missing],
    )


class _Runs(NamedTuple):
    """Where the runs of equal values begin in a sorted list, and how long they are."""

    starts: Rows
    lengths: Rows

    @classmethod
    def of(cls, ordered: Words) -> _Runs:
        is_first = np.ones(len(ordered), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(is_first)
        lengths = np.empty_like(starts)
        lengths[:-1] = starts[1:] - starts[:-1]
        lengths[-1:] = len(ordered) - starts[-1:]
        return cls(starts, lengths)

    def take(self, which: Rows) -> _Runs:
        return _Runs(self.starts[which], self.lengths[which])


def _common_runs(mine: Words, theirs: Words) -> tuple[tuple[_Runs, Rows], tuple[_Runs, Rows]]:
    """The runs of two sorted lists, and which of each have a value that the other has too."""
    my_runs, their_runs = _both(_Runs.of, mine, theirs)
    values = np.concatenate([theirs[their_runs.starts], mine[my_runs.starts]])
    order = values.argsort(kind="stable")  # merges what is sorted already, in linear time
    merged = values[order]
    twice = np.flatnonzero(merged[1:] == merged[:-1])
    return (my_runs, order[twice + 1] - len(their_runs.starts)), (their_runs, order[twice])


def _places(starts: Rows, lengths: Rows) -> Rows:
    """All places of some stretches of a list, one stretch after the other."""
    if lengths.max(initial=0) <= 1:
        return starts[lengths > 0]
    ends = np.cumsum(lengths)
    places: Rows = np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths)
    return places


def _sorted(fingerprints: Words) -> tuple[Rows, Words]:
    """The rows in the order of their fingerprints, and these; equal ones as they appear.

    Sorting the high bits of the fingerprint with the row number below them is several
    times faster than asking for the order; the rare rows whose high bits agree while the
    rest does not are left to the slow way.
    """
    bits = max(len(fingerprints) - 1, 1).bit_length()
    if bits <= ROW_BITS:
        below = np.uint64((1 << bits) - 1)
        packed = fingerprints & ~below
        packed |= np.arange(len(fingerprints), dtype=np.uint64)
        packed.sort()
        rows = (packed & below).astype(np.int64)
        ordered = fingerprints[rows]
        if (ordered[1:] >= ordered[:-1]).all():
            return rows, ordered
    rows = np.argsort(fingerprints, kind="stable")
    return rows, fingerprints[rows]


def _both(function: Callable[[Side], Result], given: Side, wanted: Side) -> tuple[Result, Result]:
    """What a function makes of each side; side by side, since numpy lets threads go on."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        pending = thread.submit(function, given)
        other = function(wanted)
        return pending.result(), other
