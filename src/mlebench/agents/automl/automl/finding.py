"""Which tables there are, and what part each has: what is known, what is asked, what is filled."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .arrays import read_arrays
from .joining import with_further
from .keys import LongForm, long_form, named_as_in_sample, plain, says, with_columns
from .labelling import labelled_by_tree
from .listings import SUFFIX as LISTING
from .listings import read_listing
from .positions import by_position, sequences_of
from .problem import CannotInferError
from .surface import near_surface
from .tables import find_sample, find_tables, is_sample, read_all, read_table
from .targets import target_column

FOUND = 0.98
SHARE_OF_MEMORY, SHARE_OF_ALL, SHARE_OF_SAMPLE = 0.15, 0.4, 0.3
LARGE = 10_000_000
COUNTS = re.compile(r"(?:Unnamed: \d+)?")


@dataclass(frozen=True)
class Files:
    """The tables of a competition by their part in it.

    Attributes:
        sample: The sample submission.
        key: Its columns that say which row is which.
        outputs: Its columns to be filled.
        test: What is known of the rows to predict, in the order of the sample.
        train: What is known of the rows to learn from, outputs included.
        long: How the rows of the sample ask for one column each, if they do.
        asked: The sample as it is to be filled in that case.
        unread: Which tables cannot be read, and why.
    """

    sample: pd.DataFrame
    key: tuple[str, ...]
    outputs: tuple[str, ...]
    test: pd.DataFrame
    train: pd.DataFrame | None
    long: LongForm | None = None
    asked: pd.DataFrame | None = None
    unread: tuple[str, ...] = ()


def read_files(data: Path, memory: int) -> Files:
    """Find the tables and their parts."""
    paths = find_tables(data)
    place = find_sample(paths)
    if place is None:
        raise CannotInferError("There is no sample submission.")
    large = sum(path.stat().st_size > LARGE for path in paths)
    share = int(memory * min(SHARE_OF_MEMORY, SHARE_OF_ALL / max(large, 1)))
    sample, texts = _read_sample(place, int(SHARE_OF_SAMPLE * memory))
    others = [path for path in paths if not is_sample(path)]
    tables, unread = read_all(others, share)
    for path in near_surface(data, lambda path: path.suffix.lower() == LISTING):
        if is_sample(path):
            continue
        try:
            listing = read_listing(path, share)
        except (OSError, ValueError) as error:
            unread.append(f"{path.name} cannot be read: {error}"[:200])
            continue
        if listing is not None:
            tables[path] = listing
    first = str(sample.columns[0])
    if sample.shape[1] == 2 and (long := long_form(sample, tables)) is not None:
        wide = pd.DataFrame({long.key: list(dict.fromkeys(long.things))})
        wide = wide.assign(**dict.fromkeys(dict.fromkeys(long.columns), 0.5))
        tables = {path: with_columns(table, long) for path, table in tables.items()}
        return replace(
            files_of(wide, tables, data),
            long=long,
            asked=sample.assign(**{first: texts[first]}),
            unread=tuple(unread),
        )
    if (found := sequences_of(sample, tables)) is not None:
        name, paths = found
        for path in paths:
            rows = by_position(tables[path], name, list(sample.columns[1:]))
            tables[path] = rows.rename(columns={name: first})
    files = files_of(sample, tables, data)
    arrays = read_arrays(data, len(sample), share, unread) if files.train is None else None
    if arrays is not None:
        labelled = arrays.train.assign(**{files.outputs[0]: arrays.labels})
        files = replace(files, train=labelled, test=arrays.test)
    names = {name: texts[name] for name in files.key}
    return replace(files, sample=files.sample.assign(**names), unread=tuple(unread))


def _read_sample(place: Path, memory: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The sample, and the same as it is written."""
    try:
        sample = read_table(place, memory, only_whole=True)
        texts = read_table(place, memory, only_text=True, only_whole=True)
    except ValueError as error:
        raise CannotInferError(str(error)) from error
    # A column without a name only counts rows.
    named = [name for name in sample.columns if not COUNTS.fullmatch(str(name))]
    return sample[named].rename(columns=str), texts[named].rename(columns=str)


def files_of(sample: pd.DataFrame, tables: dict[Path, pd.DataFrame], data: Path) -> Files:
    """The parts that tables have beside a sample."""
    tables = named_as_in_sample(sample, tables, data)
    first = str(sample.columns[0])
    kinds = {table[first].dtype.kind for table in tables.values() if first in table.columns}
    if kinds - {sample[first].dtype.kind}:
        sample = sample.assign(**{first: sample[first].map(plain)})
        tables = {
            path: table.assign(**{first: table[first].map(plain)}) if first in table else table
            for path, table in tables.items()
        }
    key, test_path = _find_test(sample, tables, data)
    outputs = _outputs(sample, key, tables)
    if not outputs:
        raise CannotInferError("The sample has no column to be filled.")
    test = _in_order(tables[test_path], sample, key) if test_path else sample[list(key)]
    candidates = {path: table for path, table in tables.items() if path != test_path}
    train_path = _find_train(candidates, test, outputs, sample, data)
    test = test.reset_index(drop=True)
    if train_path is None:
        train = labelled_by_tree(data, sample, key[0], outputs)
        return Files(sample, key, outputs, test, train)
    train = tables[train_path]
    if all(name in train.columns for name in outputs):  # else nobody knows yet what is missing
        train = train[train[list(outputs)].notna().all(axis=1)]
    train = train.reset_index(drop=True)
    further = {
        path: table
        for path, table in tables.items()
        if path != train_path and (path != test_path or _is_of_both(table, train, test, key[0]))
    }
    train, test = with_further(train, test, further, key[0])
    return Files(sample, key, outputs, test, train)


def _outputs(
    sample: pd.DataFrame, key: Collection[str], tables: Mapping[Path, pd.DataFrame]
) -> tuple[str, ...]:
    """The columns of a sample to be filled: those that tables know, where others only say a word.

    Such a word, the same in each row, is for whoever made the sample, and stays.
    """
    names = [str(name) for name in sample.columns if name not in key]
    known = {name for name in names if any(name in table.columns for table in tables.values())}
    said = {
        name for name in names
        if name not in known and sample[name].dtype.kind == "O" and sample[name].nunique() == 1
    }  # fmt: skip
    return tuple(name for name in names if not known or name not in said)


def _is_of_both(table: pd.DataFrame, train: pd.DataFrame, test: pd.DataFrame, key: str) -> bool:
    """Whether a table tells of rows to learn from as well as of those to predict."""
    if key not in table.columns or key not in train.columns:
        return False
    known = train[key].map(plain).isin(set(table[key].map(plain)))
    return len(table) >= FOUND * (len(train) + len(test)) and bool(known.mean() >= FOUND)


def _find_test(
    sample: pd.DataFrame, tables: dict[Path, pd.DataFrame], data: Path
) -> tuple[tuple[str, ...], Path | None]:
    """Which columns of the sample are its key, and which table has the rows to predict."""
    first = str(sample.columns[0])
    best: tuple[tuple[bool, int, int], tuple[str, ...], Path] | None = None
    for path, table in tables.items():
        shared = [name for name in sample.columns if name in table.columns]
        if not shared or len(shared) == len(sample.columns):
            continue
        if len(table) == len(sample) and all(_same(table[n], sample[n]) for n in shared):
            key = tuple(shared)
        elif first in shared and sample[first].isin(table[first]).mean() >= FOUND:
            key = (first,)
            if not sample[first].is_unique:
                key = tuple(name for name in shared if sample[name].isin(table[name]).all())
        else:
            continue
        rank = (says(path, data, "test"), -abs(len(table) - len(sample)), table.shape[1])
        if best is None or rank > best[0]:
            best = (rank, key, path)
    if best is None:
        return (first,), None
    return best[1], best[2]


def _same(one: pd.Series, other: pd.Series) -> bool:
    return bool(one.astype(str).to_numpy().tolist() == other.astype(str).to_numpy().tolist())


def _in_order(table: pd.DataFrame, sample: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """The rows of a table that the rows of the sample ask for."""
    if len(table) == len(sample) and all(_same(table[name], sample[name]) for name in key):
        return table
    unique = table.drop_duplicates(list(key))
    merged = sample[list(key)].merge(unique, on=list(key), how="left", sort=False)
    return merged[list(table.columns)]


def _find_train(
    tables: dict[Path, pd.DataFrame],
    test: pd.DataFrame,
    outputs: Sequence[str],
    sample: pd.DataFrame,
    data: Path,
) -> Path | None:
    """The table with what is to be predicted, and most of what is known of the rows to predict."""

    def rank(item: tuple[Path, pd.DataFrame]) -> tuple[bool, bool, float, bool, int]:
        path, table = item
        known = sum(name in table.columns for name in test.columns) / max(test.shape[1], 1)
        has_outputs = all(name in table.columns for name in outputs)
        has_target = target_column(table, test, outputs, sample) is not None
        return has_outputs, has_target, known, says(path, data, "train"), len(table)

    ranked = sorted(((rank(item), item[0]) for item in tables.items()), key=_rank, reverse=True)
    for (has_outputs, has_target, known, is_named, _), path in ranked:
        if (has_outputs or has_target) and (known > 0 or is_named):
            return path
    return None


def _rank(pair: tuple[Any, Path]) -> Any:
    return pair[0]
