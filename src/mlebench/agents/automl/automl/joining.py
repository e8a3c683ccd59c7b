"""What further tables tell of rows: by their name, or by another code that rows and tables have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from .keys import plain
from .tables import holds_containers

LEAST_KNOWN, LEAST_ALIKE, FEW = 0.3, 0.5, 0.02
MOST_ROWS, MOST_COLUMNS = 3_000_000, 300
STATISTICS = ("mean", "std", "min", "max")


def with_further(
    train: pd.DataFrame, test: pd.DataFrame, further: Mapping[Path, pd.DataFrame], key: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables with the columns of others beside their own.

    Of tables that have several lines for the name of a row there are the number of lines and
    statistics. Columns that hardly tell of rows to predict what they tell of rows to learn from
    are left out.

    Args:
        train: The rows to learn from.
        test: The rows to predict.
        further: The other tables.
        key: The column with the names of rows.
    """
    for path, table in further.items():
        for shared in _shared(train, test, table, key):
            told = _by_name(table, shared, path.stem.partition(".")[0], is_key=shared == key)
            if told is None or told.empty:
                continue
            known, asked = (told.reindex(one[shared].map(plain)) for one in (train, test))
            names = [
                name for name in told.columns[:MOST_COLUMNS]
                if name not in train.columns and _is_known(known[name], asked[name])
            ]  # fmt: skip
            if names:
                train = _beside(train, known[names])
                test = _beside(test.drop(columns=names, errors="ignore"), asked[names])
                break
    return train, test


def _shared(
    train: pd.DataFrame, test: pd.DataFrame, table: pd.DataFrame, key: str
) -> Iterator[str]:
    """Columns by which lines of a table may belong to rows, that of their names first."""
    if len(table) > MOST_ROWS or table.shape[1] < 2:
        return
    for name in sorted(table.columns, key=lambda name: name != key):
        columns = [one[name] for one in (train, test, table) if name in one.columns]
        if name == key and len(columns) == 3 and _is_counted_anew(train[key], test[key]):
            continue
        if len(columns) == 3 and all(map(_are_names, columns)):
            yield str(name)


def _is_counted_anew(known: pd.Series, asked: pd.Series) -> bool:
    """Whether rows to learn from and to predict have the same names, and are others."""
    return known.is_unique and bool(asked.isin(known).mean() > FEW)


def _are_names(column: pd.Series) -> bool:
    return column.dtype.kind in "iuO" and not holds_containers(column)


def _by_name(table: pd.DataFrame, shared: str, called: str, *, is_key: bool) -> pd.DataFrame | None:
    """What a table tells, one line for each name."""
    table = table[table[shared].notna()]
    names = table[shared].map(plain)
    rest = table.drop(columns=[shared])
    if names.is_unique:
        return rest.set_index(names)
    if not is_key:
        return None
    groups = rest.groupby(names.to_numpy())
    numbers = list(rest.select_dtypes("number").columns)[: MOST_COLUMNS // len(STATISTICS)]
    told = {f"{called} lines": groups.size()}
    for what in STATISTICS if numbers else ():
        of_groups = groups[numbers].agg(what)
        told |= {f"{called} {name} {what}": of_groups[name] for name in numbers}
    return pd.DataFrame(told)


def _is_known(known: pd.Series, asked: pd.Series) -> bool:
    shares = known.notna().mean(), asked.notna().mean()
    return bool(min(shares) >= LEAST_KNOWN and min(shares) >= LEAST_ALIKE * max(shares))


def _beside(table: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([table, new.set_axis(table.index)], axis=1)
