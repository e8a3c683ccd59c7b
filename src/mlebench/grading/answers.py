"""Answers kept between submissions to the same competition."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.registry.task import SMALL_FILE, Answers, Task
from mlebench.side_by_side import side_by_side
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
        answers, table = side_by_side(
            lambda: self.get(path, task.edition, lambda: Answers(task, task.read_answers(path))),
            lambda: task.read_submitted(submitted),
            pays=len(submitted) > SMALL_FILE,
        )
        return table, answers
