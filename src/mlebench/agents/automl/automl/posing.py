"""The problem that tables pose: what is learned from what, by which score, in which form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .commonest import MOST_CLASSES, commonest, of_all, told_of_cut
from .finding import Files
from .forms import odd_form
from .metrics import METRICS, Metric, pooled
from .problem import Array, CannotInferError, Kind, Problem
from .tables import holds_containers
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

FEW_VALUES = 20
SEPARATORS = (" ", ",", "|", ";")
SEVERAL = 0.05  # the share of rows that list several things, where rows may
TINY, HUGE = 1e-12, 1e30  # what is larger is no number to learn
POOLED = ("auc", "average precision")  # others are the same for one column


def pose(files: Files, metric: Metric | None, data: Path) -> Problem:
    """The problem that tables pose under a score."""
    if files.train is None:
        raise CannotInferError("No table says what is to be predicted.")
    train, outputs = files.train, list(files.outputs)
    if all(name in train.columns for name in outputs):
        target_names = outputs
    else:
        target = target_column(train, files.test, outputs, files.sample)
        if target is None:
            raise CannotInferError("No column says what is to be predicted.")
        target_names = [target]
    train = train[_are_told(train[target_names])].reset_index(drop=True)
    if len(target_names) == 1 and (reason := odd_form(train, files.test, target_names[0], metric)):
        raise CannotInferError(reason)
    if len(train) < 4:
        raise CannotInferError("There are hardly any rows to learn from.")
    kind, values, names, metric, write = _targets(files, train[target_names], metric)
    kept = np.flatnonzero(np.isfinite(values.reshape(len(train), -1)).all(axis=1))
    notes = (*files.unread, *told_of_cut(len(train) - len(kept), len(train)))
    train, values = train.iloc[kept].reset_index(drop=True), values[kept]
    shared = [name for name in files.test.columns if name in train.columns]
    features = [name for name in shared if name not in target_names]
    if files.long is not None and files.asked is not None:
        write = write_long(files.sample, files.asked, files.long, write)
        metric = pooled(metric) if kind == "marks" and metric.name in POOLED else metric
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
        notes=notes,
    )


def _are_told(targets: pd.DataFrame) -> pd.Series:
    """Which rows say what is to be predicted; endless and absurd numbers say nothing."""
    sizes = targets.select_dtypes("number").abs()
    return targets.notna().all(axis=1) & (sizes < HUGE).all(axis=1)


def _ids(files: Files, train: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What rows to learn from and to predict are called.

    By the column of the key where both have it, else by one that both have and that differs in
    each row to learn from.
    """
    name, asked = files.key[0], files.sample[files.key[0]]
    if name not in train.columns:
        names = [one for one in train.columns if train[one].dtype.kind in "iuO"]
        names = [one for one in names if not holds_containers(train[one])]
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
    filled = sample[output]
    if column.dtype.kind == "f" and filled.dtype.kind in "iu" and (column % 1 == 0).all():
        column = column.astype(np.int64)  # rows that say nothing made fractions of whole numbers
    if metric is None:
        metric = _likely_metric(column, filled)
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
    classes = commonest(column)
    if len(classes) < 2:
        raise CannotInferError(f"There are {different} different values to predict.")
    codes = _codes(column, {value: position for position, value in enumerate(classes)})
    if metric.wants == "probabilities":
        if different > 2:
            metric = of_all(METRICS["accuracy"], classes, column)
            return "classes", codes, classes, metric, write_labels(sample, output, classes)
        return "classes", codes, classes, metric, write_probability(sample, output)
    if metric.wants == "ranking":
        write = write_ranking(sample, output, classes, metric)
        return "classes", codes, classes, of_all(metric, classes, column), write
    metric = of_all(METRICS["accuracy"] if metric.wants == "grades" else metric, classes, column)
    return "classes", codes, classes, metric, write_labels(sample, output, classes)


def _codes(column: pd.Series, place: Mapping[Any, int]) -> Array:
    """The place of each row's class, NaN for those that are not among them."""
    return np.array([place.get(value, np.nan) for value in column], dtype=np.float64)


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
        if texts.str.contains(separator, regex=False).mean() < SEVERAL:
            continue
        parts = texts.map(lambda text, by=separator: text.split(by))
        counts = parts.explode().value_counts()
        # Names of several words have no part in common with each other, or but a few.
        are_names = parts.map(len).nunique() == 1
        if len(counts) < texts.nunique() and not are_names:
            return separator, sorted(str(tag) for tag in counts.index[:MOST_CLASSES])
    return None
