"""One-hot tables, as multi-class log losses take them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.compat.pairing import Array, sort_both
from mlebench.errors import InvalidSubmissionError

__all__ = ["df_to_one_hot", "is_one_hot_encoded", "one_hot_dfs_to_log_loss_inputs"]

Numbers = npt.NDArray[np.float64]

logger = logging.getLogger(__name__)


def df_to_one_hot(
    df: pd.DataFrame, id_column: str, target_column: str, classes: Sequence[Any]
) -> pd.DataFrame:
    """A table with the id and a 0/1 column for each class, on the index of ``df``."""
    for column in (id_column, target_column):
        if column not in df.columns:
            raise ValueError(f"The table has no column {column!r}.")
    codes = pd.Index(classes).get_indexer(df[target_column])
    if (codes < 0).any():
        unknown = df[target_column].iloc[int(np.argmin(codes))]
        raise ValueError(f"{unknown!r} in column {target_column!r} is none of the classes.")
    one_hot = np.zeros((len(df), len(classes)), dtype=np.int64)
    one_hot[np.arange(len(df)), codes] = 1
    table = pd.DataFrame(one_hot, index=df.index, columns=list(classes))
    table.insert(0, id_column, df[id_column])
    return table


def one_hot_dfs_to_log_loss_inputs(
    submission_one_hot: pd.DataFrame,
    answers_one_hot: pd.DataFrame,
    id_column: str = "id",
    apply_softmax: bool = True,
) -> dict[str, Array]:
    """``y_true`` and ``y_pred`` for a multi-class log loss, in the order of the ids.

    Columns come in the answers' order, further ones are dropped. With ``apply_softmax`` each
    row of predictions becomes a distribution, unless all of them are one-hot already. The
    range of the values is left to the metric.

    Raises:
        InvalidSubmissionError: Columns, rows or ids do not fit, or a value is no number.
    """
    classes = [column for column in answers_one_hot.columns if column != id_column]
    submission, answers = sort_both(submission_one_hot, answers_one_hot, classes, id_column)
    predicted = _numbers(submission[classes])
    if apply_softmax:
        if is_one_hot_encoded(predicted):
            logger.warning("The predictions are one-hot already; no softmax is applied.")
        else:
            predicted = _softmax(predicted)
    return {"y_true": answers[classes].to_numpy(), "y_pred": predicted}


def is_one_hot_encoded(xs: npt.ArrayLike) -> bool:
    """Whether a matrix holds only 0 and 1, with exactly one 1 in each row."""
    values = np.asarray(xs)
    if values.ndim != 2:
        return False
    return bool(np.isin(values, (0, 1)).all() and (values.sum(axis=1) == 1).all())


def _numbers(table: pd.DataFrame) -> Numbers:
    try:
        return table.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise InvalidSubmissionError(f"Expected numbers: {error}.", code="not_a_number") from error


def _softmax(values: Numbers) -> Numbers:
    # An infinite value makes its row undefined, which the metric refuses better than we can.
    with np.errstate(invalid="ignore"):
        powers: Numbers = np.exp(values - values.max(axis=1, keepdims=True))
        powers /= powers.sum(axis=1, keepdims=True)
    return powers
