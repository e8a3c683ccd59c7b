"""Submission and answers side by side, in the order of their ids.

For graders that are mere functions; our own competitions declare their rows instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import InvalidSubmissionError

__all__ = ["prepare_for_accuracy_metric", "prepare_for_auroc_metric", "sort_both"]

Array = npt.NDArray[Any]

SHOWN = 5


def prepare_for_accuracy_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, target_column: str, id_column: str
) -> dict[str, Array]:
    """``y_true`` and ``y_pred`` with rows paired by id, in the order of the ids.

    Raises:
        InvalidSubmissionError: Rows, columns or ids do not fit.
    """
    submission, answers = sort_both(submission, answers, [target_column], id_column)
    return {
        "y_true": answers[target_column].to_numpy(),
        "y_pred": submission[target_column].to_numpy(),
    }


def prepare_for_auroc_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str, target_col: str
) -> dict[str, Array]:
    """``y_true`` and ``y_score`` with rows paired by id, in the order of the ids.

    Scores must be numbers from 0 to 1; a missing one is left for the metric to refuse.

    Raises:
        InvalidSubmissionError: Columns, rows, values or ids do not fit.
    """
    _check_shape(submission, answers, [target_col], id_col)
    cells = submission[target_col]
    if not pd.api.types.is_numeric_dtype(cells):
        raise InvalidSubmissionError(
            f"Column {target_col!r}: expected numbers.", code="not_a_number", column=str(target_col)
        )
    scores = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    outside = np.flatnonzero((scores < 0) | (scores > 1))[:SHOWN] + 1
    if len(outside):
        raise InvalidSubmissionError(
            f"Column {target_col!r}: values must lie between 0 and 1 (row {outside[0]}).",
            code="out_of_range",
            column=str(target_col),
            rows=outside.tolist(),
        )
    submission, answers = sort_both(submission, answers, [target_col], id_col)
    return {
        "y_true": answers[target_col].to_numpy(),
        "y_score": submission[target_col].to_numpy(dtype=np.float64, na_value=np.nan),
    }


def sort_both(
    submission: pd.DataFrame, answers: pd.DataFrame, columns: list[Any], id_column: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The id column and these columns of both tables, both sorted by id.

    Raises:
        InvalidSubmissionError: The submission lacks a column, or has other rows or ids.
        ValueError: The answers lack a column.
    """
    _check_shape(submission, answers, columns, id_column)
    wanted = [id_column, *columns]
    truth = answers[wanted].sort_values(by=id_column)
    try:
        given = submission[wanted].sort_values(by=id_column)
    except TypeError:  # text among numbers has no order, and is no id of ours
        _refuse_ids(submission[id_column], answers[id_column])
    if given[id_column].tolist() != truth[id_column].tolist():
        _refuse_ids(submission[id_column], answers[id_column])
    return given, truth


def _check_shape(
    submission: pd.DataFrame, answers: pd.DataFrame, columns: list[Any], id_column: Any
) -> None:
    for column in (*columns, id_column):
        if column not in answers.columns:
            raise ValueError(f"The answers have no column {column!r}.")
        if column not in submission.columns:
            raise InvalidSubmissionError(
                f"Column {column!r} is missing.", code="missing_column", column=str(column)
            )
    if len(submission) != len(answers):
        raise InvalidSubmissionError(
            f"Expected {len(answers)} rows, found {len(submission)}.", code="row_count"
        )


def _refuse_ids(given: pd.Series[Any], wanted: pd.Series[Any]) -> NoReturn:
    """Raise with the first missing, unknown and repeated ids."""
    repeated = given.duplicated()
    unknown = ~given.isin(wanted)
    kinds = {
        "missing": wanted[~wanted.isin(given)],
        "unknown": given[unknown],
        "repeated": given[repeated],
    }
    details = "; ".join(
        f"{len(ids)} {kind}, such as {', '.join(map(repr, ids.head(SHOWN).tolist()))}"
        for kind, ids in kinds.items()
        if len(ids)
    )
    raise InvalidSubmissionError(
        f"The ids in column {given.name!r} do not match the test set: {details or 'other types'}.",
        code="duplicate_ids" if repeated.any() else "wrong_ids",
        column=str(given.name),
        rows=(np.flatnonzero((unknown | repeated).to_numpy())[:SHOWN] + 1).tolist(),
    )
