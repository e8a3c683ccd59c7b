"""What is asked for, read off the files of a competition: its tables, sample and description."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .description import metric_of
from .forms import odd_form
from .keys import LongForm, long_form, named_as_in_sample, says
from .labelling import labelled_by_tree
from .metrics import METRICS, Metric
from .positions import by_position, sequences_of
from .problem import Array, Kind, Problem
from .tables import find_sample, find_tables, read_table
from .targets import target_column, tokens_of
from .writers import (
    Write,
    write_labels,
    write_long,
    write_numbers,
    write_probability,
    write_ranking,
    write_shares,
    write_tags,
)

FOUND = 0.98
MOST_CLASSES = 2000
FEW_VALUES = 20
SEPARATORS = (" ", ",", "|", ";")
SHARE_OF_MEMORY, SHARE_OF_ALL = 0.15, 0.4
SEVERAL = 0.05  # the share of rows that list several things, where rows may
LARGE = 10_000_000
TINY = 1e-12
COUNTS = re.compile(r"(?:Unnamed: \d+)?")


class CannotInferError(Exception):
    """The files do not say what is to be learned from what."""


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
    """

    sample: pd.DataFrame
    key: tuple[str, ...]
    outputs: tuple[str, ...]
    test: pd.DataFrame
    train: pd.DataFrame | None
    long: LongForm | None = None
    asked: pd.DataFrame | None = None


def infer(data: Path, memory: int) -> Problem:
    """The problem that the files of a competition pose.

    Args:
        data: The public data.
        memory: How many bytes there are for all.

    Raises:
        CannotInferError: It is not one of those that can be learned in rows.
    """
    files = read_files(data, memory)
    description = data / "description.md"
    told = description.read_text(encoding="utf-8", errors="replace") if description.exists() else ""
    return pose(files, metric_of(told), data)


def read_files(data: Path, memory: int) -> Files:
    """Find the tables and their parts."""
    paths = find_tables(data)
    place = find_sample(paths)
    if place is None:
        raise CannotInferError("There is no sample submission.")
    large = sum(path.stat().st_size > LARGE for path in paths)
    share = int(memory * min(SHARE_OF_MEMORY, SHARE_OF_ALL / max(large, 1)))
    sample, names = _read_sample(place, share)
    others = [path for path in paths if path != place and "ample" not in path.name.lower()]
    tables = {path: table for path in others if (table := _read(path, share)) is not None}
    first = str(sample.columns[0])
    if sample.shape[1] == 2 and (long := long_form(sample, tables)) is not None:
        wide = pd.DataFrame({first: list(dict.fromkeys(long.things))})
        wide = wide.assign(**dict.fromkeys(dict.fromkeys(long.columns), 0.5))
        return replace(
            files_of(wide, tables, data), long=long, asked=sample.assign(**{first: names})
        )
    if (found := sequences_of(sample, tables)) is not None:
        name, paths = found
        for path in paths:
            rows = by_position(tables[path], name, list(sample.columns[1:]))
            tables[path] = rows.rename(columns={name: first})
    files = files_of(sample, tables, data)
    return replace(files, sample=files.sample.assign(**{first: names}))


def _read_sample(place: Path, memory: int) -> tuple[pd.DataFrame, pd.Series]:
    """The sample, and the names of its rows as they are written."""
    sample = read_table(place, memory)
    # A column without a name only counts rows.
    named = [name for name in sample.columns if not COUNTS.fullmatch(str(name))]
    sample = sample[named].rename(columns=str)
    texts = read_table(place, memory, only_text=True)[named[0]]
    return sample, texts


def files_of(sample: pd.DataFrame, tables: dict[Path, pd.DataFrame], data: Path) -> Files:
    """The parts that tables have beside a sample."""
    tables = named_as_in_sample(sample, tables, data)
    first = str(sample.columns[0])
    kinds = {table[first].dtype.kind for table in tables.values() if first in table.columns}
    if kinds - {sample[first].dtype.kind}:
        sample = sample.assign(**{first: sample[first].astype(str)})
        tables = {
            path: table.assign(**{first: table[first].astype(str)}) if first in table else table
            for path, table in tables.items()
        }
    key, test_path = _find_test(sample, tables, data)
    outputs = tuple(name for name in sample.columns if name not in key)
    if not outputs:
        raise CannotInferError("The sample has no column to be filled.")
    test = _in_order(tables[test_path], sample, key) if test_path else sample[list(key)]
    candidates = {path: table for path, table in tables.items() if path != test_path}
    train = _find_train(candidates, test, outputs, sample, data)
    if train is None:
        train = labelled_by_tree(data, sample, key[0], outputs)
    return Files(sample, key, outputs, test.reset_index(drop=True), train)


def _read(path: Path, memory: int) -> pd.DataFrame | None:
    """A table; None for files that are none after all."""
    try:
        table = read_table(path, memory)
    except (ValueError, OSError, KeyError, ImportError, pd.errors.ParserError):
        return None
    table.columns = [str(name) for name in table.columns]
    return table


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
    if len(merged) != len(sample):
        raise CannotInferError("Rows of the sample are found several times.")
    return merged[list(table.columns)]


def _find_train(
    tables: dict[Path, pd.DataFrame],
    test: pd.DataFrame,
    outputs: Sequence[str],
    sample: pd.DataFrame,
    data: Path,
) -> pd.DataFrame | None:
    """The table with what is to be predicted, and most of what is known of the rows to predict."""

    def rank(item: tuple[Path, pd.DataFrame]) -> tuple[bool, bool, float, bool, int]:
        path, table = item
        known = sum(name in table.columns for name in test.columns) / max(test.shape[1], 1)
        has_outputs = all(name in table.columns for name in outputs)
        has_target = target_column(table, test, outputs, sample) is not None
        return has_outputs, has_target, known, says(path, data, "train"), len(table)

    ranked = sorted(((rank(item), item[1]) for item in tables.items()), key=_first, reverse=True)
    for (has_outputs, has_target, known, is_named, _), table in ranked:
        if (has_outputs or has_target) and (known > 0 or is_named):
            return table.reset_index(drop=True)
    return None


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def pose(files: Files, metric: Metric | None, data: Path) -> Problem:
    """The problem that tables pose under a score."""
    if files.train is None:
        raise CannotInferError("No table says what is to be predicted.")
    train, outputs = files.train, list(files.outputs)
    if all(name in train.columns for name in outputs):
        known = train[outputs].notna().all(axis=1)
        train = train[known].reset_index(drop=True)
        target_names = outputs
    else:
        target = target_column(train, files.test, outputs, files.sample)
        if target is None:
            raise CannotInferError("No column says what is to be predicted.")
        train = train[train[target].notna()].reset_index(drop=True)
        target_names = [target]
    if len(target_names) == 1 and (reason := odd_form(train, files.test, target_names[0], metric)):
        raise CannotInferError(reason)
    if len(train) < 4:
        raise CannotInferError("There are hardly any rows to learn from.")
    kind, values, names, metric, write = _targets(files, train[target_names], metric)
    shared = [name for name in files.test.columns if name in train.columns]
    features = [name for name in shared if name not in target_names]
    if files.long is not None and files.asked is not None:
        write = write_long(files.sample, files.asked, files.long, write)
    train_ids, test_ids = _ids(files, train)
    return Problem(
        kind=kind,
        train=train[features],
        test=files.test[features],
        target=values,
        names=tuple(str(name) for name in names),
        metric=metric,
        write=write,
        train_ids=train_ids,
        test_ids=test_ids,
        data=data,
    )


def _ids(files: Files, train: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What rows to learn from and to predict are called.

    By the column of the key where both have it, else by one that both have and that differs in
    each row to learn from.
    """
    name, asked = files.key[0], files.sample[files.key[0]]
    if name not in train.columns:
        names = [one for one in train.columns if train[one].dtype.kind in "iuO"]
        names = [one for one in names if not train[one].map(type).isin([list, dict]).any()]
        unique = [str(one) for one in names if train[one].is_unique]
        shared = [one for one in unique if one in files.test.columns]
        name = (shared or unique or [str(train.columns[0])])[0]
        asked = files.test[name] if shared else asked
    return tuple(train[name].astype(str)), tuple(asked.astype(str))


def _targets(
    files: Files, told: pd.DataFrame, metric: Metric | None
) -> tuple[Kind, Array, Sequence[object], Metric, Write]:
    """What is to be predicted in numbers, by which score, and how it is written."""
    sample, outputs = files.sample, list(files.outputs)
    if len(outputs) > 1 and told.shape[1] > 1:
        return _several_columns(sample, outputs, told, metric)
    column = told.iloc[:, 0]
    if len(outputs) > 1:
        return _columns_of_classes(sample, outputs, column, metric)
    return _one_column(sample, outputs[0], column, metric)


def _several_columns(
    sample: pd.DataFrame, outputs: list[str], told: pd.DataFrame, metric: Metric | None
) -> tuple[Kind, Array, Sequence[object], Metric, Write]:
    try:
        values = told.astype(float).to_numpy()
    except (TypeError, ValueError) as error:
        raise CannotInferError("Several columns of texts are to be predicted.") from error
    metric = metric or METRICS["rmse"]
    if metric.name == "divergence" and values.min() >= 0:
        known = values / np.maximum(values.sum(axis=1, keepdims=True), TINY)
        return "numbers", known, outputs, metric, write_shares(sample, outputs)
    if not np.isin(values, (0.0, 1.0)).all() or metric.wants == "numbers":
        metric = metric if metric.wants == "numbers" else METRICS["rmse"]
        return "numbers", values, outputs, metric, write_numbers(sample, outputs)
    write = write_numbers(sample, outputs, whole=metric.wants == "decisions")
    if metric.wants in ("grades", "ranking"):
        metric = METRICS["log loss"]
    if (values.sum(axis=1) == 1).all() and metric.wants == "probabilities":
        return "classes", values.argmax(axis=1).astype(float), outputs, metric, write
    return "marks", values, outputs, metric, write


def _columns_of_classes(
    sample: pd.DataFrame, outputs: list[str], column: pd.Series, metric: Metric | None
) -> tuple[Kind, Array, Sequence[object], Metric, Write]:
    metric = metric if metric and metric.wants == "probabilities" else METRICS["log loss"]
    texts, write = column.astype(str), write_numbers(sample, outputs)
    place = {str(name): position for position, name in enumerate(outputs)}
    if texts.isin(place).all():
        return "classes", _codes(texts, place), outputs, metric, write
    tokens = tokens_of(column)
    if tokens is None:
        raise CannotInferError("Classes are not those of the sample.")
    marks = np.zeros((len(texts), len(outputs)))
    for row, text in enumerate(texts):
        for part in text.split(tokens[0]):
            if part.strip() in place:
                marks[row, place[part.strip()]] = 1.0
    return "marks", marks, outputs, metric, write


def _one_column(
    sample: pd.DataFrame, output: str, column: pd.Series, metric: Metric | None
) -> tuple[Kind, Array, Sequence[object], Metric, Write]:
    is_number = column.dtype.kind in "fiu"
    different = column.nunique()
    if metric is None:
        metric = _likely_metric(column, sample[output])
    if metric.wants == "grades" and is_number:
        whole = bool((column == column.round()).all())
        values = column.to_numpy(dtype=float)[:, None]
        return "numbers", values, [output], metric, write_numbers(sample, [output], whole=whole)
    if metric.wants == "numbers":
        if not is_number and column.dtype.kind != "b":
            raise CannotInferError("Texts are to be predicted as if they were numbers.")
        values = column.to_numpy(dtype=float)[:, None]
        return "numbers", values, [output], metric, write_numbers(sample, [output])
    if not is_number and (told := _as_tags(column, metric)) is not None:
        separator, tags = told
        place = {tag: position for position, tag in enumerate(tags)}
        marks = np.zeros((len(column), len(tags)))
        for row, text in enumerate(column.astype(str)):
            marks[row, [place[tag] for tag in text.split(separator) if tag in place]] = 1.0
        return "marks", marks, tags, metric, write_tags(sample, output, tags, separator)
    if metric.wants == "probabilities" and is_number and different > 2:
        # Shares of those who said yes, such as a degree of toxicity, are cut in two.
        column = (column >= (column.max() + column.min()) / 2).astype(int)
        different = 2
    if different > MOST_CLASSES or different < 2:
        raise CannotInferError(f"There are {different} different values to predict.")
    classes = sorted(column.unique(), key=lambda value: (isinstance(value, str), value))
    place = {value: position for position, value in enumerate(classes)}
    codes = _codes(column, place)
    if metric.wants == "probabilities":
        if different > 2:
            metric = METRICS["accuracy"]
            return "classes", codes, classes, metric, write_labels(sample, output, classes)
        return "classes", codes, classes, metric, write_probability(sample, output)
    if metric.wants == "ranking":
        return "classes", codes, classes, metric, write_ranking(sample, output, classes, metric)
    if metric.wants == "grades":
        metric = METRICS["accuracy"]
    return "classes", codes, classes, metric, write_labels(sample, output, classes)


def _codes(column: pd.Series, place: Mapping[Any, int]) -> Array:
    return np.array([place[value] for value in column], dtype=np.float64)


def _likely_metric(column: pd.Series, sample: pd.Series) -> Metric:
    """A score for descriptions that name none: by what the sample holds and how much differs."""
    different = column.nunique()
    if different == 2:
        return METRICS["auc" if sample.dtype.kind == "f" else "accuracy"]
    if column.dtype.kind in "fiu" and different > FEW_VALUES:
        return METRICS["rmse"]
    return METRICS["accuracy"]


def _as_tags(column: pd.Series, metric: Metric) -> tuple[str, list[str]] | None:
    """The separator and the commonest tags, where rows may have several."""
    if metric.name not in ("micro f1", "f1 of rows", "f2", "macro f1"):
        return None
    texts = column.astype(str)
    for separator in SEPARATORS:
        parts = texts.map(lambda text, by=separator: text.split(by))
        if texts.str.contains(separator, regex=False).mean() < SEVERAL:
            continue
        counts = parts.explode().value_counts()
        if len(counts) < texts.nunique():
            return separator, sorted(str(tag) for tag in counts.index[:MOST_CLASSES])
    return None
