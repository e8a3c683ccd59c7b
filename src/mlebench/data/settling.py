"""Looking at data while somebody prepares or removes them: look again until nothing changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from mlebench.data.layout import MANIFEST_FILE, PUBLISHING_FILE
from mlebench.registry.competition import Competition
from mlebench.stamps import Stamp, file_stamp

TRIES = 6
PAUSE_SECONDS = 0.05

Found = TypeVar("Found")


def settled(competition: Competition, look: Callable[[], Found]) -> Found | None:
    """What somebody finds who looks at the same data from beginning to end.

    None if others change them time and again. Where somebody who puts data in place takes long,
    or was killed, that is what is found.
    """
    for _ in range(TRIES):
        found = None
        before = _state(competition)
        try:
            seen = look()
        except FileNotFoundError:
            if _state(competition) == before:
                raise
        else:
            _, marker = after = _state(competition)
            if after == before:
                found = seen
                if marker is None:
                    break
        time.sleep(PAUSE_SECONDS)
    return found


def being_prepared(competition: Competition) -> str:
    """A sentence about data that never settled."""
    return f"{competition.prepared_dir} is being prepared or removed just now."


def unreadable(competition: Competition, error: OSError) -> str:
    """A sentence about data that cannot be looked at."""
    return f"{error.filename or competition.data_dir} cannot be read: {error.strerror}."


def _state(competition: Competition) -> tuple[Stamp | None, Stamp | None]:
    """What changes when other data take the place of these, or nothing does."""
    manifest, marker = (_stamp(competition, name) for name in (MANIFEST_FILE, PUBLISHING_FILE))
    return manifest, marker


def _stamp(competition: Competition, name: str) -> Stamp | None:
    try:
        return file_stamp(competition.prepared_dir / name)
    except FileNotFoundError:
        return None
