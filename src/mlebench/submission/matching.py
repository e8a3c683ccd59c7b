"""Which row of a submission belongs to which answer.

Most competitions ask for every key exactly once, in any order. The others have habits of
their own, each a small class here: it says how rows are paired, what it refuses, what the
documentation tells participants, and which of the usual mistakes it lets pass. A matching
sees the key columns of both tables and nothing else, so no label can change its verdict.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.keys import KeyColumns, KeyTable
from mlebench.submission.pairing import (
    IN_ORDER,
    Pairing,
    answer_order,
    are_comparable,
    check_row_count,
    first_rows,
    join,
    pair_completely,
    pandas_order,
    refuse_empty_keys,
    refuse_keys,
    refuse_other_set,
    some_keys,
)
from mlebench.submission.sorted_pairs import Rows


@dataclass(frozen=True)
class Tolerance:
    """Which of the usual deviations from the sample submission pass."""

    no_rows: bool = False
    a_row_missing: bool = False
    a_row_twice: bool = False
    an_unknown_key: bool = False
    an_empty_key: bool = False
    a_repeated_key: bool = False
    """A key stands in the place of another one, which is missing then."""
    other_repetitions: bool = False
    """Every key occurs, but not as often as in the sample submission."""
    no_key_column: bool = False
    shuffled_rows: bool = True


class Matching(ABC):
    """How the rows of a submission find their answers."""

    tolerates: ClassVar[Tolerance] = Tolerance()
    order_counts: ClassVar[bool] = False
    """Whether the order of the rows can change the score."""
    one_key_only: ClassVar[bool] = False
    """Whether the key must be a single column."""
    keeps_key: ClassVar[bool] = False
    """Whether scoring needs the submitted keys beside the predictions."""

    @property
    def needs_key(self) -> bool:
        """Whether the key columns must be there."""
        return not self.tolerates.no_key_column

    @abstractmethod
    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Pair the rows of two tables of keys.

        Raises:
            InvalidSubmissionError: The submitted rows are not those that were asked for.
        """

    @abstractmethod
    def describe(self, key: str) -> str:
        """Which rows a submission needs, and in what order, for the documentation."""


@dataclass(frozen=True)
class ExactKey(Matching):
    """Every key exactly once, in any order.

    Repeated keys in the answers are matched in order of appearance, so only a submission
    that repeats them as often passes.
    """

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Find each answer's row by its key."""
        keys = KeyColumns(given, wanted)
        if keys.are_equal():
            return IN_ORDER
        return Pairing(submitted=answer_order(pair_completely(keys), len(wanted)))

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return f"one row for each {key} of the test set, in any order"


@dataclass(frozen=True)
class Position(Matching):
    """Row by row in the order of the sample submission; keys are not looked at."""

    tolerates = Tolerance(
        an_unknown_key=True,
        an_empty_key=True,
        a_repeated_key=True,
        other_repetitions=True,
        no_key_column=True,
    )
    order_counts = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Only the number of rows can be wrong."""
        check_row_count(len(given), len(wanted))
        return IN_ORDER

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one row for each {key} of the test set, in the order of the sample submission, "
            "by which they are compared"
        )


@dataclass(frozen=True)
class PositionAndKey(Matching):
    """Row by row in the order of the sample submission, with the same key in each row."""

    tolerates = Tolerance(shuffled_rows=False)
    order_counts = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Refuse rows whose key is not that of the sample submission's row."""
        check_row_count(len(given), len(wanted))
        keys = KeyColumns(given, wanted)
        if not keys.are_equal():
            pairs = pair_completely(keys)
            moved = pairs.given[pairs.given != pairs.wanted]
            raise InvalidSubmissionError(
                "The rows must stand in the order of the sample submission; out of place: "
                f"{some_keys(given, moved)}.",
                code="row_order",
                column=given.title,
                rows=[int(row) + 1 for row in first_rows(moved)],
            )
        return IN_ORDER

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return f"one row for each {key} of the test set, in the order of the sample submission"


@dataclass(frozen=True)
class AsFarAsBothGo(Matching):
    """Row by row as far as both tables go; keys are not compared, lengths neither."""

    tolerates = Tolerance(
        no_rows=True,
        a_row_missing=True,
        a_row_twice=True,
        an_unknown_key=True,
        a_repeated_key=True,
        other_repetitions=True,
    )
    order_counts = True
    keeps_key = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Cut the longer table; an empty key (the first column of it) cannot be sorted."""
        refuse_empty_keys(given, given.table[given.names[0]].isna().to_numpy())
        both = np.arange(min(len(given), len(wanted)))
        return Pairing(both, both)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one row for each {key} of the test set, in the order of the sample submission, by "
            "which they are compared; rows left out at the end are not scored, rows added at "
            "the end are ignored"
        )


@dataclass(frozen=True)
class PositionInGroup(ExactKey):
    """As many rows of each key as asked for; within a key, row by row in the sample's order."""

    order_counts = True

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"as many rows of each {key} as the sample submission has, in the same order within "
            f"each {key}, by which they are compared"
        )


class _SortedByPandas(Matching):
    """Both tables are sorted by their key as pandas does by default, and compared row by row.

    That sort keeps no order among equal keys. Rows with repeated keys therefore meet their
    own answers only if the submission lists them as the sample does.
    """

    order_counts = True
    one_key_only = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Sort both, unless the same keys, each of them once, need no sorting to be paired."""
        check_row_count(len(given), len(wanted))
        keys = KeyColumns(given, wanted)
        if are_comparable(given, wanted):
            if keys.are_equal():
                return IN_ORDER
            if not keys.may_repeat() and not len((pairs := keys.pair()).missing):
                return Pairing(submitted=answer_order(pairs, len(wanted)))
        self._check(keys)
        return Pairing(self._order(wanted.frame), self._order(given.frame))

    def _order(self, keys: pd.DataFrame) -> Rows:
        return pandas_order(keys)

    @abstractmethod
    def _check(self, keys: KeyColumns) -> None:
        """Refuse keys that were not asked for."""


@dataclass(frozen=True)
class SortedKeys(_SortedByPandas):
    """Every key as often as asked for; rows with the same key are best left in sample order."""

    def _check(self, keys: KeyColumns) -> None:
        pair_completely(keys)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one row for each {key} of the test set, repeated ones as often as there; keep the "
            f"order of the sample submission, because rows with the same {key} are told apart by "
            "nothing else"
        )


@dataclass(frozen=True)
class SortedKeySet(_SortedByPandas):
    """As many rows as asked for, with the same set of keys; how often each occurs may differ."""

    tolerates = Tolerance(other_repetitions=True)

    def _check(self, keys: KeyColumns) -> None:
        refuse_other_set(keys)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"the rows of the sample submission in its order; {key} values repeat, and rows with "
            "the same one are told apart by nothing else"
        )


@dataclass(frozen=True)
class SortedKnownKeys(_SortedByPandas):
    """As many rows as asked for, with known keys only; scoring decides about repeated ones."""

    tolerates = Tolerance(a_repeated_key=True, other_repetitions=True)
    keeps_key = True

    def _check(self, keys: KeyColumns) -> None:
        pairs = keys.pair()
        if len(pairs.unknown):
            refuse_keys(keys, pairs)

    def _order(self, keys: pd.DataFrame) -> Rows:
        """The keys are the tables' index here, which pandas leaves alone if it is sorted."""
        is_sorted = keys.iloc[:, 0].is_monotonic_increasing
        return np.arange(len(keys)) if is_sorted else pandas_order(keys)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return f"one row for each {key} of the test set, in any order"


@dataclass(frozen=True)
class SortedOnly(_SortedByPandas):
    """As many rows as asked for, brought in the order of their keys, which are not compared."""

    tolerates = Tolerance(
        an_unknown_key=True, an_empty_key=True, a_repeated_key=True, other_repetitions=True
    )

    def _check(self, keys: KeyColumns) -> None:
        pass

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one row for each {key} of the test set; rows are sorted by {key} before they are "
            "compared, but the values are not checked"
        )


@dataclass(frozen=True)
class AtLeastAsked(Matching):
    """Every key that is asked for; others are ignored.

    A key given twice shifts all later rows, since both tables are sorted and compared row
    by row.
    """

    tolerates = Tolerance(a_row_twice=True)
    one_key_only = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Leave out what was not asked for, then sort both."""
        keys = KeyColumns(given, wanted)
        if keys.are_equal():
            return IN_ORDER
        pairs = keys.pair()
        if len(pairs.missing):
            refuse_keys(
                keys, pairs._replace(unknown=pairs.unknown[:0], repeated=pairs.repeated[:0])
            )
        if not len(pairs.repeated):
            return Pairing(submitted=answer_order(pairs, len(wanted)))
        known = np.sort(np.concatenate([pairs.given, pairs.repeated]))
        order = known[pandas_order(given.frame.iloc[known])]
        return Pairing(pandas_order(wanted.frame), order[: len(wanted)])

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return f"one row for each {key} of the test set, in any order; further rows are ignored"


@dataclass(frozen=True)
class AtMostAsked(Matching):
    """Only keys that are asked for; those left out are not scored, repeated ones count again."""

    tolerates = Tolerance(
        a_row_missing=True, a_row_twice=True, a_repeated_key=True, other_repetitions=True
    )

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Each submitted row with its answer, in the order of the answers."""
        if not len(given):
            raise InvalidSubmissionError("There are no rows below the header.", code="row_count")
        may_repeat = self.tolerates.a_row_twice
        return join(KeyColumns(given, wanted), all_wanted=False, may_repeat=may_repeat)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return f"at most one row for each {key} of the test set, in any order"


@dataclass(frozen=True)
class AtMostOnce(AtMostAsked):
    """Only keys that are asked for, each at most once; those left out are not scored."""

    tolerates = Tolerance(a_row_missing=True)


@dataclass(frozen=True)
class Join(Matching):
    """Every key at least once; a key given twice counts twice."""

    tolerates = Tolerance(a_row_twice=True)

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Each submitted row with its answer, in the order of the answers."""
        return join(KeyColumns(given, wanted), all_wanted=True)

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one row for each {key} of the test set, in any order; any {key} given twice "
            "counts twice"
        )


@dataclass(frozen=True)
class Pooled(Matching):
    """Every key in one or several rows, which are pooled; both tables stay as they are.

    No row of one table stands beside a row of the other, so this is nothing for columns that
    need public ones.
    """

    tolerates = Tolerance(a_row_twice=True, other_repetitions=True)
    keeps_key = True

    def pair(self, given: KeyTable, wanted: KeyTable) -> Pairing:
        """Only the set of keys can be wrong."""
        keys = KeyColumns(given, wanted)
        if not keys.are_equal():
            refuse_other_set(keys)
        return IN_ORDER

    def describe(self, key: str) -> str:
        """Which rows a submission needs."""
        return (
            f"one or several rows for each {key} of the test set, in any order; what several rows "
            "say is put together"
        )


MATCHINGS: tuple[type[Matching], ...] = (
    ExactKey,
    Position,
    PositionAndKey,
    PositionInGroup,
    AsFarAsBothGo,
    SortedKeys,
    SortedKeySet,
    SortedKnownKeys,
    SortedOnly,
    AtLeastAsked,
    AtMostAsked,
    AtMostOnce,
    Join,
    Pooled,
)
