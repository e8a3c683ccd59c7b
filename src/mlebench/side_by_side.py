"""Doing two things at a time where that pays: a thread costs as much as a small table."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


def side_by_side(
    first: Callable[[], First], second: Callable[[], Second], *, pays: bool
) -> tuple[First, Second]:
    """What two functions return; both are called, even if the second one fails.

    Args:
        first: Runs in a thread of its own, if it pays.
        second: Runs in this one.
        pays: Whether each of them takes much longer than starting a thread.
    """
    if not pays:
        return first(), second()
    with ThreadPoolExecutor(max_workers=1) as thread:
        pending = thread.submit(first)
        result = second()
        return pending.result(), result
