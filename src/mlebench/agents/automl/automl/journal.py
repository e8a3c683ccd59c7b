"""What was tried and what came of it: a JSON object a line, and the same for people."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from .clock import Clock


class Journal:
    """Notes that survive whatever happens after they are written."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Begin a journal.

        Args:
            folder: Where ``journal.jsonl`` and ``journal.log`` go.
            clock: Tells when something happened.
        """
        self._clock = clock
        self._records = folder / "journal.jsonl"
        self._log = folder / "journal.log"

    def note(self, kind: str, **facts: Any) -> None:
        """Write something down, in files and on the screen, as far as these take it.

        Args:
            kind: What sort of thing happened, such as ``experiment``.
            facts: What is to be found again. What is nothing is left out for people.
        """
        seconds = round(self._clock.elapsed, 2)
        facts = {name: None if _is_endless(value) else value for name, value in facts.items()}
        record = json.dumps({"seconds": seconds, "kind": kind, **facts}, default=_plain)
        # What something is called comes first, and need not be introduced.
        told = (
            _short(value) if name == "name" else f"{name} {_short(value)}"
            for name, value in facts.items()
            if value is not None
        )
        line = f"{seconds:8.1f} s  {kind}: {' | '.join(told)}"
        _say(line)
        for path, text in ((self._records, record), (self._log, line)):
            try:
                _append(path, text)
            except OSError as error:
                _say(f"{seconds:8.1f} s  {path.name} cannot be written: {error}")


def _append(path: Path, text: str) -> None:
    """Add a line to a file, whole or not at all."""
    line = f"{text}\n".encode(errors="backslashreplace")
    with path.open("ab", buffering=0) as file:
        end = file.tell()
        if file.write(line) < len(line):
            file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _say(line: str) -> None:
    """Print a line in whatever letters the screen has; once that fails, nothing more is printed."""
    if sys.stdout is None:  # it was closed before this program began
        return
    letters = sys.stdout.encoding or "utf-8"
    try:
        print(line.encode(letters, "backslashreplace").decode(letters), flush=True)
    except (OSError, ValueError):  # nobody listens any more, and the files tell the same
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (until the end)


def _plain(value: Any) -> Any:
    """Numbers of NumPy as those of JSON, and all else as text."""
    return value.item() if hasattr(value, "item") else str(value)


def _is_endless(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(_short, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)
