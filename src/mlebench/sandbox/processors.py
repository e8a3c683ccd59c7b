"""Which processors a room runs on."""

from __future__ import annotations

import math
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

_taken: Counter[int] = Counter()
_lock = threading.Lock()


@contextmanager
def some_processors(wanted: float | None) -> Iterator[list[int] | None]:
    """As many processors as wanted, those with the fewest rooms of this process; None for all.

    Where no filter of system calls holds an agent to it, it can take back this choice. Programs
    which ask how many there are start as many threads, and rooms beside each other are alike.
    """
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    count = math.inf if wanted is None else max(1, math.ceil(wanted))
    if count >= len(available):
        yield None
        return
    with _lock:
        chosen = sorted(available, key=_taken.__getitem__)[: int(count)]
        _taken.update(chosen)
    try:
        yield chosen
    finally:
        with _lock:
            _taken.subtract(chosen)


@contextmanager
def inherited_processors(chosen: list[int] | None) -> Iterator[None]:
    """Have what this thread starts meanwhile run on some processors, if any are chosen."""
    if chosen is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, chosen)  # in Linux that is the thread, not all of the process
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
