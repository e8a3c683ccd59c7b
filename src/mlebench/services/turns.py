"""Who may call when: so many a minute, so many at a time, and the others wait, but not for ever."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic

from mlebench.services.calls import RATE_LIMITED, refused_call
from mlebench.services.limits import ServiceLimits

FULL_RETRY_SECONDS = 5


@dataclass
class Crowd:
    """All calls that wait, at whatever door."""

    waiting: int = 0


class Turnstile:
    """Lets calls through one door."""

    def __init__(
        self, limits: ServiceLimits, crowd: Crowd, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limits = limits
        self._crowd = crowd
        self._clock = clock
        self._places = asyncio.Semaphore(limits.uploads)
        self._most_at_once = max(1.0, limits.calls_per_minute)
        self._left = self._most_at_once
        self._counted_at = clock()

    def count(self) -> None:
        """Count a call.

        Raises:
            CallRefusedError: There were too many of late.
        """
        if math.isinf(self._limits.calls_per_minute):
            return
        now, a_second = self._clock(), self._limits.calls_per_minute / 60
        self._left = min(self._most_at_once, self._left + (now - self._counted_at) * a_second)
        self._counted_at = now
        if self._left < 1:
            raise refused_call(
                429,
                RATE_LIMITED,
                f"At most {self._limits.calls_per_minute:g} calls a minute are served.",
                error="There were too many calls.",
                retry_after=max(1, math.ceil((1 - self._left) / a_second)),
            )
        self._left -= 1

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A place among those who are served at a time.

        Raises:
            CallRefusedError: Too many wait already, or it took too long.
        """
        await self._wait()
        try:
            yield
        finally:
            self._places.release()

    async def _wait(self) -> None:
        if self._places.locked() and self._crowd.waiting >= self._limits.waiting:
            raise refused_call(
                503,
                "too_busy",
                "Too many calls are waiting already.",
                error="The service is busy.",
                retry_after=FULL_RETRY_SECONDS,
            )
        self._crowd.waiting += 1
        try:
            async with asyncio.timeout(self._limits.turn_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise refused_call(
                429,
                "too_many_at_once",
                f"At most {self._limits.uploads} calls are served at a time, and none of them "
                f"ended within {self._limits.turn_seconds:g} seconds.",
                error="There are too many calls at a time.",
                retry_after=FULL_RETRY_SECONDS,
            ) from None
        finally:
            self._crowd.waiting -= 1


class FairTurns:
    """Places that doors get in turn, however many wait at one of them."""

    def __init__(self, places: int, most_of_one: int) -> None:
        """Make places, of which one door has only so many at a time."""
        self._free = places
        self._most_of_one = most_of_one
        self._taken: Counter[object] = Counter()
        # Whoever has waited longest for a turn is the first door.
        self._waiting: dict[object, deque[asyncio.Future[None]]] = {}

    async def enter(self, door: object) -> Callable[[], None]:
        """Wait for a place; what is returned has to be called to leave it."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(door, deque()).append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it came at the same moment
                self._leave(door)
            raise
        return lambda: self._leave(door)

    def _leave(self, door: object) -> None:
        self._free += 1
        self._taken[door] -= 1
        if not self._taken[door]:
            del self._taken[door]
        self._let_in()

    def _let_in(self) -> None:
        for door in list(self._waiting):
            if self._free and self._taken[door] < self._most_of_one:
                self._let_one_in(door)

    def _let_one_in(self, door: object) -> None:
        """Give the first who still waits at a door a place; then it is the other doors' turn."""
        waiting = self._waiting.pop(door)
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                self._free -= 1
                self._taken[door] += 1
                turn.set_result(None)
                break
        if waiting:
            self._waiting[door] = waiting
