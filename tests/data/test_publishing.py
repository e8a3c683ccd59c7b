"""Finished data are put into folders that may exist already and be in use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.data.layout import LOCK_FILE, PUBLISHING_FILE
from mlebench.data.locks import exclusive
from mlebench.data.manifest import data_source, find_gap
from mlebench.data.prepare import prepare
from mlebench.errors import NotPreparedError
from mlebench.grading.single import grade_csv
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared
from tests.helpers import file_digests


def inodes(competition: Competition) -> list[int]:
    folders = (competition.prepared_dir, competition.public_dir, competition.private_dir)
    return [folder.stat().st_ino for folder in folders]


def test_folders_made_beforehand_are_filled(mine: Competition, raw: Path) -> None:
    """inspect_evals makes and mounts the folders first and prepares afterwards."""
    mine.public_dir.mkdir(parents=True)
    mine.private_dir.mkdir()
    before = inodes(mine)
    assert prepare(mine, raw)
    assert inodes(mine) == before
    assert_prepared(mine, "local")


@pytest.mark.parametrize("missing", ["public", "private"])
def test_one_of_the_folders_may_be_missing(missing: str, mine: Competition, raw: Path) -> None:
    (mine.prepared_dir / ({"public", "private"} - {missing}).pop()).mkdir(parents=True)
    prepare(mine, raw)
    assert_prepared(mine, "local")


def test_preparing_again_replaces_the_content_only(mine: Competition, raw: Path) -> None:
    prepare(mine, raw)
    expected = file_digests(mine.prepared_dir / "public")
    (mine.public_dir / "old folder").mkdir()
    (mine.public_dir / "old folder" / "old file").touch()
    (mine.private_dir / "old link").symlink_to("nowhere")
    (mine.prepared_dir / "notes.txt").write_text("precious")
    before = inodes(mine)
    prepare(mine, raw, force=True)
    assert inodes(mine) == before
    assert file_digests(mine.public_dir) == expected
    assert [path.name for path in mine.private_dir.iterdir()] == ["test.csv"]
    assert (mine.prepared_dir / "notes.txt").is_file()
    assert_prepared(mine, "local")


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder from which nothing can be renamed into the test's own."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is only one disk")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_folders_on_another_disk_are_filled(mine: Competition, raw: Path, other_disk: Path) -> None:
    prepare(mine, raw)
    expected = file_digests(mine.prepared_dir / "public")
    for folder in (mine.public_dir, mine.private_dir):
        target = other_disk / folder.name
        (target / "old folder").mkdir(parents=True)
        (target / "old link").symlink_to("old folder")
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.symlink_to(target)
    prepare(mine, raw, force=True)
    assert file_digests(other_disk / "public") == expected
    assert mine.public_dir.is_symlink()
    assert_prepared(mine, "local")


def test_data_that_are_being_moved_count_as_not_prepared(mine: Competition, raw: Path) -> None:
    prepare(mine, raw)
    manifest = mine.prepared_dir / "prepared.json"
    (mine.prepared_dir / PUBLISHING_FILE).write_bytes(manifest.read_bytes())
    with exclusive(mine.data_dir / LOCK_FILE):
        with pytest.raises(NotPreparedError, match="interrupted"):
            grade_csv(mine.sample_submission, mine)
        assert find_gap(mine, grading_only=True) is not None


@pytest.mark.parametrize("changes", range(1, 12))
def test_whoever_meets_half_moved_data_finishes_the_move(
    changes: int, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the folder that they came from, and without preparing anything."""
    prepare(mine, fixture=True)
    (mine.public_dir / "old folder").mkdir()
    expected = {"sample_submission.csv", "test.csv", "train.csv", "description.md"}
    left = changes
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        nonlocal left
        if target.parent.parent == mine.prepared_dir or path.parent.parent == mine.prepared_dir:
            left -= 1
            if not left:
                raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interrupted)
        try:
            prepare(mine, raw, force=True)
        except KeyboardInterrupt:
            has_marker = (mine.prepared_dir / PUBLISHING_FILE).exists()
        else:
            has_marker = False
    assert find_gap(mine) is None
    if has_marker:
        assert {path.name for path in mine.public_dir.iterdir()} == expected
        assert data_source(mine) == "local"
    assert grade_csv(mine.sample_submission, mine).score is not None


def test_tables_and_manifest_are_flushed_before_the_data_count(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    fsync = os.fsync

    def record(handle: int) -> None:
        flushed.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", record)
    mine.public_dir.mkdir(parents=True)
    prepare(mine, raw)
    tables = {"train.csv", "test.csv", "sample_submission.csv", "prepared.json"}
    assert tables | {"public", "private", "prepared"} <= set(flushed)
