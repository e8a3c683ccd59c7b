"""Rules that look at several columns or rows of a submission at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from mlebench.submission.refusals import refuse


class Rule(Protocol):
    """A condition on whole rows, or on a column as a whole."""

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse rows that break the rule.

        Args:
            predicted: The parsed predictions, indexed by their rows in the submitted file.
            public: The public columns of the answers, row by row.
        """

    def describe(self) -> str:
        """The rule in a sentence, for the documentation."""

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Make a random example obey the rule."""


@dataclass(frozen=True)
class RowsSumToOne:
    """Each row is a probability distribution over the columns.

    Missing values, where columns let them pass, count as nothing.

    Attributes:
        columns: The columns.
        relative: How much a sum may differ from 1, together with `absolute`.
        absolute: The same; numpy's ``isclose`` knows both.
        decimals: Sums are rounded to so many decimals instead, and then must be 1.
        with_further: Columns that nobody asked for count as well, if there are any.
    """

    columns: tuple[str, ...]
    relative: float = 1e-5
    absolute: float = 1e-6
    decimals: int | None = None
    with_further: bool = False

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Nothing is rescaled."""
        names = list(predicted.columns if self.with_further else self.columns)
        # As floats: truth values beside numbers would be summed as objects by pandas 2.
        sums = predicted[names].astype(np.float64).sum(axis=1)
        if self.decimals is not None:
            bad = sums.round(self.decimals).to_numpy() != 1
        else:
            bad = ~np.isclose(sums, 1.0, rtol=self.relative, atol=self.absolute)
        if bad.any():
            also = ", further columns included" if len(names) > len(self.columns) else ""
            message = f"each row must sum to 1{also}"
            refuse("row_sum", message, " + ".join(self.columns), sums, bad)

    def describe(self) -> str:
        """The rule in a sentence."""
        whose = "a row, further columns included," if self.with_further else "a row"
        if self.decimals is not None:
            return f"The values of {whose} must sum to 1, rounded to {self.decimals} decimals."
        tolerance = self.relative + self.absolute
        return f"The values of {whose} must sum to 1 (tolerance {tolerance:g})."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Rescale each row."""
        values = example[list(self.columns)]
        return example.assign(**values.div(values.sum(axis=1), axis=0))


@dataclass(frozen=True)
class NotConstant:
    """A column holds at least two different values, without which its metric is undefined."""

    column: str

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse a column of equal values."""
        values = predicted[self.column]
        if len(values) > 1 and (values == values.iloc[0]).all():
            message = "the metric is not defined where all predictions are alike"
            refuse("constant", message, self.column, values, np.ones(len(values), bool))

    def describe(self) -> str:
        """The rule in a sentence."""
        return f"The values of `{self.column}` must not all be alike."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Random values differ anyway."""
        return example


@dataclass(frozen=True)
class NotAllBelow:
    """Some value of a column reaches a bound, without which its metric is undefined.

    A missing value is not below the bound.
    """

    column: str
    bound: float

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse a column of values that are all too small."""
        values = predicted[self.column]
        below = values < self.bound
        if len(values) and below.all():
            message = f"the metric is not defined where all predictions are below {self.bound:g}"
            refuse("out_of_range", message, self.column, values, below)

    def describe(self) -> str:
        """The rule in a sentence."""
        return f"The values of `{self.column}` must not all be below {self.bound:g}."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Lift all values to the bound, if none is there."""
        if (example[self.column] < self.bound).all():
            return example.assign(**{self.column: self.bound})
        return example
