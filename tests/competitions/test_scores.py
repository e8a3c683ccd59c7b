"""Scores of every competition against slow judges that were written from the fact sheets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.conftest import Prepared
from tests.fuzz.bench import Bench
from tests.fuzz.judges import JUDGES
from tests.helpers import READY_IDS

EXAMPLES = 4


def submissions(bench: Bench) -> Iterator[pd.DataFrame]:
    """Sample and gold, random ones with and without ties, and some that are partly right."""
    competition, task = bench.competition, bench.task
    schema = task.submission
    sample, gold = (
        schema.under_own_names(pd.read_csv(path, dtype=str, keep_default_na=False))[schema.names]
        for path in (competition.sample_submission, competition.gold_submission)
    )
    yield sample
    yield gold
    yield gold.sample(frac=1, random_state=0)
    public = task.public(bench.answers)
    rng = np.random.default_rng(0)
    for _ in range(EXAMPLES):
        example = task.submission.example(public, rng).astype(str)
        yield example
        for other in (example, sample):
            yield mixed(gold, other, task.submission.keys, rng)


def mixed(
    first: pd.DataFrame, second: pd.DataFrame, keys: list[str], rng: np.random.Generator
) -> pd.DataFrame:
    """Rows of both tables by lot, if they are in the same order; else the second one."""
    if not np.array_equal(first[keys].to_numpy(), second[keys].to_numpy()):
        return second
    of_first = rng.random((len(first), 1)) < 0.5
    return pd.DataFrame(np.where(of_first, first, second), columns=first.columns)


def test_every_competition_has_a_judge() -> None:
    assert set(READY_IDS) <= set(JUDGES)


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_scores_agree_with_the_fact_sheet(
    competition_id: str, prepared: Prepared, tmp_path: Path
) -> None:
    bench = Bench(prepared(competition_id))
    path = tmp_path / "submission.csv"
    kinds = []
    for table in submissions(bench):
        table.to_csv(path, index=False)
        kinds.append(bench.check(path))
    assert kinds.count("scored") > len(kinds) / 2
