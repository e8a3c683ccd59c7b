"""Files of which nothing can be told, counted by reason for the journal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

MOST_REASONS, LONGEST = 10, 200
OF_ONE_FILE = re.compile(r"<[^<>]*>|\d+")  # where in memory something is, how long, and so on


class Unread:
    """Files that cannot be read or described, and why."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._paths: dict[tuple[str, str], dict[str, None]] = {}

    @contextmanager
    def noting(self, path: str) -> Iterator[None]:
        """Note what goes wrong with a file, which costs only that file."""
        try:
            yield
        except Exception as error:  # each reader has its own ways to say that a file is damaged
            suffix = PurePosixPath(path).suffix.lower()
            self._paths.setdefault((suffix, _reason(error)), {})[path] = None

    @property
    def found(self) -> tuple[dict[str, Any], ...]:
        """For each kind of file and reason how many there are, with an example; most first."""
        ranked = sorted(self._paths.items(), key=lambda one: len(one[1]), reverse=True)
        return tuple(
            {"reason": reason, "files": len(paths), "example": next(iter(paths))}
            for (_, reason), paths in ranked[:MOST_REASONS]
        )


def _reason(error: Exception) -> str:
    """What went wrong, in the same words for all files."""
    words = (error.strerror if isinstance(error, OSError) else None) or str(error)
    first, *_ = words.strip().splitlines() or [""]
    return f"{type(error).__name__}: {OF_ONE_FILE.sub('...', first)}"[:LONGEST]
