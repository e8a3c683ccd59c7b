"""How much time there is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_SPARE_SECONDS = 10.0
START_TIME = 19  # among what follows the name of the program
TINY, ENDLESS = 0.001, 1e8  # no timer is set for longer than the system can count
SPARE_SHARE, LEAST_SPARE_SECONDS = 0.05, 1.5


class Clock:
    """Counts down from the limit, a little of which is kept for the end."""

    def __init__(self, seconds: float) -> None:
        """Begin when this process began: the limit holds for its start, too.

        Args:
            seconds: The limit of the whole run.
        """
        self._began_at = time.monotonic() - _age_of_process()
        spare = min(MOST_SPARE_SECONDS, max(LEAST_SPARE_SECONDS, SPARE_SHARE * seconds))
        self.seconds = max(seconds - spare, seconds / 2)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began_at

    @property
    def left(self) -> float:
        """Seconds until the end, never below 0."""
        return max(0.0, self.seconds - self.elapsed)


class TooLateError(BaseException):
    """Something took longer than it may; nobody on the way takes it for a failure of their own."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Break off what is done here when its time is over.

    Raises:
        TooLateError: It is.
    """

    def ring(*_: object) -> None:
        raise TooLateError(f"it took more than {seconds:.0f} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(max(seconds, TINY), ENDLESS))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _age_of_process() -> float:
    """Seconds since this process was started."""
    try:
        told = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    ticks = int(told.rpartition(")")[2].split()[START_TIME])
    since_boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    return max(0.0, since_boot - ticks / os.sysconf("SC_CLK_TCK"))
