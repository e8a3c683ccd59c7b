"""Freesound: the answers lie outside the contest's files, and whoever lacks them is told where."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.registry.task import Task
from tests.helpers import BUILT_IN

ARCHIVE = "FSDKaggle2019.meta.zip"


def test_lacking_answers_are_told_where_to_get(tmp_path: Path) -> None:
    task = Task(BUILT_IN.folder_of("freesound-audio-tagging-2019"))
    raw, public, private = (tmp_path / part for part in ("raw", "public", "private"))
    for folder in (raw, public, private):
        folder.mkdir()
    task.fixture(raw)
    (raw / ARCHIVE).unlink()
    with pytest.raises(DataSourceError, match="record https://zenodo") as caught:
        task.prepare(raw, public, private)
    assert ARCHIVE in str(caught.value)
