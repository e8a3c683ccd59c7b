"""Copies of a competition's answers with other labels."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.registry.competition import Competition
from mlebench.submission import Permutation

Change = Callable[[list[Any]], list[Any]]


def public_names(competition: Competition) -> set[str]:
    """The columns of the answers that everybody may know."""
    task = competition.task
    assert task is not None
    return {*task.submission.public_names, *task.validation.public_names}


def orders(competition: Competition) -> set[str]:
    """The columns of items that everybody may know, so that only their order is a label."""
    task = competition.task
    assert task is not None
    return {column.name for column in task.submission.columns if isinstance(column, Permutation)}


def shuffled(lists: list[Any]) -> list[Any]:
    """Lists of items with their items in another order."""
    rng = random.Random(0)
    return [" ".join(rng.sample(items.split(), len(items.split()))) for items in lists]


def with_labels(
    competition: Competition, change: Change, folder: Path, *, same_items: bool = False
) -> Path:
    """The answers with every column changed that is not public.

    On request nothing but the order is changed where that is the label.
    """
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
        is_order = same_items and name in orders(competition)
        labels = (shuffled if is_order else change)(table[name].tolist())
        table[name] = pd.Series(labels, dtype=object)
    if source.suffix == ".jsonl":
        lines = [json.dumps(record) + "\n" for record in table.to_dict("records")]
        copy.write_text("".join(lines), encoding="utf-8")
    else:
        table.to_csv(copy, index=False)
    return copy
