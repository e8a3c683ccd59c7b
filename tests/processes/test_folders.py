"""A folder serves the next process only if the last one left it as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.processes.folders import FolderSupply
from mlebench.processes.isolation import remove_folder


def test_an_untouched_folder_serves_again(tmp_path: Path) -> None:
    supply = FolderSupply(tmp_path)
    folder = supply.take()
    supply.give_back(folder)
    assert supply.take() == folder


def test_nobody_gets_a_folder_that_somebody_has(tmp_path: Path) -> None:
    supply = FolderSupply(tmp_path)
    assert supply.take() != supply.take()


def replace_by_link(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to(folder.parent)


def make_anew(folder: Path) -> None:
    shutil.rmtree(folder)
    (folder.parent / "in-between").mkdir()
    folder.mkdir(mode=0o700)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "touch",
    [
        lambda folder: (folder / "left.txt").touch(),
        lambda folder: folder.chmod(0o500),
        shutil.rmtree,
        replace_by_link,
        make_anew,
    ],
    ids=["a file", "rights", "removed", "a link", "another one"],
)
def test_a_touched_folder_does_not(
    tmp_path: Path, touch: Callable[[Path], None], late: bool
) -> None:
    """Nor one that is touched only after it was given back."""
    supply = FolderSupply(tmp_path / "all")
    (tmp_path / "all").mkdir()
    folder = supply.take()
    if late:
        supply.give_back(folder)
        touch(folder)
    else:
        touch(folder)
        supply.give_back(folder)
        assert not folder.exists() or folder.is_symlink()
    fresh = supply.take()
    assert fresh != folder
    assert not list(fresh.iterdir())
    (fresh / "can.txt").touch()


def test_clearing_up_follows_no_link(tmp_path: Path) -> None:
    others = tmp_path / "others"
    (others / "below").mkdir(parents=True)
    for path in (others / "below", others):
        path.chmod(0o555)
    link = tmp_path / "link"
    link.symlink_to(others)
    remove_folder(link)
    assert not link.is_symlink()
    assert [path.stat().st_mode & 0o777 for path in (others, others / "below")] == [0o555] * 2
