"""One submission to a user's grader: the verdicts of a batch, and nothing told to participants."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.errors import GraderError
from mlebench.grading.isolated import grade_isolated, validate_isolated
from mlebench.registry import Registry
from tests.grading.original import add_original


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "data", [tmp_path / "competitions"])


def add(tmp_path: Path, body: str) -> str:
    code = f"def grade(submission, answers):\n    {body}\n"
    add_original(tmp_path / "competitions", tmp_path / "data", "mine", code)
    return str(tmp_path / "data" / "mine" / "prepared" / "public" / "sample_submission.csv")


def test_validating_tells_nothing_that_the_grader_says(
    registry: Registry, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = add(
        tmp_path, "print(list(answers['label'])); raise ValueError(str(list(answers['id'])))"
    )
    assert not validate_isolated(Path(path), "mine", registry).is_valid
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("bytearray(10**13)", "more memory"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
    ],
)
def test_whatever_a_grader_raises_is_told(
    registry: Registry, tmp_path: Path, body: str, says: str
) -> None:
    assert says in what_is_told(add(tmp_path, body), registry)


def what_is_told(path: str, registry: Registry) -> str:
    try:
        error = grade_isolated(path, "mine", registry).error
    except GraderError as raised:
        return str(raised)
    return str(error)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_not_the_graders_fault(
    registry: Registry, tmp_path: Path, content: str
) -> None:
    add(tmp_path, "return submission['label'].mean()")
    empty = tmp_path / "empty.csv"
    empty.write_text(content)
    report = grade_isolated(str(empty), "mine", registry)
    assert report.error
    assert (report.status, report.error["code"]) == ("invalid_submission", "empty_file")
