"""Simple answers where nothing is learned in rows: each is better than the sample."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mlebench.grading.validation import validate
from tests.agents.automl.conftest import Room
from tests.conftest import Prepared

MEMORY = 1_000_000_000
Module = Callable[[str], ModuleType]


@pytest.mark.parametrize(
    ("family", "competition_id"),
    [
        ("spans", "tweet-sentiment-extraction"),
        ("spans", "chaii-hindi-and-tamil-question-answering"),
        ("spans", "text-normalization-challenge-russian-language"),
        ("words", "bms-molecular-translation"),
        ("words", "multi-modal-gesture-recognition"),
        ("lists", "h-and-m-personalized-fashion-recommendations"),
        ("orders", "AI4Code"),
        ("masks", "tgs-salt-identification-challenge"),
        ("masks", "uw-madison-gi-tract-image-segmentation"),
        ("masks", "google-research-identify-contrails-reduce-global-warming"),
        ("pixels", "denoising-dirty-documents"),
        ("series", "osic-pulmonary-fibrosis-progression"),
        ("paths", "smartphone-decimeter-2022"),
    ],
)
def test_an_answer_is_valid_and_better_than_the_sample(
    family: str, competition_id: str, module: Module, prepared: Prepared, tmp_path: Path
) -> None:
    competition = prepared(competition_id)
    look = module("odd.looking").look_at(competition.public_dir, MEMORY)
    answers = list(module(f"odd.{family}").answers(look))
    best = max(answers, key=lambda answer: answer.score)
    assert best.score > best.usual
    best.table.to_csv(tmp_path / "submission.csv", index=False)
    found = validate(tmp_path / "submission.csv", competition)
    assert found.is_valid, found.result


@pytest.mark.parametrize("competition_id", ["spaceship-titanic", "spooky-author-identification"])
def test_nothing_odd_is_said_of_rows(
    competition_id: str, module: Module, prepared: Prepared
) -> None:
    look = module("odd.looking").look_at(prepared(competition_id).public_dir, MEMORY)
    for family in module("odd.trying").FAMILIES.values():
        assert list(family(look)) == []


def test_masks_are_written_as_they_are_read(module: Module) -> None:
    masks = module("odd.masks")
    mask = np.array([0, 1, 1, 0, 0, 1], dtype=bool)
    assert masks.encoded(mask) == "2 2 6 1"
    assert (masks.decoded("2 2 6 1", 6) == mask).all()
    assert masks.encoded(mask & False) == ""


def test_a_packed_sample_is_submitted_unpacked(room: Room, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    text = "id,y\r\n007,0.5\r\n"
    with zipfile.ZipFile(data / "sample_submission.csv.zip", "w") as archive:
        archive.writestr("sample_submission.csv", text)
    room.run(data)
    assert room.submission.read_bytes().decode() == text


def test_without_a_sample_the_rows_to_predict_are_submitted(room: Room, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    text = '"id","sentence"\n1,"one word is here"\n'
    with zipfile.ZipFile(data / "test.txt.zip", "w") as archive:
        archive.writestr("test.txt", text)
    room.run(data)
    assert room.submission.read_text() == text


def test_files_that_nobody_can_read_leave_the_sample(room: Room, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "sample_submission.csv").write_text("id,y\n1,0\n")
    (data / "train.csv").write_bytes(b"\xff\xfe\x00")
    (data / "test.json").write_text("[1, {")
    room.run(data)
    assert room.submission.read_text() == "id,y\n1,0\n"
    assert "end" in room.journal
