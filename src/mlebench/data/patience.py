"""Trying again what may work a little later, with waits that grow and an end to them."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from mlebench.errors import UnavailableError

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 120.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Patience:
    """How long servers are waited for, and how often they are asked again.

    Attributes:
        tries: How often in all, unless something was achieved in between.
        total_seconds: How long all waits between tries may take together.
        connect_seconds: How long a server may take to be there.
        read_seconds: How long it may send nothing.
        wait: What waits between tries; by default, this sleeps.
    """

    tries: int = 6
    total_seconds: float = 900.0
    connect_seconds: float = 10.0
    read_seconds: float = 60.0
    wait: Callable[[float], None] | None = None


class Attempts:
    """The tries of one thing to do."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failed = 0
        self._waited = 0.0

    def forget(self) -> None:
        """Something was achieved: what comes next gets all tries again."""
        self._failed, self._waited = 0, 0.0

    def wait_after(self, error: UnavailableError) -> None:
        """Wait until another try makes sense.

        Raises:
            UnavailableError: It does not; the message tells how often it was tried.
        """
        if error.is_final:
            raise error
        self._failed += 1
        seconds = _growing_wait(self._failed) if error.retry_after is None else error.retry_after
        if self._failed >= self._patience.tries:
            count = f"{self._failed} times" if self._failed > 1 else "once"
            raise _final(f"{error} This was tried {count}. Try again later.", error)
        if self._waited + seconds > self._patience.total_seconds:
            raise _final(f"{error} Try again in {_duration(seconds)} or later.", error)
        logger.warning(
            "%s Trying again in %s (%d of %d).",
            *(error, _duration(seconds), self._failed + 1, self._patience.tries),
        )
        self._waited += seconds
        (self._patience.wait or sleep)(seconds)


def sleep(seconds: float) -> None:
    """The usual way to wait, which Ctrl-C ends."""
    time.sleep(seconds)


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """How many seconds an answer asks to wait, given as seconds or as a date."""
    stated = headers.get("Retry-After", "").strip()
    try:
        seconds = float(stated)
    except ValueError:
        seconds = _seconds_until(stated)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds_until(stated: str) -> float:
    try:
        when = parsedate_to_datetime(stated)
        aware = when if when.tzinfo else when.replace(tzinfo=UTC)
        return (aware - datetime.now(UTC)).total_seconds()
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return math.nan  # whatever a library makes of nonsense


def _growing_wait(failed: int) -> float:
    # Whoever was turned away together should not come back together.
    spread = random.uniform(1.0, 1.5)  # noqa: S311 (no secret)
    return min(LONGEST_WAIT, SHORTEST_WAIT * 2.0 ** (failed - 1)) * spread


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{math.ceil(seconds)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"


def _final(message: str, error: UnavailableError) -> UnavailableError:
    final = UnavailableError(message, error.retry_after, is_final=True)
    final.__cause__ = error
    return final
