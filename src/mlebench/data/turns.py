"""A limited number of places at work, shared by several processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from mlebench.data.locks import exclusive
from mlebench.errors import BusyError

POLL_SECONDS = 0.05


@contextmanager
def turn(folder: Path, places: int) -> Iterator[None]:
    """Take one of so many places, waiting until one is free.

    A place is a lock in this folder, so it is free again when whoever had it has died.
    """
    with ExitStack() as held:
        while not any(_take(held, folder / f"place-{number}") for number in range(places)):
            time.sleep(POLL_SECONDS)
        yield


def _take(held: ExitStack, path: Path) -> bool:
    try:
        held.enter_context(exclusive(path, timeout=0))
    except BusyError:
        return False
    return True
