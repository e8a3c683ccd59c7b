"""Held-out files whose raw folder or name tells a label share neither dates nor places with it.

Whether any other competition links a held-out file under a new name is looked at in
`test_all.py`, which prepares them all from a raw folder of its own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.registry.task import Task
from tests.helpers import BUILT_IN

HELD_OUT = {
    "alaska2-image-steganalysis": "Test/**/*",
    "herbarium-2020-fgvc7": "nybg2020/test/**/*",
    "herbarium-2021-fgvc8": "test/**/*",
    "herbarium-2022-fgvc9": "test_images/**/*",
    "hotel-id-2021-fgvc8": "test_images/**/*",
    "paddy-disease-classification": "test_images/**/*",
    "plant-pathology-2020-fgvc7": "images/Test_*",
    "plant-seedlings-classification": "test/**/*",
    "tensorflow-speech-recognition-challenge": "test/audio/**/*",
}


def prepare_from(raw: Path, competition_id: str, edition: str) -> Path:
    """Made-up data, and the public folder made of them beside the raw one."""
    task = Task(BUILT_IN.folder_of(competition_id), edition)
    public, private = raw.parent / "public", raw.parent / "private"
    for folder in (raw, public, private):
        folder.mkdir()
    task.fixture(raw)
    task.prepare(raw, public, private)
    return public


@pytest.mark.parametrize("edition", ["v1", "v2"])
@pytest.mark.parametrize("competition_id", HELD_OUT)
def test_held_out_files_are_copies(competition_id: str, edition: str, tmp_path: Path) -> None:
    public = prepare_from(tmp_path / "raw", competition_id, edition)
    files = [path for path in public.glob(HELD_OUT[competition_id]) if path.is_file()]
    assert files
    assert all(path.stat().st_nlink == 1 for path in files)


def test_no_second_of_noise_is_heard_in_training_too(tmp_path: Path) -> None:
    public = prepare_from(tmp_path / "raw", "tensorflow-speech-recognition-challenge", "v2")
    train, test = (
        {path.read_bytes() for path in (public / part / "audio").rglob("*.wav")}
        for part in ("train", "test")
    )
    assert test
    assert not train & test
