"""Comparing the keys of two tables, whole columns at a time.

A key becomes a few 64-bit words (the characters of a text, eight at a time, or the bits of a
number) and these a fingerprint of 64 bits. Equal keys have equal fingerprints, so two sorted
lists of fingerprints tell at once what is missing, unknown or repeated. That two keys with
the same fingerprint are equal is checked on the words, so a coincidence fools nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mlebench.errors import InvalidSubmissionError
from mlebench.side_by_side import side_by_side
from mlebench.submission.refusals import is_text, quote
from mlebench.submission.sorted_pairs import (
    MANY_ROWS,
    Pairs,
    Rows,
    Sorted,
    pair_sorted,
    sort_fingerprints,
)
from mlebench.submission.words import (
    LONGEST_PACKED,
    Characters,
    Words,
    bits,
    fingerprint,
    marks,
)

Whole = type[np.int64 | np.uint64]
Result = TypeVar("Result")

# In another order, these already tell; comparing all would be in vain.
A_FEW = 1000

# An empty key equals nothing, not even an empty one of the other side.
_EMPTY_GIVEN, _EMPTY_WANTED = np.uint64(1), np.uint64(2)


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The key columns of one table, and what has been found out about them.

    Answers that are kept for many submissions thus keep the index of their keys.
    """

    table: pd.DataFrame
    names: tuple[str, ...]
    _known: dict[Hashable, tuple[Hashable, Any]] = field(default_factory=dict, init=False)

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

    def find_out(
        self, what: Hashable, make: Callable[[], Result], manner: Hashable = None
    ) -> Result:
        """Something about the columns, made once, or again if it is wanted in another manner."""
        known = self._known.get(what)
        if known is None or known[0] != manner:
            known = self._known[what] = manner, make()
        found: Result = known[1]
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
        pairs = pair_sorted(*self._sorted)
        same = side_by_side(
            lambda: self._are_same(pairs.given, pairs.wanted),
            lambda: self._are_same(pairs.repeated, pairs.twins),
            pays=len(self.given) > MANY_ROWS,
        )
        return pairs if all(same) else pair_sorted(*self._sorted_by_number)

    def _are_same(self, mine: Rows, theirs: Rows) -> bool:
        """Whether no two different keys share a fingerprint."""
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
            empty = marks(given, _EMPTY_GIVEN), marks(wanted, _EMPTY_WANTED)
            encoded.append(_Encoded([empty], None))
        return encoded

    @property
    def _words(self) -> list[tuple[Words, Words]]:
        return [pair for column in self._encoded for pair in column.words]

    @cached_property
    def _sorted(self) -> tuple[Sorted, Sorted]:
        manner = tuple(column.manner for column in self._encoded)

        def in_order(table: KeyTable, words: Sequence[Words]) -> Sorted:
            if None in manner:
                return sort_fingerprints(fingerprint(words))
            return table.find_out("sorted", lambda: sort_fingerprints(fingerprint(words)), manner)

        given, wanted = zip(*self._words, strict=True)
        return side_by_side(
            lambda: in_order(self.given, given),
            lambda: in_order(self.wanted, wanted),
            pays=len(self.given) > MANY_ROWS,
        )

    @property
    def _sorted_by_number(self) -> tuple[Sorted, Sorted]:
        """Exact but slower: distinct keys get distinct numbers."""
        given, wanted = (
            pd.DataFrame(dict(enumerate(side))) for side in zip(*self._words, strict=True)
        )
        numbers = pd.concat([given, wanted]).groupby(list(given.columns)).ngroup()
        codes: Words = numbers.to_numpy().astype(np.uint64)
        return sort_fingerprints(codes[: len(given)]), sort_fingerprints(codes[len(given) :])


def _are_equal(given: pa.Array | pa.ChunkedArray, wanted: pa.Array | pa.ChunkedArray) -> bool:
    """Whether both columns hold the same cells, none of them empty."""
    if given.null_count or wanted.null_count:
        return False
    return bool(pc.all(pc.equal(given, wanted), min_count=0).as_py())


def _comparable(given: KeyTable, wanted: KeyTable, name: str) -> tuple[Any, Any]:
    """Both columns in Arrow's memory and of one type: text, or numbers compared by value."""
    # Without cells a column is neither text nor numbers.
    if not len(given) or not len(wanted):
        known = wanted if len(wanted) else given
        column = _arrow(known, name, _common_type({known.kind(name)}))
        return (column[:0], column) if known is wanted else (column, column[:0])
    if given.kind(name) == "text" != wanted.kind(name):
        _refuse_type(wanted, name, "text", "numbers")
    if given.kind(name) != "text" == wanted.kind(name):
        if given.table[name].notna().any():
            _refuse_type(wanted, name, "numbers", "text")
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
        if whole is None:
            return pa.array(values.astype(np.float64, copy=False), from_pandas=True)
        return _as_whole(values, whole)

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


def _refuse_type(wanted: KeyTable, name: str, found: str, expected: str) -> NoReturn:
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
        return _Encoded([(bits(mine), bits(theirs))], str(mine.type))
    many = len(given) > MANY_ROWS
    sides = side_by_side(
        lambda: _characters(given, name, mine),
        lambda: _characters(wanted, name, theirs),
        pays=many,
    )
    longest = max(side.longest for side in sides)
    if longest > LONGEST_PACKED:
        parts = [_in_one_piece(side).cast(pa.large_string()) for side in (mine, theirs)]
        texts = pa.chunked_array(parts).combine_chunks()
        codes = pc.fill_null(texts.dictionary_encode().indices, 0).to_numpy().astype(np.uint64)
        return _Encoded([(codes[: len(mine)], codes[len(mine) :])], None)
    starts = range(0, max(longest, 1), 8)
    words = side_by_side(
        lambda: [sides[0].word(start) for start in starts],
        lambda: [sides[1].word(start) for start in starts],
        pays=many,
    )
    pairs = list(zip(*words, strict=True))
    has_nul = any(side.has_nul for side in sides)
    if has_nul:  # then the padding hides where a text ends
        pairs.append((sides[0].lengths.astype(np.uint64), sides[1].lengths.astype(np.uint64)))
    return _Encoded(pairs, (len(starts), has_nul))


def _characters(side: KeyTable, name: str, column: pa.Array | pa.ChunkedArray) -> Characters:
    return side.find_out(("characters", name), lambda: Characters.of(_in_one_piece(column)))
