"""Answers kept between submissions to the same competition."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.registry.task import Answers, Task
from mlebench.stamps import Stamp, file_stamp

if TYPE_CHECKING:
    import pandas as pd

# Submissions come sorted by competition, so more would only fill the memory.
MOST_KEPT = 2


@dataclass
class AnswersShelf:
    """The answers used last; read again as soon as their file is another one."""

    _kept: OrderedDict[tuple[Path, str], tuple[Stamp, Any]] = field(default_factory=OrderedDict)

    def get(self, path: Path, edition: str, read: Callable[[], Any]) -> Any:
        """What was read from a file of answers, now or before."""
        key, stamp = (path, edition), file_stamp(path)
        kept = self._kept.pop(key, None)
        if kept is None or kept[0] != stamp:
            kept = stamp, read()
        self._kept[key] = kept
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept[1]

    def read(self, task: Task, submitted: bytes, path: Path) -> tuple[pd.DataFrame, Answers]:
        """A submitted file's table and the answers, from memory or read side by side."""
        tables: list[pd.DataFrame] = []

        def read_both() -> Answers:
            table, content = task.read(submitted, path)
            tables.append(table)
            return Answers(task, content)

        answers = self.get(path, task.edition, read_both)
        return tables[0] if tables else task.read_submitted(submitted), answers
