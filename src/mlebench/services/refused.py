"""Calls over the rate: recorded together, since they come as fast as a room can send them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from mlebench.services.calls import ValidationCall

SECONDS_BETWEEN = 60.0


class RefusedCalls:
    """Those of one door: the first is recorded at once, the others at most once a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._recorded_at: float | None = None
        self._first: ValidationCall | None = None
        self._count = 0

    def add(self, call: ValidationCall) -> ValidationCall | None:
        """Count a call; what is to be recorded now, if anything is."""
        self._first = self._first or call
        self._count += 1
        now = self._clock()
        if self._recorded_at is not None and now - self._recorded_at < SECONDS_BETWEEN:
            return None
        self._recorded_at = now
        return self.rest()

    def rest(self) -> ValidationCall | None:
        """What has not been recorded yet, as one record; None if that is nothing."""
        if self._first is None:
            return None
        record = replace(self._first, calls=self._count)
        self._first, self._count = None, 0
        return record
