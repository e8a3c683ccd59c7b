"""Submissions of all sorts for a prepared competition, good and broken ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.authoring.variants import variants
from mlebench.registry.competition import Competition

EXAMPLES = 3


def all_sorts(competition: Competition, folder: Path) -> Iterator[Path]:
    """The sample, the gold submission, random valid ones and everything people get wrong."""
    task = competition.task
    assert task is not None
    yield competition.sample_submission
    yield competition.gold_submission
    public = task.public(task.read_answers(competition.answers))
    rng = np.random.default_rng(0)
    for number in range(EXAMPLES):
        path = folder / f"example-{number}.csv"
        task.validation.example(public, rng).to_csv(path, index=False)
        yield path
    gold = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    gold = task.validation.under_own_names(gold)[task.validation.names]
    for number, variant in enumerate(variants(gold, task.validation)):
        path = folder / f"variant-{number}.csv"
        path.write_bytes(variant.content)
        yield path
