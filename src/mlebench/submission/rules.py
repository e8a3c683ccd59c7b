"""Rules that look at several columns of a submission at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from mlebench.submission.columns import refuse


class Rule(Protocol):
    """A condition on whole rows."""

    def check(self, truth: pd.DataFrame, predicted: pd.DataFrame) -> None:
        """Refuse rows that break the rule; ``predicted`` is indexed by submitted row."""

    def describe(self) -> str:
        """The rule in a sentence, for the documentation."""

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Make a random example obey the rule."""


@dataclass(frozen=True)
class RowsSumToOne:
    """Each row is a probability distribution over the columns."""

    columns: tuple[str, ...]
    relative: float = 1e-5
    absolute: float = 1e-6

    def check(self, truth: pd.DataFrame, predicted: pd.DataFrame) -> None:
        """Sums may differ from one by the tolerance, nothing is rescaled."""
        sums = predicted[list(self.columns)].sum(axis=1)
        bad = ~np.isclose(sums, 1.0, rtol=self.relative, atol=self.absolute)
        if bad.any():
            refuse("row_sum", "each row must sum to 1", " + ".join(self.columns), sums, bad)

    def describe(self) -> str:
        """The rule in a sentence."""
        return f"The values of a row must sum to 1 (tolerance {self.relative + self.absolute:g})."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Rescale each row."""
        values = example[list(self.columns)]
        return example.assign(**values.div(values.sum(axis=1), axis=0))
