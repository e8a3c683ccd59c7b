"""Of very many classes the commonest are learned, and rows of others count as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from .metrics import Array, Metric

MOST_CLASSES = 2000
FEWEST_ROWS = 2.0  # of each class, on average
BY_CLASS = ("macro f1", "f1", "f0.5", "balanced accuracy")


def commonest(column: pd.Series) -> list[object]:
    """The commonest classes, in their order; all if there are not too many.

    Nothing if too many are left that have hardly a row: then these are no classes.
    """
    counts = column.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    kept = counts.iloc[:MOST_CLASSES]
    if len(kept) < len(counts) and kept.mean() < FEWEST_ROWS:
        return []
    return sorted(kept.index, key=lambda value: (isinstance(value, str), value))


def of_all(metric: Metric, kept: Sequence[object], column: pd.Series) -> Metric:
    """What a score of rows of some classes is in all rows, where those of others are wrong.

    Of scores that are no means over rows or classes that is about what it is.
    """
    if len(kept) == (classes := column.nunique()):
        return metric
    by_class, by_row = len(kept) / classes, float(column.isin(kept).mean())
    share = by_class if metric.name in BY_CLASS else by_row

    def score(target: Array, predicted: Array) -> float:
        of_some = metric.function(target, predicted)
        return share * of_some if metric.is_higher_better else 1 - share * (1 - of_some)

    return replace(metric, function=score)


def told_of_cut(left_out: int, rows: int) -> tuple[str, ...]:
    """What the journal tells of rows whose class is not learned."""
    if not left_out:
        return ()
    return (
        f"{left_out} of {rows} rows are not learned from, since there are too many classes; "
        "they count as wrong.",
    )
