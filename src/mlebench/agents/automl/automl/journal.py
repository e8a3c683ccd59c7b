"""What was tried and what came of it: a JSON object a line, and the same for people."""

from __future__ import annotations

import json
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

    def note(self, kind: str, text: str = "", **facts: Any) -> None:
        """Write something down.

        Args:
            kind: What sort of thing happened, such as ``experiment``.
            text: The same for people; by default made of the facts.
            facts: What is to be found again.
        """
        seconds = round(self._clock.elapsed, 2)
        told = text or ", ".join(f"{name} {_short(value)}" for name, value in facts.items())
        record = {"seconds": seconds, "kind": kind, **facts}
        if text:
            record["text"] = text
        line = f"{seconds:8.1f} s  {kind}: {told}"
        with self._records.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, default=_plain) + "\n")
        with self._log.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(line, flush=True)


def _plain(value: Any) -> Any:
    """Numbers of NumPy as those of JSON, and all else as text."""
    return value.item() if hasattr(value, "item") else str(value)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
