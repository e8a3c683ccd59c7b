"""Pairing two tables of keys row by row, and saying which keys do not fit.

The tools of the matchings: each pairs, orders or refuses in one way.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.keys import KeyColumns, KeyTable
from mlebench.submission.refusals import SHOWN_ROWS, is_text, quote
from mlebench.submission.sorted_pairs import Pairs, Rows


class Pairing(NamedTuple):
    """Rows of the answers and of the submission that belong together, in the same order.

    None stands for all rows as they are.
    """

    answers: Rows | None = None
    submitted: Rows | None = None


IN_ORDER = Pairing()


def pandas_order(keys: pd.DataFrame) -> Rows:
    """The order in which ``sort_values`` leaves a table; empty keys come last."""
    (name,) = keys.columns
    column = keys[name]
    missing = column.isna().to_numpy()
    values = column.to_numpy(dtype=object) if is_text(column) else column.to_numpy()
    present = np.flatnonzero(~missing)
    try:
        order = np.argsort(values[present], kind="quicksort")
    except TypeError as error:
        raise InvalidSubmissionError(
            f"Column {name!r} mixes text and numbers, so its rows cannot be sorted.",
            code="wrong_ids",
            column=str(name),
        ) from error
    return np.concatenate([present[order], np.flatnonzero(missing)])


def are_comparable(given: KeyTable, wanted: KeyTable) -> bool:
    """Whether both tables hold text, or both numbers, in each column."""
    return all(
        (given.kind(name) == "text") == (wanted.kind(name) == "text") for name in wanted.names
    )


def pair_completely(keys: KeyColumns) -> Pairs:
    """All keys paired; refuses the submission otherwise."""
    pairs = keys.pair()
    if len(pairs.unknown) or len(pairs.repeated) or len(pairs.missing):
        refuse_keys(keys, pairs, count_rows=True)
    return pairs


def answer_order(pairs: Pairs, answers: int) -> Rows:
    """For each answer its row in the submission."""
    order = np.empty(answers, np.int64)
    order[pairs.wanted] = pairs.given
    return order


def join(keys: KeyColumns, *, all_wanted: bool, may_repeat: bool = True) -> Pairing:
    """Every submitted row with its answer, in the order of the answers."""
    if keys.are_equal():
        return IN_ORDER
    pairs = keys.pair()
    wrong = pairs._replace(
        missing=pairs.missing if all_wanted else pairs.missing[:0],
        repeated=pairs.repeated[:0] if may_repeat else pairs.repeated,
    )
    if len(wrong.unknown) or len(wrong.missing) or len(wrong.repeated):
        refuse_keys(keys, wrong)
    given = np.concatenate([pairs.given, pairs.repeated])
    wanted = np.concatenate([pairs.wanted, pairs.twins])
    order = np.lexsort([given, wanted])
    return Pairing(wanted[order], given[order])


def refuse_other_set(keys: KeyColumns) -> None:
    """Refuse a submission whose keys, however often they occur, are not those asked for."""
    given, wanted = keys.given.frame, keys.wanted.frame
    distinct = KeyColumns(
        KeyTable.of(given.drop_duplicates()), KeyTable.of(wanted.drop_duplicates())
    )
    pairs = distinct.pair()
    if len(pairs.unknown) or len(pairs.missing):
        in_file = np.flatnonzero(~given.duplicated().to_numpy())
        refuse_keys(
            KeyColumns(keys.given, distinct.wanted),
            pairs._replace(unknown=in_file[pairs.unknown]),
        )


def check_row_count(submitted: int, expected: int, hint: str = "") -> None:
    """Refuse another number of rows than was asked for."""
    if submitted != expected:
        raise InvalidSubmissionError(
            f"Expected {expected} rows, found {submitted}.{hint}", code="row_count"
        )


def refuse_empty_keys(given: KeyTable, empty: npt.NDArray[np.bool_]) -> None:
    """Refuse the marked rows, if there are any, for having no key."""
    if empty.any():
        raise InvalidSubmissionError(
            f"Every row needs a value in {given.title!r}.",
            code="wrong_ids",
            column=given.title,
            rows=[int(row) + 1 for row in np.flatnonzero(empty)[:SHOWN_ROWS]],
        )


def refuse_keys(keys: KeyColumns, pairs: Pairs, *, count_rows: bool = False) -> NoReturn:
    """Raise with the first missing, unknown and repeated keys."""
    given, wanted = keys.given, keys.wanted
    found = (
        (pairs.missing, "missing", wanted),
        (pairs.unknown, "unknown", given),
        (pairs.repeated, "repeated", given),
    )
    details = [
        f"{len(rows)} {what}, such as {some_keys(table, rows)}"
        for rows, what, table in found
        if len(rows)
    ]
    summary = f" Ids in column {given.title!r}: " + "; ".join(details) + "."
    if count_rows:
        check_row_count(len(given), len(wanted), hint=summary)
    rows = first_rows(np.concatenate([first_rows(pairs.unknown), first_rows(pairs.repeated)]))
    raise InvalidSubmissionError(
        f"The ids do not match the test set.{summary}",
        code="duplicate_ids" if len(pairs.repeated) else "wrong_ids",
        column=given.title,
        rows=[int(row) + 1 for row in rows],
    )


def some_keys(keys: KeyTable, rows: Rows) -> str:
    """The first of some keys, for a message."""
    shown: list[tuple[Any, ...]] = list(keys.frame.iloc[first_rows(rows)].itertuples(index=False))
    return ", ".join(" / ".join(quote(cell) for cell in key) for key in shown)


def first_rows(rows: Rows) -> Rows:
    """Those of some rows that stand first in the file, for a message."""
    few = np.partition(rows, SHOWN_ROWS)[:SHOWN_ROWS] if len(rows) > SHOWN_ROWS else rows
    return np.sort(few)
