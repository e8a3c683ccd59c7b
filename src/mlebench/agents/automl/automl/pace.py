"""How much time a step has left, for those of its parts that could go on for ever."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

SHARE_USED = 0.8
FEWEST_TIMED, SHARE_TIMED = 200, 0.03
SHARE_RISKED = 0.7  # since all of them may take longer than some of them say
Thing = TypeVar("Thing")
_deadline = math.inf


def end_in(seconds: float) -> None:
    """Tell all parts of this process when it will be ended."""
    global _deadline  # noqa: PLW0603 (a step has a process of its own)
    _deadline = time.monotonic() + seconds


def seconds_left() -> float:
    """How long this process may go on."""
    return _deadline - time.monotonic()


def at_most(seconds: float) -> float:
    """So many seconds, or as many as this process has left and needs not for the rest."""
    return min(seconds, SHARE_USED * seconds_left())


def is_time_for(work: Callable[[Sequence[Thing]], object], things: Sequence[Thing]) -> bool:
    """Whether something can be done with all things, by how long it takes with some of them.

    Nothing is tried where there is no end, or where there are so few that it is no use.
    """
    left = seconds_left()
    if left <= 0 or math.isinf(left) or len(things) <= FEWEST_TIMED:
        return left > 0
    some = things[:: len(things) // max(FEWEST_TIMED, int(SHARE_TIMED * len(things)))]
    work(some)  # the first time takes longer
    begun = time.monotonic()
    work(some)
    seconds = (time.monotonic() - begun) * len(things) / len(some)
    return seconds <= SHARE_RISKED * seconds_left()


class Pace:
    """Shares out the time that is left among tasks of about the same size."""

    def __init__(self, tasks: int) -> None:
        """Have so many tasks still to do."""
        self._tasks = tasks
        self._between = 0.0
        self._ended_at = time.monotonic()

    @contextmanager
    def task(self, afterwards: float = 0.0) -> Iterator[float]:
        """When the next task had better be over, by the monotonic clock.

        What passes from the end of one task to the beginning of the next is set aside for those
        that follow, too.

        Args:
            afterwards: How long using what came of the task takes, as a share of the task itself.
        """
        now = time.monotonic()
        self._between = max(self._between, now - self._ended_at)
        share = SHARE_USED * seconds_left() / max(self._tasks, 1) - self._between
        self._tasks -= 1
        try:
            yield now + max(share, 0.0) / (1 + afterwards)
        finally:
            self._ended_at = time.monotonic()
