"""A file that was written anew is noticed, whatever its writer does to hide it."""

from __future__ import annotations

import os
from pathlib import Path

from mlebench.registry.leaderboard import Leaderboard
from mlebench.stamps import file_stamp


def test_a_file_written_in_place_with_its_old_time_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("score\n0.9\n0.8\n")
    before, status = file_stamp(path), path.stat()
    assert Leaderboard.from_csv(path).scores.tolist() == [0.9, 0.8]
    path.write_text("score\n0.7\n0.6\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file_stamp(path) != before
    assert Leaderboard.from_csv(path).scores.tolist() == [0.7, 0.6]


def test_a_kept_leaderboard_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("score\n0.9\n0.8\n")
    assert not Leaderboard.from_csv(path).scores.flags.writeable
