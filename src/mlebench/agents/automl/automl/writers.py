"""How finished predictions become a submission, in the rows and columns of the sample."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from .keys import LongForm
from .metrics import Metric
from .problem import Array

LEAST_SHARE = 1e-4
TIMED_ROWS = 1000
Write = Callable[[Array], pd.DataFrame]


def seconds_to_write(table: pd.DataFrame) -> float:
    """How long a table will take to write, by some of its rows; few take no time."""
    some = table.iloc[:: max(1, len(table) // TIMED_ROWS)]
    if len(some) == len(table):
        return 0.0
    begun = time.monotonic()
    some.to_csv(index=False)
    return (time.monotonic() - begun) * len(table) / len(some)


def write_numbers(sample: pd.DataFrame, columns: Sequence[str], *, whole: bool = False) -> Write:
    """Numbers or probabilities, a column each."""

    def write(finished: Array) -> pd.DataFrame:
        table = sample.copy()
        values = np.asarray(finished, dtype=float).reshape(len(sample), -1)
        for place, name in enumerate(columns):
            column = values[:, place]
            table[name] = np.rint(column).astype(np.int64) if whole else column
        return table

    return write


def write_shares(sample: pd.DataFrame, columns: Sequence[str]) -> Write:
    """Numbers of which those of a row are 1 together."""
    write = write_numbers(sample, columns)

    def write_parts(finished: Array) -> pd.DataFrame:
        kept = np.clip(finished, LEAST_SHARE, None)
        return write(kept / kept.sum(axis=1, keepdims=True))

    return write_parts


def write_probability(sample: pd.DataFrame, column: str) -> Write:
    """The probability of the second of two classes; a decision is 0 or 1."""

    def write(finished: Array) -> pd.DataFrame:
        values = finished[:, 1] if finished.ndim == 2 else finished
        return sample.assign(**{column: values})

    return write


def write_labels(sample: pd.DataFrame, column: str, classes: Sequence[object]) -> Write:
    """The class of each row as it is written in the rows to learn from."""
    names = np.array(list(classes), dtype=object)

    def write(finished: Array) -> pd.DataFrame:
        codes = finished if finished.ndim == 1 else finished.argmax(axis=1)
        return sample.assign(**{column: names[codes.astype(np.int64)]})

    return write


def write_ranking(
    sample: pd.DataFrame, column: str, classes: Sequence[object], metric: Metric
) -> Write:
    """The likeliest classes of each row, best first."""
    names = np.array([str(name) for name in classes], dtype=object)
    most = min(int(metric.name.partition("@")[2]), len(names))

    def write(finished: Array) -> pd.DataFrame:
        order = np.argsort(-finished, axis=1, kind="stable")[:, :most]
        return sample.assign(**{column: [" ".join(row) for row in names[order]]})

    return write


def write_tags(sample: pd.DataFrame, column: str, tags: Sequence[str], separator: str) -> Write:
    """The tags that a row has, in one text."""
    names = np.array(list(tags), dtype=object)

    def write(finished: Array) -> pd.DataFrame:
        texts = [separator.join(names[row > 0.5]) for row in finished]
        return sample.assign(**{column: texts})

    return write


def write_long(wide: pd.DataFrame, sample: pd.DataFrame, long: LongForm, write: Write) -> Write:
    """A row for each column that is asked for, of what is written with a column each."""
    rows = {str(thing): row for row, thing in enumerate(wide.iloc[:, 0])}
    places = {str(name): place for place, name in enumerate(wide.columns)}
    at = [rows[thing] for thing in long.things], [places[name] for name in long.columns]

    def write_all(finished: Array) -> pd.DataFrame:
        values = write(finished).to_numpy(dtype=object)[at]
        return sample.assign(**{str(sample.columns[1]): values})

    return write_all
