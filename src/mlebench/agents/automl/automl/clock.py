"""How much time there is left."""

from __future__ import annotations

import time

MOST_SPARE_SECONDS = 10.0
SPARE_SHARE = 0.05


class Clock:
    """Counts down from the limit, a little of which is kept for the end."""

    def __init__(self, seconds: float) -> None:
        """Begin now.

        Args:
            seconds: The limit of the whole run.
        """
        self._began_at = time.monotonic()
        self.seconds = seconds - min(MOST_SPARE_SECONDS, SPARE_SHARE * seconds)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began_at

    @property
    def left(self) -> float:
        """Seconds until the end, never below 0."""
        return max(0.0, self.seconds - self.elapsed)
