"""Where rows of a group follow each other: what their numbers were before, and are after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import Column, as_numbers, as_times
from .frame import Frame

Codes = NDArray[np.int64]
FEWEST_ROWS = 3  # of a group, on average
NEARLY_ALL = 0.99
REPEATED = 1.5  # rows for each value of what many groups have
MOST_COLUMNS, TOLD_OF_EACH, MOST_CELLS = 10, 6, 30_000_000


def add_sequences(frame: Frame, columns: Sequence[Column], name: str) -> None:
    """Add what is told of a row by its place among those of its group.

    Nothing where no column says in which order they are, or groups are told by a part of one.

    Args:
        frame: What is known of rows.
        columns: All of both tables.
        name: What tells groups. Those of one table have nothing to do with those of the other.
    """
    group = next((column for column in columns if column.name == name), None)
    if group is None:
        return
    codes = _codes(group)
    if len(codes) < FEWEST_ROWS * len(np.unique(codes)):
        return
    order = _order(columns, codes)
    if order is None:
        return
    groups = codes[order]
    back = np.argsort(order)
    for what, told in _of_places(groups):
        frame.add(what, told.to_numpy()[back])
    most = min(MOST_COLUMNS, MOST_CELLS // (TOLD_OF_EACH * len(codes)))
    for column in [one for one in columns if _varies(one, frame, codes)][:most]:
        values = as_numbers(column.both).astype(float).iloc[order].reset_index(drop=True)
        for what, told in _of_values(values, groups):
            frame.add(f"{column.name} {what}", told.to_numpy()[back])


def _codes(group: Column) -> Codes:
    """The group of each row; rows that are in none are each by itself."""
    codes = np.empty(0, dtype=np.int64)
    for part in (group.train, group.test):
        own, values = pd.factorize(part)
        is_alone = own < 0
        own[is_alone] = len(values) + np.arange(is_alone.sum())
        codes = np.append(codes, own + codes.max(initial=-1) + 1)
    return codes


def _order(columns: Sequence[Column], codes: Codes) -> NDArray[np.int64] | None:
    """Rows by group and in order: by times, or by a number that other groups have, too.

    Else by what differs in all rows, such as their names, if tables are in that order.
    """
    in_tables = np.argsort(codes, kind="stable")
    found: dict[tuple[bool, bool], NDArray[np.int64]] = {}
    for column in columns:
        when = _when(column)
        if when is None or np.isnan(when).any():
            continue
        order = np.lexsort((when, codes))
        follows = np.diff(codes[order]) == 0
        if (np.diff(when[order])[follows] > 0).mean() < NEARLY_ALL:
            continue
        is_shared = column.holds == "times" or len(np.unique(when)) * REPEATED <= len(when)
        is_kept = bool((order == in_tables).mean() >= NEARLY_ALL)
        if is_shared or is_kept:
            found.setdefault((is_shared, is_kept), order)
    return found[max(found)] if found else None


def _when(column: Column) -> NDArray[np.float64] | None:
    """Numbers by which rows may be in order: times, or numbers that count something."""
    if column.holds == "times":
        return as_times(column.both)
    if column.holds != "numbers":
        return None
    return as_numbers(column.both).to_numpy(dtype=float, na_value=np.nan)


def _varies(column: Column, frame: Frame, codes: Codes) -> bool:
    """Whether a column of numbers differs within most groups."""
    if column.holds != "numbers" or column.name not in frame.names:
        return False
    groups = as_numbers(column.both).astype(float).groupby(codes)
    return bool((groups.max() > groups.min()).mean() > 0.5)


def _of_places(groups: Codes) -> Iterator[tuple[str, pd.Series]]:
    place = pd.Series(groups).groupby(groups).cumcount()
    yield "place in group", place
    yield "rows of group", place.groupby(groups).transform("size")


def _of_values(values: pd.Series, groups: Codes) -> Iterator[tuple[str, pd.Series]]:
    """What is told by numbers of the same group, which are one after the other."""
    by_group = values.groupby(groups)
    so_far = by_group.cumsum()
    yield "rank in group", by_group.rank(pct=True)
    yield "since the row before", by_group.diff()
    yield "until the row after", -by_group.diff(-1)
    yield "sum so far", so_far
    yield "mean so far", so_far / (values.notna().groupby(groups).cumsum())
    yield "mean of group", by_group.transform("mean")
