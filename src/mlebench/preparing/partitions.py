"""Splitting rows into a training part and a held-out part.

The same rows in the same order as scikit-learn's ``train_test_split`` and
``GroupShuffleSplit``, without its import. As there, ``test_size`` is a share, or a count if
it is a whole number.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import ConfigError

T = TypeVar("T")
Array = npt.NDArray[Any]

NAMED = 5  # classes in a message; there may be thousands


def partition_positions(rows: int, test_size: float, seed: int = 0) -> tuple[list[int], list[int]]:
    """Positions of the training and of the held-out rows, shuffled."""
    train, test = _shuffled(rows, test_size, seed)
    return train.tolist(), test.tolist()


def _shuffled(rows: int, test_size: float, seed: int) -> tuple[Array, Array]:
    order = np.random.RandomState(seed).permutation(rows)
    held_out = test_size if isinstance(test_size, int) else math.ceil(test_size * rows)
    return order[held_out:], order[:held_out]


def partition_rows(
    table: pd.DataFrame, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows of a table, in shuffled order."""
    # Arrays, because lists of the positions of fifty million rows would fill the memory.
    train, test = _shuffled(len(table), test_size, seed)
    return table.iloc[train], table.iloc[test]


def partition_and_number(
    table: pd.DataFrame, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows in shuffled order, counted on by a new first column `id`."""
    parts = partition_rows(table, test_size, seed)
    ends = np.cumsum([len(part) for part in parts])
    train, test = (
        part.assign(id=range(end - len(part), end))[["id", *part.columns]]
        for part, end in zip(parts, ends, strict=True)
    )
    return train, test


def partition_list(items: list[T], test_size: float, seed: int = 0) -> tuple[list[T], list[T]]:
    """Training and held-out items of a list, in shuffled order."""
    train, test = partition_positions(len(items), test_size, seed)
    return [items[position] for position in train], [items[position] for position in test]


def partition_by_value(
    table: pd.DataFrame, by: str, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows, all rows with one value of a column on the same side.

    Rows stay in their order. ``test_size`` is the share of the distinct values, which are
    shuffled in the order in which they first appear.
    """
    _, held_out = partition_list(table[by].drop_duplicates().tolist(), test_size, seed)
    is_held_out = table[by].isin(held_out)
    return table[~is_held_out], table[is_held_out]


def partition_and_stack(
    table: pd.DataFrame, by: str, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows, one group after the other in shuffled order.

    ``by`` is the column that names the group, ``test_size`` the share of groups; within a
    group rows stay in their order.
    """
    groups = list(table.groupby(by).indices.values())
    train, test = partition_list(groups, test_size, seed)
    return table.iloc[np.concatenate(train)], table.iloc[np.concatenate(test)]


def partition_groups(
    table: pd.DataFrame, by: str, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows, all rows of one group on the same side, in their order.

    ``by`` is the column that names the group, ``test_size`` the share of groups, however
    large each is. They are those that ``GroupShuffleSplit`` holds out.
    """
    _check_share(test_size)
    groups, numbers, _ = _numbered(table, by)
    train, test = partition_positions(len(groups), test_size, seed)
    if not train or not test:
        raise ConfigError(
            f"The column {by!r} has {len(groups)} different values; to hold out a share of "
            f"{test_size} of them would leave {len(train)} to train on and {len(test)} held out."
        )
    is_held_out = np.isin(numbers, test)
    return table[~is_held_out], table[is_held_out]


def partition_stratified(
    table: pd.DataFrame, by: str, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows with the classes in equal shares, in shuffled order.

    ``by`` is the column of the classes, each of which needs two rows; both parts must have
    room for one row of every class. The rows are those of ``train_test_split`` with
    ``stratify``.
    """
    _check_share(test_size)
    classes, numbers, sizes = _numbered(table, by)
    held_out = math.ceil(test_size * len(table))
    _check_room(by, classes, sizes, held_out)
    random = np.random.RandomState(seed)
    in_train = _drawn(sizes, len(table) - held_out, random)
    # All that is left, but ties that rounding makes are decided by lot here as well.
    in_test = _drawn(sizes - in_train, held_out, random)
    members = np.split(np.argsort(numbers, kind="stable"), np.cumsum(sizes)[:-1])
    train, test = [], []
    for positions, first, more in zip(members, in_train, in_test, strict=True):
        shuffled = random.permutation(positions)
        train.append(shuffled[:first])
        test.append(shuffled[first : first + more])
    order = random.permutation(np.concatenate(train))
    return table.iloc[order], table.iloc[random.permutation(np.concatenate(test))]


def _check_share(test_size: float) -> None:
    if not 0 < test_size < 1:
        raise ConfigError(f"test_size is a share between 0 and 1, not {test_size}.")


def _numbered(table: pd.DataFrame, by: str) -> tuple[Array, Array, Array]:
    """The sorted values of a column, each row's number among them, and how often each occurs."""
    if by not in table:
        raise ConfigError(f"The table has no column {by!r}; it has {', '.join(map(str, table))}.")
    if table[by].isna().any():
        raise ConfigError(f"The column {by!r} lacks values; fill them or leave those rows out.")
    try:
        return np.unique(table[by].to_numpy(), return_inverse=True, return_counts=True)
    except TypeError as error:
        raise ConfigError(f"The values of the column {by!r} cannot be sorted: {error}.") from error


def _check_room(by: str, classes: Array, sizes: Array, held_out: int) -> None:
    """Refuse classes that cannot be on both sides."""
    rows = int(sizes.sum())
    if not rows:
        raise ConfigError("A table without rows cannot be divided.")
    if sizes.min() < 2:
        lonely = [repr(value) for value in classes[sizes == 1].tolist()]
        named = ", ".join(lonely[:NAMED]) + (", …" if len(lonely) > NAMED else "")
        raise ConfigError(
            f"A class with a single row cannot be on both sides. In the column {by!r} there are "
            f"{len(lonely)}: {named}. Leave them out or join them to another class."
        )
    for part, size in (("held-out", held_out), ("training", rows - held_out)):
        if size < len(classes):
            raise ConfigError(
                f"The column {by!r} has {len(classes)} classes, but the {part} part would have "
                f"{size} of {rows} rows; choose another test_size."
            )


def _drawn(sizes: Array, rows: int, random: np.random.RandomState) -> Array:
    """How many rows to draw from each class, in proportion to their sizes.

    What rounding down leaves over goes to the largest remainders, equal ones by lot.
    """
    exact = sizes / sizes.sum() * rows
    drawn = np.floor(exact)
    remainders = exact - drawn
    missing = int(rows - drawn.sum())
    for remainder in np.unique(remainders)[::-1]:
        if missing <= 0:
            break
        tied = np.flatnonzero(remainders == remainder)
        lucky = random.choice(tied, size=min(missing, len(tied)), replace=False)
        drawn[lucky] += 1
        missing -= len(lucky)
    return np.asarray(drawn, dtype=np.int64)
