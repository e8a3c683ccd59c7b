"""Files are there completely or not at all, whoever else writes them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from mlebench.data.checksums import save_checksums
from mlebench.data.leaderboards import import_leaderboards
from mlebench.grading.summary import write_grading_report
from mlebench.registry import Registry
from mlebench.writing import take_name, written_whole
from tests.helpers import add_competition


@pytest.fixture(params=[0o022, 0o077, 0o002])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_the_name_is_taken_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with written_whole(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
        assert partial.parent == path.parent
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write_half() -> None:
        with written_whole(path) as partial:
            partial.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_is_not_taken_for_what_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        take_name(tmp_path / "gone", tmp_path / "file")
    assert not [*tmp_path.iterdir()]


def test_a_name_that_was_reserved_in_vain_is_free_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system without links, where somebody removes the file meanwhile."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    with pytest.raises(FileNotFoundError):
        take_name(tmp_path / "gone", tmp_path / "file")
    assert not [*tmp_path.iterdir()]
    (tmp_path / "partial").write_text("whole")
    assert take_name(tmp_path / "partial", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "whole"


def test_writers_of_the_same_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with written_whole(path) as one, written_whole(path) as other:
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_cannot_meet_another_of_the_same_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a report is a time, so two runs may write the same one."""
    used: list[Path] = []
    write = Path.write_text

    def record(path: Path, *args: str, **kwargs: str) -> int:
        used.append(path)
        return write(path, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", record)
    reports = [write_grading_report([], tmp_path) for _ in range(2)]
    assert len(set(used)) == len(used)
    assert sorted(tmp_path.iterdir()) == sorted(set(reports))
    assert len(set(reports)) == 2


def write_rebuilt(folder: Path) -> Path:
    return Registry(folder).get_competition("spaceship-titanic").leaderboard


def write_imported(folder: Path) -> Path:
    board = folder / "checkout" / "spaceship-titanic" / "leaderboard.csv"
    board.parent.mkdir(parents=True)
    board.write_text("score\n1\n")
    import_leaderboards(Registry(folder / "data"), folder / "checkout")
    return folder / "data" / "spaceship-titanic" / "leaderboard.csv"


def write_sums(folder: Path) -> Path:
    add_competition(folder, "mine")
    competition = Registry(folder / "data", [folder]).get_competition("mine")
    competition.checksums.unlink(missing_ok=True)
    save_checksums(competition, {"public": {}, "private": {}})
    return competition.checksums


def write_report(folder: Path) -> Path:
    return write_grading_report([], folder)


@pytest.mark.parametrize("write", [write_rebuilt, write_imported, write_sums, write_report])
def test_files_have_the_rights_of_new_files(
    write: Callable[[Path], Path], umask: int, tmp_path: Path
) -> None:
    path = write(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert not list(path.parent.glob("*.partial"))


def test_a_rebuilt_leaderboard_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    to_csv = pd.DataFrame.to_csv

    def fill_the_disk(frame: pd.DataFrame, path: Path, **options: bool) -> None:
        if tmp_path not in Path(path).parents:
            return to_csv(frame, path, **options)
        to_csv(frame.head(3), path, **options)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fill_the_disk)
    assert write_rebuilt(tmp_path / "data").is_file()  # outside of the cache
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
