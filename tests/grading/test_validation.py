"""Validation agrees with grading and never computes a score."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import NotPreparedError
from mlebench.grading.validation import VALID_MESSAGE, validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition

NO_SCORE = "def score(truth, predicted):\n    raise RuntimeError('validation must not score')"


@pytest.fixture
def competition(tmp_path: Path) -> Competition:
    """A competition that cannot score anything."""
    add_competition(tmp_path / "competitions", "mine", NO_SCORE)
    registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
    mine = registry.get_competition("mine")
    prepare(mine, fixture=True)
    return mine


def test_valid_submission_is_called_valid_without_a_score(competition: Competition) -> None:
    verdict = validate(competition.sample_submission, competition)
    assert (verdict.is_valid, verdict.result, verdict.error) == (True, VALID_MESSAGE, None)


def test_invalid_submission_is_explained(competition: Competition, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(competition.sample_submission.read_text().rpartition("\n1")[0])
    verdict = validate(path, competition)
    assert not verdict.is_valid
    assert verdict.result.startswith("Submission invalid!")
    assert verdict.error is not None
    assert verdict.error["code"] == "row_count"


@pytest.mark.parametrize(("name", "code"), [("none.csv", "no_submission"), ("a.txt", "not_csv")])
def test_no_csv_is_no_submission(
    name: str, code: str, competition: Competition, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").touch()
    verdict = validate(tmp_path / name, competition)
    assert verdict.error is not None
    assert (verdict.is_valid, verdict.error["code"]) == (False, code)


def test_messages_never_tell_answers(competition: Competition, tmp_path: Path) -> None:
    answers = competition.answers.read_text().splitlines()[1:]
    values = {line.split(",")[-1] for line in answers}
    path = tmp_path / "submission.csv"
    lines = competition.sample_submission.read_text().replace(",0.0\n", ",?\n")
    path.write_text(lines)
    result = validate(path, competition).result
    assert not any(value in result for value in values)


def test_unprepared_competition_is_an_error(tmp_path: Path) -> None:
    competition = Registry(tmp_path, ()).get_competition("spaceship-titanic")
    path = tmp_path / "submission.csv"
    path.touch()
    with pytest.raises(NotPreparedError):
        validate(path, competition)
