"""Helpers for graders and preparers, under the import line of the original.

Our own competitions declare a `mlebench.submission.Submission` instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import DataSourceError, InvalidSubmissionError
from mlebench.preparing.tfrecords import read_examples
from mlebench.submission.masks import RunLengths, encode
from mlebench.submission.matching import by_key, check_row_count

__all__ = [
    "df_to_one_hot",
    "get_ids_from_tf_records",
    "one_hot_dfs_to_log_loss_inputs",
    "prepare_for_accuracy_metric",
    "prepare_for_auroc_metric",
    "rle_decode",
    "rle_encode",
    "rles_to_masks",
]

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


def df_to_one_hot(
    df: pd.DataFrame, id_column: str, target_column: str, classes: Sequence[Any]
) -> pd.DataFrame:
    """A table with the id and a 0/1 column for each class, in the order of ``classes``."""
    for column in (id_column, target_column):
        if column not in df.columns:
            raise ValueError(f"The table has no column {column!r}.")
    codes = pd.Index(classes).get_indexer(df[target_column])
    if (codes < 0).any():
        unknown = df[target_column].iloc[int(np.argmin(codes))]
        raise ValueError(f"{unknown!r} in column {target_column!r} is none of the classes.")
    one_hot = np.zeros((len(df), len(classes)), dtype=np.int64)
    one_hot[np.arange(len(df)), codes] = 1
    table = pd.DataFrame(one_hot, columns=list(classes))
    table.insert(0, id_column, df[id_column].to_numpy())
    return table


def one_hot_dfs_to_log_loss_inputs(
    submission_one_hot: pd.DataFrame,
    answers_one_hot: pd.DataFrame,
    id_column: str = "id",
    apply_softmax: bool = True,
) -> dict[str, Array]:
    """``y_true`` and ``y_pred`` for a multi-class log loss, rows and columns as in the answers.

    With ``apply_softmax`` the predictions may be any numbers, without it they must be
    probabilities. Whether rows sum to one is left to the caller.

    Raises:
        InvalidSubmissionError: Columns, rows, ids or values do not fit.
    """
    _require_in_answers(answers_one_hot, id_column)
    classes = [column for column in answers_one_hot.columns if column != id_column]
    for column in (*classes, id_column):
        _require(submission_one_hot, column)
    check_row_count(len(submission_one_hot), len(answers_one_hot))
    values = np.stack([_numbers(submission_one_hot[name]) for name in classes], axis=1)
    _refuse_cells(np.isnan(values), classes, "missing_value", "every row needs a value")
    if apply_softmax:
        _refuse_cells(np.isinf(values), classes, "infinite_value", "values must be finite")
    else:
        outside = (values < 0) | (values > 1)
        _refuse_cells(outside, classes, "out_of_range", "values must lie between 0 and 1")
    predicted = values[by_key(submission_one_hot[id_column], answers_one_hot[id_column])]
    return {
        "y_true": answers_one_hot[classes].to_numpy(),
        "y_pred": _softmax(predicted) if apply_softmax else predicted,
    }


def prepare_for_accuracy_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, target_column: str, id_column: str
) -> dict[str, Array]:
    """``y_true`` and ``y_pred`` with rows paired by id, in the order of the answers.

    Raises:
        InvalidSubmissionError: Rows, columns or ids do not fit.
    """
    _require_in_answers(answers, target_column, id_column)
    check_row_count(len(submission), len(answers))
    _require(submission, target_column)
    _require(submission, id_column)
    order = by_key(submission[id_column], answers[id_column])
    return {
        "y_true": answers[target_column].to_numpy(),
        "y_pred": submission[target_column].to_numpy()[order],
    }


def prepare_for_auroc_metric(
    submission: pd.DataFrame, answers: pd.DataFrame, id_col: str, target_col: str
) -> dict[str, Array]:
    """``y_true`` and ``y_score`` with rows paired by id, in the order of the answers.

    Scores must be numbers from 0 to 1; a missing one is left for the metric to refuse.

    Raises:
        InvalidSubmissionError: Columns, rows, values or ids do not fit.
    """
    _require_in_answers(answers, id_col, target_col)
    _require(submission, id_col)
    _require(submission, target_col)
    check_row_count(len(submission), len(answers))
    scores = _numbers(submission[target_col])
    outside = (scores < 0) | (scores > 1)
    message = "values must lie between 0 and 1"
    _refuse_cells(outside[:, np.newaxis], [target_col], "out_of_range", message)
    order = by_key(submission[id_col], answers[id_col])
    return {"y_true": answers[target_col].to_numpy(), "y_score": scores[order]}


def rle_decode(rle_string: str, height: int, width: int) -> Mask:
    """The mask behind pairs of start and length; pixels count from 1, down the columns.

    Runs past the last pixel are cut.

    Raises:
        InvalidSubmissionError: The text is not a run-length encoding.
    """
    if not isinstance(rle_string, str):
        raise InvalidSubmissionError(f"A mask must be text, not {rle_string!r}.", code="bad_mask")
    pixels = height * width
    try:
        runs = RunLengths("mask", pixels=pixels, odd_counts=True).decode(rle_string)
    except (ValueError, OverflowError) as error:
        raise InvalidSubmissionError(f"Bad mask: {error}.", code="bad_mask") from error
    edges = np.zeros(pixels + 1, dtype=np.int8)
    edges[runs[:, 0]] += 1
    edges[runs[:, 1]] -= 1
    flat = np.cumsum(edges[:-1], dtype=np.int8).astype(bool)
    return flat.reshape(width, height).T


def rle_encode(mask: npt.ArrayLike) -> str:
    """The text of a mask; pixels count from 1, down the columns."""
    painted = np.asarray(mask, dtype=bool)
    if painted.ndim != 2:
        raise ValueError(f"A mask has two dimensions, not {painted.ndim}.")
    changes = np.flatnonzero(np.diff(painted.T.ravel(), prepend=False, append=False))
    return encode(changes.reshape(-1, 2))


def rles_to_masks(rles: Iterable[str], height: int, width: int) -> Mask:
    """The masks behind several texts, stacked along the first axis.

    Raises:
        InvalidSubmissionError: A text is not a run-length encoding.
    """
    masks = [rle_decode(rle, height, width) for rle in rles]
    return np.stack(masks) if masks else np.zeros((0, height, width), dtype=bool)


def get_ids_from_tf_records(tf_record_path: Path | str) -> list[str]:
    """The feature ``image_name`` of every record in a TFRecord file."""
    path = Path(tf_record_path)
    names = []
    for features in read_examples(path):
        values = features.get("image_name")
        if not values or not isinstance(values[0], bytes):
            raise DataSourceError(f"{path} has a record without an image_name.")
        names.append(values[0].decode())
    return names


def _require(submission: pd.DataFrame, column: Any) -> None:
    if column not in submission.columns:
        raise InvalidSubmissionError(
            f"Column {column!r} is missing.", code="missing_column", column=str(column)
        )


def _require_in_answers(answers: pd.DataFrame, *columns: str) -> None:
    for column in columns:
        if column not in answers.columns:
            raise ValueError(f"The answers have no column {column!r}.")


def _numbers(cells: pd.Series[Any]) -> npt.NDArray[np.float64]:
    try:
        return pd.to_numeric(cells).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise InvalidSubmissionError(
            f"Column {cells.name!r}: expected numbers.",
            code="not_a_number",
            column=str(cells.name),
        ) from error


def _refuse_cells(bad: Mask, names: Sequence[Any], code: str, message: str) -> None:
    """Refuse the first column with a bad cell, naming its first bad rows."""
    if not bad.any():
        return
    worst = int(np.flatnonzero(bad.any(axis=0))[0])
    rows = np.flatnonzero(bad[:, worst])[:5] + 1
    raise InvalidSubmissionError(
        f"Column {names[worst]!r}: {message} (row {rows[0]}).",
        code=code,
        column=str(names[worst]),
        rows=rows.tolist(),
    )


def _softmax(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    powers: npt.NDArray[np.float64] = np.exp(values - values.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers
