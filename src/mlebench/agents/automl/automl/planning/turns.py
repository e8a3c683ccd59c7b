"""Whose turn it is among several sorts of models: the sort that does best has most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from .step import Step

OF_THE_BEST = 3


def _always() -> bool:
    return True


@dataclass
class Sort:
    """Models of one sort, in their order.

    Attributes:
        steps: What is tried.
        is_ready: Whether it may be begun; while it may not, the others have their turns.
        tried: The names of those that had their turn.
    """

    steps: Iterator[Step]
    is_ready: Callable[[], bool] = _always
    tried: list[str] = field(default_factory=list)

    def best(self, gains: Mapping[str, float]) -> float:
        """How good its best model is, as far as that is known."""
        return max((gains[name] for name in self.tried if name in gains), default=-inf)


def in_turns(sorts: Sequence[Sort], gains: Mapping[str, float]) -> Iterator[Step]:
    """The steps of several sorts in turn, of the best one several at a time.

    Args:
        sorts: All of them; where none is ready, all are.
        gains: How good models turned out to be, by name. It grows while steps are asked for.
    """
    left = [*sorts]
    while left:
        best = max(sort.best(gains) for sort in left)
        for sort in [one for one in left if one.is_ready()] or [*left]:
            count = OF_THE_BEST if len(left) > 1 and -inf < best == sort.best(gains) else 1
            while count:
                if (step := next(sort.steps, None)) is None:
                    left.remove(sort)
                    break
                count -= step.is_model  # what only prepares others takes nobody's turn
                sort.tried.append(step.name)
                yield step
