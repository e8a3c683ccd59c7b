"""Validation of every competition: no label has a say in it, and what it accepts has a score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from mlebench.errors import InvalidSubmissionError
from mlebench.registry.task import Task
from tests.competitions.answers import Change, with_labels
from tests.competitions.submissions import all_sorts
from tests.conftest import Prepared
from tests.helpers import MINI_IDS, READY_IDS

every_competition = pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
every_edition = pytest.mark.parametrize(
    "edition", ["v1", pytest.param("v2", marks=pytest.mark.wide)]
)

# Whose sheets know scores beyond all bounds: the logarithm of no error, an infinite
# confidence, no probability at all for what has happened.
MAY_BE_INFINITE = {
    "champs-scalar-coupling",
    "hms-harmful-brain-activity-classification",
    "osic-pulmonary-fibrosis-progression",
}

CHANGES: dict[str, Change] = {
    "in reverse": lambda labels: labels[::-1],
    "nonsense": lambda labels: ["no such label"] * len(labels),
    "empty": lambda labels: [""] * len(labels),
    "numbers": lambda labels: [*range(len(labels))],
}


def refusal(task: Task, table: Any, truth: Any) -> str:
    """What validation says about a submitted table; nothing if it is valid."""
    try:
        task.validate(table, truth)
    except InvalidSubmissionError as error:
        return f"{error.code} {error.column} {error.rows} {error}"
    return ""


@every_edition
@every_competition
def test_labels_have_no_say_and_what_is_valid_gets_a_score(
    competition_id: str, edition: str, prepared: Prepared, tmp_path: Path
) -> None:
    competition = prepared(competition_id, edition)
    task = competition.task
    assert task is not None
    changed = [
        with_labels(competition, change, tmp_path / name, same_items=True)
        for name, change in CHANGES.items()
    ]
    answers = task.read_answers(competition.answers)
    truths = [
        task.read_answers(competition.answers, only_public=True),
        answers,
        *map(task.read_answers, changed),
    ]
    graded = 0
    for submitted in all_sorts(competition, tmp_path):
        try:
            table = task.read_submitted(submitted)
        except InvalidSubmissionError:
            continue  # whatever is asked for
        refusals = {refusal(task, table, truth) for truth in truths}
        assert len(refusals) == 1, submitted.name
        if refusals == {""}:
            score = task.grade(table, answers)
            assert math.isnan(score) <= (edition == "v1"), submitted.name
            assert math.isinf(score) <= (competition_id in MAY_BE_INFINITE), submitted.name
            graded += 1
    assert graded > 5
