"""Where the order of rows is said not to count, it changes no score."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from mlebench.registry.competition import Competition
from mlebench.registry.grader import round_score
from mlebench.registry.task import Task
from tests.conftest import Prepared
from tests.helpers import BUILT_IN, MINI_IDS, READY_IDS

# Quirks of the original, which the facts name among the known issues.
ORDER_COUNTS_ALL_THE_SAME = {
    ("stanford-covid-vaccine", "v1"): "which rows are scored goes by their place in the file",
}
PARTS_OF_GRADING = ("SUBMISSION", "score", "answer_table")


def is_worth_trying(task: Task) -> bool:
    """Whether order is said not to count, by an edition that is not graded as v1 anyway."""
    has_own_grading = task.edition == "v1" or any(map(task.has_own, PARTS_OF_GRADING))
    return has_own_grading and not task.submission.matching.order_counts


def tables(competition: Competition) -> Iterator[pd.DataFrame]:
    """The sample, the gold submission, and one with rows of both."""
    assert competition.task is not None
    submission = competition.task.submission
    sample, gold = (
        submission.under_own_names(pd.read_csv(path, dtype=str, keep_default_na=False))
        for path in (competition.sample_submission, competition.gold_submission)
    )
    yield sample[submission.names]
    yield gold[submission.names]
    if len(sample) == len(gold):
        both = [
            table[submission.names].sort_values(submission.keys, kind="stable")
            for table in (sample, gold)
        ]
        of_first = np.random.default_rng(0).random((len(gold), 1)) < 0.5
        yield pd.DataFrame(np.where(of_first, *both), columns=submission.names)


def orders(table: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The table as it is, the other way round, and shuffled."""
    yield table
    yield table[::-1]
    yield table.sample(frac=1, random_state=0)


@pytest.mark.parametrize("edition", ["v1", "v2"])
@pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
def test_rows_in_another_order_score_the_same(
    competition_id: str, edition: str, prepared: Prepared
) -> None:
    task = Task(BUILT_IN.folder_of(competition_id), edition)
    if not is_worth_trying(task):
        return
    competition = prepared(competition_id, edition)
    answers = task.read_answers(competition.answers)
    all_equal = True
    for table in tables(competition):
        contents = [ordered.to_csv(index=False).encode() for ordered in orders(table)]
        scores = [task.grade(task.read_submitted(content), answers) for content in contents]
        all_equal &= len({str(round_score(score)) for score in scores}) == 1  # NaN equals nothing
    assert all_equal != ((competition_id, edition) in ORDER_COUNTS_ALL_THE_SAME)
