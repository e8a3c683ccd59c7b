"""Copies of a submission: what an agent does to the file costs neither memory nor disk."""

from __future__ import annotations

import hashlib
import os
import tracemalloc
from pathlib import Path

import pytest

from mlebench.runs.snapshots import Snapshots


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    (tmp_path / "submission").mkdir()
    return tmp_path / "submission" / "submission.csv"


@pytest.fixture
def snapshots(submission: Path, tmp_path: Path) -> Snapshots:
    return Snapshots(submission.parent, tmp_path / "snapshots", 50_000_000)


def kept(snapshots: Snapshots, folder: Path) -> list[bytes]:
    """What there is in the folder, which is all that is told about."""
    assert sorted(path.name for path in folder.iterdir()) == [one.name for one in snapshots.taken]
    return [(folder / one.name).read_bytes() for one in snapshots.taken]


def test_each_state_is_kept_once(submission: Path, snapshots: Snapshots, tmp_path: Path) -> None:
    for content in (b"id\n1\n", b"id\n2\n", b"id\n2\n", b"id\n1\n"):
        submission.write_bytes(content)
        snapshots.look()
        snapshots.look()
    assert kept(snapshots, tmp_path / "snapshots") == [b"id\n1\n", b"id\n2\n", b"id\n1\n"]
    assert snapshots.taken[0].sha256 == hashlib.sha256(b"id\n1\n").hexdigest()
    assert snapshots.taken[0].size == 5


def test_a_file_with_holes_is_not_copied(
    submission: Path, snapshots: Snapshots, tmp_path: Path
) -> None:
    submission.touch()
    os.truncate(submission, 40_000_000)
    snapshots.look()
    assert snapshots.taken == []
    submission.write_bytes(b"id\n1\n")
    snapshots.look()
    assert kept(snapshots, tmp_path / "snapshots") == [b"id\n1\n"]


def test_a_long_file_takes_no_memory(
    submission: Path, snapshots: Snapshots, tmp_path: Path
) -> None:
    submission.write_bytes(b"1,2\n" * 10_000_000)
    tracemalloc.start()
    try:
        snapshots.look()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [one.size for one in snapshots.taken] == [40_000_000]
    assert most < 10_000_000


def test_no_more_than_the_limit_is_copied(submission: Path, snapshots: Snapshots) -> None:
    submission.write_bytes(b"1,2\n" * 13_000_000)
    snapshots.look()
    assert snapshots.taken == []
