"""Refusals that depend on which rows are scored do not tell which ones these are."""

from __future__ import annotations

import pandas as pd
import pytest

from mlebench.registry.competition import Competition
from tests.conftest import Prepared
from tests.helpers import refusal


def repeated(sample: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([sample, sample])


def infinite(sample: pd.DataFrame) -> pd.DataFrame:
    return sample.assign(threat="inf")


@pytest.mark.parametrize(
    ("competition_id", "spoil", "code"),
    [
        ("osic-pulmonary-fibrosis-progression", repeated, "duplicate_ids"),
        ("jigsaw-toxic-comment-classification-challenge", infinite, "not_a_number"),
    ],
)
def test_neither_rows_nor_ids_are_named(
    competition_id: str, spoil, code: str, prepared: Prepared
) -> None:
    competition: Competition = prepared(competition_id)
    task = competition.task
    assert task is not None
    sample = pd.read_csv(competition.sample_submission, dtype=str)
    content = spoil(sample).to_csv(index=False).encode()
    refused = refusal(
        task.grade, task.read_submitted(content), task.read_answers(competition.answers)
    )
    assert refused.code == code
    assert refused.rows == ()
    assert not any(key in str(refused) for key in sample[task.submission.keys[0]])
