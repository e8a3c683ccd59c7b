"""Edition v2 has no infinite scores: numbers beyond all sense are refused, or do no harm."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from mlebench.errors import InvalidSubmissionError
from mlebench.registry.task import Task
from mlebench.submission import Number
from tests.conftest import Prepared
from tests.helpers import BUILT_IN, MINI_IDS, READY_IDS

HUGE = ("1e308", "-1e308")


def takes_any(column: object) -> bool:
    """Whether a column of numbers has not got two bounds, beyond which it refuses them."""
    return isinstance(column, Number) and None in (column.low, column.high)


@pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
def test_huge_numbers_have_no_infinite_score(competition_id: str, prepared: Prepared) -> None:
    task = Task(BUILT_IN.folder_of(competition_id), "v2")
    names = [column.name for column in task.submission.columns if takes_any(column)]
    if not names:
        return
    competition = prepared(competition_id, "v2")
    gold = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    gold = task.submission.under_own_names(gold)
    answers = task.read_answers(competition.answers)
    for name in names:
        for cells in (
            [HUGE[0]] * len(gold),
            [HUGE[1]] * len(gold),
            [HUGE[row % 2] for row in range(len(gold))],
            [HUGE[0], *gold[name][1:]],
        ):
            content = gold.assign(**{name: cells}).to_csv(index=False).encode()
            try:
                score = task.grade(task.read_submitted(content), answers)
            except InvalidSubmissionError:
                continue
            assert math.isfinite(score), f"{name}: {cells[:2]}"


@pytest.mark.parametrize(
    "competition_id",
    [
        "champs-scalar-coupling",
        "denoising-dirty-documents",
        "new-york-city-taxi-fare-prediction",
        "predict-volcanic-eruptions-ingv-oe",
        "stanford-covid-vaccine",
        "ventilator-pressure-prediction",
    ],
)
def test_the_largest_numbers_allowed_have_a_finite_score(
    competition_id: str, prepared: Prepared
) -> None:
    competition = prepared(competition_id, "v2")
    task = competition.task
    assert task is not None
    answers = task.read_answers(competition.answers)
    gold = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    for column in task.submission.columns:
        assert isinstance(column, Number)
        table = gold.assign(**{column.name: str(column.high)})
        submitted = task.read_submitted(table.to_csv(index=False).encode())
        assert math.isfinite(task.grade(submitted, answers))
