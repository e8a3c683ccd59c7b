"""How much time a step has left, for those of its parts that could go on for ever."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

KEPT_BACK = 0.8
_deadline = math.inf


def end_in(seconds: float) -> None:
    """Tell all parts of this process when it will be ended."""
    global _deadline  # noqa: PLW0603 (a step has a process of its own)
    _deadline = time.monotonic() + seconds


def seconds_left() -> float:
    """How long this process may go on."""
    return _deadline - time.monotonic()


@dataclass
class Pace:
    """Shares out the time that is left among tasks of about the same size.

    Attributes:
        tasks: How many there are still to do.
    """

    tasks: int

    def deadline(self) -> float:
        """When the next task had better be over, by the monotonic clock."""
        share = KEPT_BACK * seconds_left() / max(self.tasks, 1)
        self.tasks -= 1
        return time.monotonic() + share
