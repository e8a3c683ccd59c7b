"""What is asked for: rows to learn from, rows to predict, a score, and how answers are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .metrics import Metric, codes_of, one_hot

Kind = Literal["numbers", "classes", "marks"]
Array = NDArray[np.float64]


class CannotInferError(Exception):
    """The files do not say what is to be learned from what."""


@dataclass(frozen=True)
class Problem:
    """A task in the form that learners understand.

    Predictions have a row for each of the rows to predict, and a column for each number, class
    or mark: values of numbers, probabilities of the others.

    Attributes:
        kind: Whether numbers are to be predicted, one of several classes, or several marks
            which each row has or has not.
        train: What is known of the rows to learn from.
        test: The same of the rows to predict, in the order of the submission.
        target: Numbers or marks in columns; for classes the place of each row's class.
        names: What the columns of predictions are.
        metric: The score.
        write: Makes the submission of finished predictions.
        train_ids: What rows to learn from are called, for finding their files.
        test_ids: The same for rows to predict.
        data: Where their files are; None if there are none.
        notes: What was found out on the way, for the journal.
    """

    kind: Kind
    train: pd.DataFrame
    test: pd.DataFrame
    target: Array
    names: tuple[str, ...]
    metric: Metric
    write: Callable[[Array], pd.DataFrame]
    train_ids: tuple[str, ...] = ()
    test_ids: tuple[str, ...] = ()
    data: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> int:
        """How many columns predictions have."""
        return len(self.names)

    @property
    def codes(self) -> NDArray[np.int64]:
        """For classes: the place of each row's class."""
        return codes_of(self.target)

    @property
    def table(self) -> Array:
        """The target in the columns of predictions."""
        return self.table_of(self.target)

    def table_of(self, target: Array) -> Array:
        """The target of some rows in the columns of predictions."""
        return one_hot(target, self.columns) if self.kind == "classes" else target


@dataclass(frozen=True)
class Prediction:
    """What a model says.

    Attributes:
        held_out: Of each row to learn from, by a model that did not see it.
        test: Of the rows to predict.
    """

    held_out: Array
    test: Array
