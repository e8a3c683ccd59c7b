"""What is asked for, read off the files of a competition: its tables, sample and description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .description import metric_of
from .labelling import labelled_by_tree
from .metrics import METRICS, Metric
from .problem import Array, Kind, Problem
from .tables import find_sample, find_tables, read_table
from .writers import (
    Write,
    write_labels,
    write_numbers,
    write_probability,
    write_ranking,
    write_tags,
)

FOUND = 0.98
MOST_CLASSES = 2000
FEW_VALUES = 20
SEPARATORS = (" ", ",", "|", ";")
SHARE_OF_MEMORY = 0.15
SEVERAL = 0.05  # the share of rows that list several things, where rows may


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
    """

    sample: pd.DataFrame
    key: tuple[str, ...]
    outputs: tuple[str, ...]
    test: pd.DataFrame
    train: pd.DataFrame | None


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
    share = int(memory * SHARE_OF_MEMORY)
    sample = read_table(place, share)
    others = [path for path in paths if path != place and "ample" not in path.name.lower()]
    tables = {path: table for path in others if (table := _read(path, share)) is not None}
    key, test_path = _find_test(sample, tables)
    outputs = tuple(name for name in sample.columns if name not in key)
    if not outputs:
        raise CannotInferError("The sample has no column to be filled.")
    test = sample[list(key)] if test_path is None else _in_order(tables[test_path], sample, key)
    candidates = {path: table for path, table in tables.items() if path != test_path}
    train = _find_train(candidates, test, outputs)
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
    sample: pd.DataFrame, tables: dict[Path, pd.DataFrame]
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
        rank = ("test" in path.name.lower(), -abs(len(table) - len(sample)), table.shape[1])
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
    tables: dict[Path, pd.DataFrame], test: pd.DataFrame, outputs: Sequence[str]
) -> pd.DataFrame | None:
    """The table with what is to be predicted, and most of what is known of the rows to predict."""

    def rank(item: tuple[Path, pd.DataFrame]) -> tuple[bool, bool, float, bool, int]:
        path, table = item
        known = sum(name in table.columns for name in test.columns) / max(test.shape[1], 1)
        has_outputs = all(name in table.columns for name in outputs)
        has_target = _target_column(table, test, outputs) is not None
        return has_outputs, has_target, known, "train" in path.name.lower(), len(table)

    ranked = sorted(tables.items(), key=rank, reverse=True)
    for path, table in ranked:
        has_outputs, has_target, known, is_named, _ = rank((path, table))
        if has_outputs or (has_target and (known > 0 or is_named)):
            return table.reset_index(drop=True)
    return None


def _target_column(table: pd.DataFrame, test: pd.DataFrame, outputs: Sequence[str]) -> str | None:
    """The column that holds the classes which the outputs are called by, or the only new one."""
    names = {str(name) for name in outputs}
    new = [name for name in table.columns if name not in test.columns]
    if len(names) > 1:
        for name in new:
            if table[name].dtype.kind in "fc":
                continue
            values = {str(value) for value in table[name].dropna().unique()[: 20 * MOST_CLASSES]}
            if len(values & names) >= FOUND * len(names) and len(values) <= 1.1 * len(names) + 1:
                return str(name)
            if names & values or len(values) > len(names):
                tokens = _tokens(table[name])
                if tokens and len(tokens[1] & names) >= 0.9 * min(len(names), len(tokens[1])):
                    return str(name)
        return None
    return str(new[0]) if len(new) == 1 else None


def _tokens(column: pd.Series) -> tuple[str, set[str]] | None:
    """The separator of texts that list things, and what they list."""
    texts = column.dropna().astype(str)
    for separator in (",", "|", ";", " "):
        if texts.str.contains(separator, regex=False).mean() > 0.01:
            parts = {part.strip() for text in texts.unique() for part in text.split(separator)}
            return separator, parts - {""}
    return None


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
        target = _target_column(train, files.test, outputs)
        if target is None:
            raise CannotInferError("No column says what is to be predicted.")
        train = train[train[target].notna()].reset_index(drop=True)
        target_names = [target]
    if len(train) < 4:
        raise CannotInferError("There are hardly any rows to learn from.")
    kind, values, names, metric, write = _targets(files, train[target_names], metric)
    shared = [name for name in files.test.columns if name in train.columns]
    features = [name for name in shared if name not in target_names]
    ids = files.key[0]
    return Problem(
        kind=kind,
        train=train[features],
        test=files.test[features],
        target=values,
        names=tuple(str(name) for name in names),
        metric=metric,
        write=write,
        train_ids=_ids(train, ids, files.test),
        test_ids=tuple(files.sample[ids].astype(str)),
        data=data,
    )


def _ids(train: pd.DataFrame, name: str, test: pd.DataFrame) -> tuple[str, ...]:
    """What rows to learn from are called: by the column of the key, else by their first one."""
    column = train[name] if name in train.columns else train.iloc[:, 0]
    return tuple(column.astype(str))


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
    tokens = _tokens(column)
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
        parts = texts.str.split(separator)
        if texts.str.contains(separator, regex=False).mean() < SEVERAL:
            continue
        counts = parts.explode().value_counts()
        if len(counts) < texts.nunique():
            return separator, sorted(str(tag) for tag in counts.index[:MOST_CLASSES])
    return None
