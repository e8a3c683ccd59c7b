"""Flat boxes in 3D object detection: whether they are graded tells nothing to validation."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from mlebench.errors import InvalidSubmissionError
from mlebench.registry.task import Task
from tests.conftest import Prepared

LYFT = "3d-object-detection-for-autonomous-vehicles"
FLAT = "0.5 10 20 1 0 4 2 0.3"
ABSENT = "unicorn"


@pytest.fixture(params=["v1", "v2"])
def case(request: pytest.FixtureRequest, prepared: Prepared) -> tuple[Task, Path, pd.DataFrame]:
    """The task, its answers and its gold submission."""
    competition = prepared(LYFT, request.param)
    assert competition.task is not None
    gold = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    return competition.task, competition.answers, gold


def with_box(gold: pd.DataFrame, row: int, box: str, path: Path) -> Path:
    """The gold submission with one more box in a row."""
    cells = gold["PredictionString"].tolist()
    cells[row] = f"{cells[row]} {box}".strip()
    gold.assign(PredictionString=cells).to_csv(path, index=False)
    return path


def classes_of(gold: pd.DataFrame, row: int) -> list[str]:
    return sorted(set(gold["PredictionString"][row].split(" ")[8::9]))


def refusal(task: Task, path: Path, answers: Path) -> InvalidSubmissionError:
    with pytest.raises(InvalidSubmissionError) as caught:
        task.validate(task.read_submitted(path), task.read_answers(answers, only_public=True))
    return caught.value


def test_a_flat_box_of_a_class_that_is_not_there_is_graded_in_v1_only(
    case: tuple[Task, Path, pd.DataFrame], tmp_path: Path
) -> None:
    task, answers, gold = case
    path = with_box(gold, 0, f"{FLAT} {ABSENT}", tmp_path / "submission.csv")
    tables = task.read(path, answers)
    if task.edition == "v1":
        assert task.grade(*tables) == 1.0
    else:
        with pytest.raises(InvalidSubmissionError):
            task.grade(*tables)
    assert refusal(task, path, answers).code == "bad_boxes"


def test_a_flat_box_of_a_class_that_is_there_is_refused_everywhere(
    case: tuple[Task, Path, pd.DataFrame], tmp_path: Path
) -> None:
    task, answers, gold = case
    for row in range(len(gold)):
        for name in classes_of(gold, row):
            path = with_box(gold, row, f"{FLAT} {name}", tmp_path / "submission.csv")
            with pytest.raises(InvalidSubmissionError) as caught:
                task.grade(*task.read(path, answers))
            error = refusal(task, path, answers)
            assert (error.code, error.rows) == ("bad_boxes", (row + 1,))
            assert caught.value.rows == (row + 1,)


def test_validation_says_the_same_for_classes_that_are_there_and_that_are_not(
    case: tuple[Task, Path, pd.DataFrame], tmp_path: Path
) -> None:
    task, answers, gold = case
    every_class = sorted({name for row in range(len(gold)) for name in classes_of(gold, row)})
    for row in range(len(gold)):
        messages = set()
        for name in [*every_class, ABSENT]:
            path = with_box(gold, row, f"{FLAT} {name}", tmp_path / "submission.csv")
            error = refusal(task, path, answers)
            shown = str(error).replace(name, "…")
            messages.add((shown, error.code, error.column, error.rows))
        assert len(messages) == 1
