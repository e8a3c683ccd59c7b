"""Copies of a competition's answers with other labels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.registry.competition import Competition

Change = Callable[[list[Any]], list[Any]]


def public_names(competition: Competition) -> set[str]:
    """The columns of the answers that everybody may know."""
    task = competition.task
    assert task is not None
    return {*task.submission.public_names, *task.validation.public_names}


def with_labels(competition: Competition, change: Change, folder: Path) -> Path:
    """The answers with every column changed that is not public."""
    source, copy = competition.answers, folder / competition.answers.name
    folder.mkdir(exist_ok=True)
    public = public_names(competition)
    if source.suffix == ".jsonl":
        table = pd.DataFrame([json.loads(line) for line in source.read_text().splitlines()])
    else:
        table = pd.read_csv(source, dtype=str, keep_default_na=False)
    hidden = [name for name in table.columns if name not in public]
    assert hidden
    for name in hidden:
        table[name] = pd.Series(change(table[name].tolist()), dtype=object)
    if source.suffix == ".jsonl":
        lines = [json.dumps(record) + "\n" for record in table.to_dict("records")]
        copy.write_text("".join(lines), encoding="utf-8")
    else:
        table.to_csv(copy, index=False)
    return copy
