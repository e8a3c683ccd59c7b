"""Numbers of one size, for learners that look at the size of errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problem import Array, Problem

FARTHEST = 20.0


@dataclass(frozen=True)
class Scale:
    """How numbers become those that are learned, and back.

    Attributes:
        is_logarithmic: Whether logarithms are learned.
        centre: What is taken off each column.
        spread: What each is divided by then.
    """

    is_logarithmic: bool
    centre: Array
    spread: Array

    @classmethod
    def of(cls, problem: Problem, target: Array) -> Scale:
        """The one that fits the numbers to learn from."""
        is_logarithmic = problem.metric.is_logarithmic and target.min() > -1
        learned = np.log1p(target) if is_logarithmic else target
        spread = learned.std(axis=0)
        return cls(is_logarithmic, learned.mean(axis=0), np.where(spread > 0, spread, 1.0))

    def scaled(self, target: Array) -> Array:
        """What is learned."""
        learned = np.log1p(target) if self.is_logarithmic else target
        return np.asarray((learned - self.centre) / self.spread)

    def told(self, predicted: Array) -> Array:
        """What was predicted, as it is asked for."""
        told: Array = np.clip(predicted, -FARTHEST, FARTHEST) * self.spread + self.centre
        return np.expm1(told) if self.is_logarithmic else told
