"""Held-out files whose raw folder is their class share neither dates nor places with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.registry.task import Task
from tests.helpers import BUILT_IN

HELD_OUT = {
    "alaska2-image-steganalysis": "Test",
    "herbarium-2020-fgvc7": "nybg2020/test",
    "herbarium-2021-fgvc8": "test",
    "herbarium-2022-fgvc9": "test_images",
    "hotel-id-2021-fgvc8": "test_images",
    "paddy-disease-classification": "test_images",
    "plant-seedlings-classification": "test",
    "tensorflow-speech-recognition-challenge": "test/audio",
}


@pytest.mark.parametrize("edition", ["v1", "v2"])
@pytest.mark.parametrize("competition_id", HELD_OUT)
def test_held_out_files_are_copies(competition_id: str, edition: str, tmp_path: Path) -> None:
    task = Task(BUILT_IN.folder_of(competition_id), edition)
    raw, public, private = (tmp_path / name for name in ("raw", "public", "private"))
    for folder in (raw, public, private):
        folder.mkdir()
    task.fixture(raw)
    task.prepare(raw, public, private)
    files = [path for path in (public / HELD_OUT[competition_id]).rglob("*") if path.is_file()]
    assert files
    assert all(path.stat().st_nlink == 1 for path in files)
