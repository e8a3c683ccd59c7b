"""Comparing the keys of two tables, whole columns at a time.

A key becomes a few 64-bit words (the characters of a text, eight at a time, or the bits of a
number) and these a fingerprint of 64 bits. Equal keys have equal fingerprints, so two sorted
lists of fingerprints tell at once what is missing, unknown or repeated. That two keys with
the same fingerprint are equal is checked on the words, so a coincidence fools nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.refusals import is_text, quote

Rows = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Sorted = tuple[Rows, Words]
Whole = type[np.int64 | np.uint64]
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


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The key columns of one table, and what has been found out about them.

    Answers that are kept for many submissions thus keep the index of their keys.
    """

    table: pd.DataFrame
    names: tuple[str, ...]
    _known: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pd.DataFrame) -> KeyTable:
        """A table that has no other columns than keys."""
        return cls(table, tuple(table.columns))

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The key columns alone."""
        return self.table[list(self.names)]

    @property
    def title(self) -> str:
        """What messages call the key."""
        return " + ".join(map(str, self.names))

    def kind(self, name: str) -> str:
        """What the reader took a column for: text, or a kind of numbers as numpy calls it."""

        def look() -> str:
            column = self.table[name]
            return "text" if is_text(column) else column.dtype.kind

        return self.find_out(("kind", name), look)

    def find_out(self, what: Hashable, make: Callable[[], Result]) -> Result:
        """Something about the columns, made once."""
        if what not in self._known:
            self._known[what] = make()
        found: Result = self._known[what]
        return found


@dataclass(frozen=True)
class KeyColumns:
    """The same key columns of a submission and of the answers."""

    given: KeyTable
    wanted: KeyTable

    def are_equal(self) -> bool:
        """Whether both tables list the same keys in the same order."""
        return (
            len(self.given) == len(self.wanted)
            and all(_are_equal(given[:A_FEW], wanted[:A_FEW]) for given, wanted in self._columns)
            and all(_are_equal(given, wanted) for given, wanted in self._columns)
        )

    def may_repeat(self) -> bool:
        """Whether some answers seem to share a key; never False where they do."""
        _, (_, ordered) = self._sorted
        return bool((ordered[1:] == ordered[:-1]).any())

    def pair(self) -> Pairs:
        """Find for every key its row on the other side."""
        pairs = _pair(*self._sorted)
        same = _both(self._are_same, (pairs.given, pairs.wanted), (pairs.repeated, pairs.twins))
        return pairs if all(same) else _pair(*self._sorted_by_number)

    def _are_same(self, rows: tuple[Rows, Rows]) -> bool:
        """Whether no two different keys share a fingerprint."""
        mine, theirs = rows
        # Mixing loses nothing, so the first words are equal wherever all the others are.
        return all(np.array_equal(given[mine], wanted[theirs]) for given, wanted in self._words[1:])

    @cached_property
    def _columns(self) -> list[tuple[Any, Any]]:
        return [_comparable(self.given, self.wanted, name) for name in self.wanted.names]

    @cached_property
    def _encoded(self) -> list[_Encoded]:
        encoded = [
            _encode(self.given, self.wanted, name, *columns)
            for name, columns in zip(self.wanted.names, self._columns, strict=True)
        ]
        given, wanted = zip(*self._columns, strict=True)
        if any(keys.null_count for keys in (*given, *wanted)):
            marks = _marks(given, _EMPTY_GIVEN), _marks(wanted, _EMPTY_WANTED)
            encoded.append(_Encoded([marks], None))
        return encoded

    @property
    def _words(self) -> list[tuple[Words, Words]]:
        return [pair for column in self._encoded for pair in column.words]

    @cached_property
    def _sorted(self) -> tuple[Sorted, Sorted]:
        manner = tuple(column.manner for column in self._encoded)

        def in_order(side: tuple[KeyTable, Sequence[Words]]) -> Sorted:
            table, words = side
            if None in manner:
                return _sorted(_fingerprint(words))
            # Under one name whatever the manner: a hostile file must not fill the memory.
            kept, found = table.find_out("sorted", lambda: (manner, _sorted(_fingerprint(words))))
            return found if kept == manner else _sorted(_fingerprint(words))

        given, wanted = zip(*self._words, strict=True)
        return _both(in_order, (self.given, given), (self.wanted, wanted))

    @property
    def _sorted_by_number(self) -> tuple[Sorted, Sorted]:
        """Exact but slower: distinct keys get distinct numbers."""
        given, wanted = (
            pd.DataFrame(dict(enumerate(side))) for side in zip(*self._words, strict=True)
        )
        numbers = pd.concat([given, wanted]).groupby(list(given.columns)).ngroup()
        codes: Words = numbers.to_numpy().astype(np.uint64)
        return _sorted(codes[: len(given)]), _sorted(codes[len(given) :])


def _are_equal(given: pa.Array | pa.ChunkedArray, wanted: pa.Array | pa.ChunkedArray) -> bool:
    """Whether both columns hold the same cells, none of them empty."""
    if given.null_count or wanted.null_count:
        return False
    return bool(pc.all(pc.equal(given, wanted), min_count=0).as_py())


def _marks(columns: Iterable[pa.Array], mark: np.uint64) -> Words:
    """A word for each row that tells whether one of its cells is empty."""
    empty = [pc.is_null(keys).to_numpy(zero_copy_only=False) for keys in columns]
    return np.asarray(np.logical_or.reduce(empty) * mark)


def _comparable(given: KeyTable, wanted: KeyTable, name: str) -> tuple[Any, Any]:
    """Both columns in Arrow's memory and of one type: text, or numbers compared by value."""
    # Without cells a column is neither text nor numbers.
    if not len(given) or not len(wanted):
        known = wanted if len(wanted) else given
        column = _arrow(known, name, _common_type({known.kind(name)}))
        return (column[:0], column) if known is wanted else (column, column[:0])
    if given.kind(name) == "text" != wanted.kind(name):
        _refuse_type(given, wanted, name, "text", "numbers")
    if given.kind(name) != "text" == wanted.kind(name):
        if given.table[name].notna().any():
            _refuse_type(given, wanted, name, "numbers", "text")
        return _as_text(given.table[name]), _arrow(wanted, name, None)
    whole = _common_type({given.kind(name), wanted.kind(name)})
    return _arrow(given, name, whole), _arrow(wanted, name, whole)


def _common_type(kinds: set[str]) -> Whole | None:
    """The type of whole numbers to compare in; None for text and for floats alone."""
    if kinds in ({"text"}, {"f"}):
        return None
    return np.uint64 if kinds <= {"f", "u"} else np.int64


def _arrow(side: KeyTable, name: str, whole: Whole | None) -> pa.Array | pa.ChunkedArray:
    """A column in Arrow's memory: text, floats, or whole numbers of a type."""

    def make() -> pa.Array | pa.ChunkedArray:
        if side.kind(name) == "text":
            return _as_text(side.table[name])
        values = side.table[name].to_numpy()
        return pa.array(values, from_pandas=True) if whole is None else _as_whole(values, whole)

    return side.find_out((name, whole), make)


def _as_whole(values: npt.NDArray[Any], kind: Whole) -> pa.Array:
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
    given: KeyTable, wanted: KeyTable, name: str, found: str, expected: str
) -> NoReturn:
    raise InvalidSubmissionError(
        f"Column {name!r} holds {found}, but the ids are {expected} such as "
        f"{quote(wanted.table[name].iloc[0])}.",
        code="wrong_ids",
        column=str(name),
    )


def _as_text(series: pd.Series[Any]) -> pa.Array | pa.ChunkedArray:
    if isinstance(series.dtype, pd.ArrowDtype):
        return pa.array(series)
    present = series.notna()
    return pa.array(series.astype(object).map(str).where(present, None), pa.string())


def _in_one_piece(keys: pa.Array | pa.ChunkedArray) -> pa.Array:
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


class _Encoded(NamedTuple):
    """A key column as words."""

    words: list[tuple[Words, Words]]
    manner: Hashable
    """What else the words depend on than their own side; None if on all of the other one."""


def _encode(
    given: KeyTable,
    wanted: KeyTable,
    name: str,
    mine: pa.Array | pa.ChunkedArray,
    theirs: pa.Array | pa.ChunkedArray,
) -> _Encoded:
    if not pa.types.is_string(mine.type) and not pa.types.is_large_string(mine.type):
        return _Encoded([(_bits(mine), _bits(theirs))], str(mine.type))
    sides = _both(lambda side: _characters(*side), (given, name, mine), (wanted, name, theirs))
    longest = max(side.longest for side in sides)
    if longest > LONGEST_PACKED:
        parts = [_in_one_piece(side).cast(pa.large_string()) for side in (mine, theirs)]
        texts = pa.chunked_array(parts).combine_chunks()
        codes = pc.fill_null(texts.dictionary_encode().indices, 0).to_numpy().astype(np.uint64)
        return _Encoded([(codes[: len(mine)], codes[len(mine) :])], None)
    starts = range(0, max(longest, 1), 8)
    words = _both(lambda side: [side.word(start) for start in starts], *sides)
    pairs = list(zip(*words, strict=True))
    has_nul = any(side.has_nul for side in sides)
    if has_nul:  # then the padding hides where a text ends
        pairs.append((sides[0].lengths.astype(np.uint64), sides[1].lengths.astype(np.uint64)))
    return _Encoded(pairs, (len(starts), has_nul))


def _characters(side: KeyTable, name: str, column: pa.Array | pa.ChunkedArray) -> _Characters:
    return side.find_out(("characters", name), lambda: _Characters.of(_in_one_piece(column)))


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
    _words: dict[int, Words] = field(default_factory=dict)

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

    @cached_property
    def longest(self) -> int:
        return int(self.lengths.max(initial=0))

    @cached_property
    def has_nul(self) -> bool:
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


def _fingerprint(words: Sequence[Words]) -> Words:
    """64 bits that depend on all words; with a single word no two of them agree."""
    mixed = np.zeros(len(words[0]), np.uint64)
    for word in words:
        mixed ^= word
        mixed *= _SPREAD
        mixed ^= mixed >> _HALF
    return mixed


def _pair(given: Sorted, wanted: Sorted) -> Pairs:
    """Pair equal fingerprints; all that is needed is two sorted lists."""
    (given_rows, mine), (wanted_rows, theirs) = given, wanted
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


def _sorted(fingerprints: Words) -> Sorted:
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
