"""What names of rows in a sample are made of: columns of other names, several of them, parts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from .tables import holds_containers

FOUND = 0.98
LOOKED_AT = 300
MOST_COLUMNS, MOST_ZEROS = 12, 7
JOINTS = ("_", "-", "", " ", "|", ":")
SHORTEST_NAME = 3
Tables = Mapping[Path, pd.DataFrame]


def says(path: Path, data: Path, word: str) -> bool:
    """Whether a file, or a folder of the data that it is in, is called by a word."""
    return word in str(path.relative_to(data)).lower()


def plain(value: object) -> str:
    """The name of a row as text, whatever it was read as."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def named_as_in_sample(
    sample: pd.DataFrame, tables: Tables, data: Path
) -> dict[Path, pd.DataFrame]:
    """Tables whose columns with the names of rows are called as the sample calls them.

    A column of another name is taken for it if it has the names of all rows to predict; what
    several columns only have together becomes a column of its own.
    """
    key = str(sample.columns[0])
    asked = set(sample[key].head(LOOKED_AT).astype(str))
    ranked = sorted(tables, key=lambda path: (not says(path, data, "test"), path.name))
    if any(key in table.columns and _has(table[key], asked) for table in tables.values()):
        return dict(tables)
    for path in ranked:
        if says(path, data, "train"):
            continue
        for name in tables[path].columns:
            column, is_test = tables[path][name], says(path, data, "test")
            is_same = str(name).lower() == key.lower()
            if _is_name(column, asked, is_telling=is_same or is_test, is_unique=not is_same):
                return {one: _renamed(table, name, key) for one, table in tables.items()}
    for path in ranked:
        if (parts := _parts(tables[path], asked)) is not None:
            return {one: _with_joined(table, key, *parts) for one, table in tables.items()}
    return dict(tables)


def _has(column: pd.Series, asked: Collection[str]) -> bool:
    known = set(column.dropna().map(plain)) if column.dtype != object else set(column.map(plain))
    return sum(name in known for name in asked) >= FOUND * len(asked)


def _is_name(
    column: pd.Series, asked: Collection[str], *, is_telling: bool, is_unique: bool
) -> bool:
    """Whether a column names the rows to predict; short numbers do so by chance."""
    if column.dtype.kind not in "iuO" or holds_containers(column):
        return False
    is_telling = is_telling or min(len(one) for one in asked) > SHORTEST_NAME
    return is_telling and (column.is_unique or not is_unique) and _has(column, asked)


def _renamed(table: pd.DataFrame, old: str, new: str) -> pd.DataFrame:
    if old not in table.columns or new in table.columns:
        return table
    return table.rename(columns={old: new})


def _parts(table: pd.DataFrame, asked: Collection[str]) -> tuple[list[str], str] | None:
    """The columns whose values, joined, are the names of rows, and what joins them."""
    some = min(asked)  # the same one each time
    within = {}
    for name in list(table.columns)[:MOST_COLUMNS]:
        if table[name].dtype.kind not in "iuO" or holds_containers(table[name]):
            continue
        texts = table[name].map(plain)
        if any(text in some for text in texts.unique() if text):
            within[str(name)] = texts
    first = [name for name, texts in within.items() if texts.map(some.startswith).any()]
    last = [name for name, texts in within.items() if texts.map(some.endswith).any()]
    for size in (2, 3):
        for names in itertools.permutations(within, size):
            if names[0] not in first or names[-1] not in last:
                continue
            for joint in JOINTS:
                if joint in some and _has(_joined(within, names, joint), asked):
                    return list(names), joint
    return None


def _joined(columns: Mapping[str, pd.Series], names: Collection[str], joint: str) -> pd.Series:
    first, *others = names
    joined = columns[first]
    for name in others:
        joined = joined + joint + columns[name]
    return joined


def _with_joined(table: pd.DataFrame, key: str, names: list[str], joint: str) -> pd.DataFrame:
    if key in table.columns or any(name not in table.columns for name in names):
        return table
    texts = {name: table[name].map(plain) for name in names}
    return table.assign(**{key: _joined(texts, names, joint)})


@dataclass(frozen=True)
class LongForm:
    """Rows of a sample that each ask for one column of one thing.

    Attributes:
        key: What the column with the names of things is called.
        things: What each row of the sample is about.
        columns: Which column of it is asked for.
    """

    key: str
    things: list[str]
    columns: list[str]


def long_form(sample: pd.DataFrame, tables: Tables) -> LongForm | None:
    """How the names of rows end in the names or numbers of a table's columns."""
    return _ending_in_names(sample, tables) or _ending_in_numbers(sample, tables)


def _ending_in_names(sample: pd.DataFrame, tables: Tables) -> LongForm | None:
    texts = [str(name) for name in sample.iloc[:, 0]]
    for table in tables.values():
        columns = {str(name) for name in table.columns}
        if not all(_split(text, columns) for text in texts[:LOOKED_AT]):
            continue
        split = [_split(text, columns) for text in texts]
        if all(split) and len({part[1] for part in split if part}) > 1:
            parts = [part for part in split if part]
            key = str(sample.columns[0])
            return LongForm(key, [thing for thing, _ in parts], [name for _, name in parts])
    return None


def _ending_in_numbers(sample: pd.DataFrame, tables: Tables) -> LongForm | None:
    """Numbers such as 1207 for column 7 of thing 12."""
    names = sample.iloc[:, 0]
    if names.dtype.kind not in "iu":
        return None
    for table in tables.values():
        key = str(table.columns[0])
        known = {int(name): str(name) for name in table.columns[1:] if str(name).isdecimal()}
        if len(known) < 2 or table[key].dtype.kind not in "iu":
            continue
        for zeros in range(len(str(max(known))), MOST_ZEROS):
            things, places = names // 10**zeros, names % 10**zeros
            is_whole = len(names) == things.nunique() * places.nunique()
            if is_whole and set(known) <= set(places) and things.isin(table[key]).all():
                columns = [known.get(place, str(place)) for place in places]
                return LongForm(key, list(things.astype(str)), columns)
    return None


def with_columns(table: pd.DataFrame, long: LongForm) -> pd.DataFrame:
    """A table of marks with those that are asked for although nothing has them."""
    asked = list(dict.fromkeys(long.columns))
    known = [name for name in asked if name in table.columns]
    if len(known) <= len(asked) / 2 or len(known) == len(asked):
        return table
    nothing = 0 * table[known[0]]  # where it is not known what something has, it stays so
    return table.assign(**{name: nothing for name in asked if name not in known})


def _split(text: str, columns: Collection[str]) -> tuple[str, str] | None:
    for joint in re.finditer(r"[_\-:| ]", text):
        if text[joint.end() :] in columns:
            return text[: joint.start()], text[joint.end() :]
    return None
