"""Answers that are damaged: the operator learns of it, the participant nothing about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from mlebench.errors import DamagedAnswersError, GraderError, MlebenchError
from mlebench.grading.report import GRADED_STATUSES
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import VALID_MESSAGE, Verdict, validate
from mlebench.registry.competition import Competition
from tests.competitions.answers import orders, public_names, with_labels
from tests.conftest import Prepared
from tests.helpers import MINI_IDS, READY_IDS

SECRET = "s3cr3t-label"

every_competition = pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
every_edition = pytest.mark.parametrize("edition", ["v1", "v2"])


def secret(competition: Competition, folder: Path) -> Path:
    return with_labels(competition, lambda labels: [SECRET] * len(labels), folder)


def secret_and_empty(competition: Competition, folder: Path) -> Path:
    half = [SECRET, ""]
    return with_labels(competition, lambda labels: (half * len(labels))[: len(labels)], folder)


def without_labels(competition: Competition, folder: Path) -> Path:
    copy = folder / competition.answers.name
    public = public_names(competition)
    if copy.suffix == ".jsonl":
        records = [json.loads(line) for line in competition.answers.read_text().splitlines()]
        kept = [{name: record[name] for name in record.keys() & public} for record in records]
        copy.write_text("".join(json.dumps(record) + "\n" for record in kept))
    else:
        table = pd.read_csv(competition.answers, dtype=str, keep_default_na=False)
        table[[name for name in table.columns if name in public]].to_csv(copy, index=False)
    return copy


def of_another_encoding(competition: Competition, folder: Path) -> Path:
    copy = secret(competition, folder)
    copy.write_bytes(copy.read_bytes().replace(SECRET.encode(), SECRET.encode() + b"\xff\xfe"))
    return copy


def of_two_byte_characters(competition: Competition, folder: Path) -> Path:
    copy = secret(competition, folder)
    copy.write_bytes(copy.read_text(encoding="utf-8").encode("utf-16"))
    return copy


def with_an_open_quote(competition: Competition, folder: Path) -> Path:
    copy = secret(competition, folder)
    copy.write_bytes(copy.read_bytes() + b'"' + SECRET.encode())
    return copy


def with_ragged_rows(competition: Competition, folder: Path) -> Path:
    copy = secret(competition, folder)
    copy.write_bytes(copy.read_bytes() + b",".join([SECRET.encode()] * 500) + b"\n")
    return copy


def empty(competition: Competition, folder: Path) -> Path:
    copy = folder / competition.answers.name
    copy.touch()
    return copy


def without_rows(competition: Competition, folder: Path) -> Path:
    copy = folder / competition.answers.name
    header = competition.answers.read_bytes().partition(b"\n")[0] + b"\n"
    copy.write_bytes(b"" if copy.suffix == ".jsonl" else header)
    return copy


# Scoring may still make sense of labels that are merely wrong, where they are words.
LABELS = (secret, secret_and_empty, without_labels)
# No part of these can be trusted, so that validation fails as well.
FILES = (of_two_byte_characters, with_an_open_quote, with_ragged_rows, empty, without_rows)

VALID = Verdict(True, VALID_MESSAGE)

Damage = Callable[[Competition, Path], Path]


def outcome(competition: Competition) -> str:
    """What grading says about a good submission."""
    try:
        report = grade_csv(competition.sample_submission, competition)
    except (DamagedAnswersError, GraderError) as error:
        return str(error)
    assert report.status in GRADED_STATUSES | {"grader_error"}
    return str(report.to_dict())


def verdict(competition: Competition, submitted: Path) -> Verdict | str:
    """What validation says; it may need the labels' file to be whole, but no label."""
    try:
        return validate(submitted, competition)
    except DamagedAnswersError as error:
        return str(error)


@every_edition
@pytest.mark.parametrize("damage", LABELS)
@every_competition
def test_damaged_labels_are_never_quoted_nor_the_submission_blamed(
    competition_id: str, edition: str, damage: Damage, prepared: Prepared, tmp_path: Path
) -> None:
    intact = prepared(competition_id, edition)
    damaged = replace(intact, answers=damage(intact, tmp_path))
    assert SECRET not in outcome(damaged)
    if orders(intact):
        return  # the items, which everybody may know, are gone with the labels
    if damage is not without_labels or intact.answers.suffix == ".csv":
        assert verdict(damaged, intact.sample_submission) == VALID


@every_edition
@every_competition
def test_missing_labels_cannot_be_graded(
    competition_id: str, edition: str, prepared: Prepared, tmp_path: Path
) -> None:
    intact = prepared(competition_id, edition)
    damaged = replace(intact, answers=without_labels(intact, tmp_path))
    task = damaged.task
    assert task is not None
    with pytest.raises((DamagedAnswersError, GraderError)):
        task.grade(*task.read(intact.sample_submission, damaged.answers))


@every_competition
def test_labels_that_are_not_utf8_are_told_to_be_damaged(
    competition_id: str, prepared: Prepared, tmp_path: Path
) -> None:
    intact = prepared(competition_id)
    damaged = replace(intact, answers=of_another_encoding(intact, tmp_path))
    with pytest.raises(DamagedAnswersError, match=competition_id) as caught:
        grade_csv(intact.sample_submission, damaged)
    assert SECRET not in str(caught.value)
    assert SECRET not in str(verdict(damaged, intact.sample_submission))


@pytest.mark.parametrize("damage", FILES)
@every_competition
def test_damaged_files_are_told_to_be_damaged(
    competition_id: str, damage: Damage, prepared: Prepared, tmp_path: Path
) -> None:
    intact = prepared(competition_id)
    damaged = replace(intact, answers=damage(intact, tmp_path))
    for judge in (grade_csv, validate):
        with pytest.raises(DamagedAnswersError) as caught:
            judge(intact.sample_submission, damaged)
        assert competition_id in str(caught.value)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.999])
@every_competition
def test_answers_that_are_cut_off_are_told_to_be_damaged(
    competition_id: str, share: float, prepared: Prepared, tmp_path: Path
) -> None:
    intact = prepared(competition_id)
    folder = tmp_path / "prepared"
    for source in (intact.public_dir.parent / "prepared.json", intact.answers):
        copy = folder / source.relative_to(intact.public_dir.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    moved = replace(
        intact,
        answers=folder / "private" / intact.answers.name,
        private_dir=folder / "private",
        public_dir=folder / "public",
    )
    assert grade_csv(intact.sample_submission, moved).status in GRADED_STATUSES
    content = moved.answers.read_bytes()
    moved.answers.write_bytes(content[: int(len(content) * share)])
    for judge in (grade_csv, validate):
        with pytest.raises(MlebenchError, match="cut off") as caught:
            judge(intact.sample_submission, moved)
        assert isinstance(caught.value, DamagedAnswersError)
