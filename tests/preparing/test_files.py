"""Files are put in place by link, and a missing one is named."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.files import (
    names_by_folder,
    place,
    place_all,
    place_each,
    place_tree,
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name in ("a.png", "b.png"):
        path = tmp_path / "raw" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    return tmp_path / "raw"


def test_placed_file_shares_its_bytes_with_the_source(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "a.png"
    place(source / "a.png", target)
    assert target.samefile(source / "a.png")


def test_existing_target_is_replaced_and_its_old_bytes_kept_elsewhere(
    source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target.png"
    target.write_text("old")
    (tmp_path / "other.png").hardlink_to(target)
    place(source / "a.png", target)
    assert target.read_text() == "a.png"
    assert (tmp_path / "other.png").read_text() == "old"


def test_missing_source_is_named(source: Path, tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match=r"lack the file none\.png"):
        place(source / "none.png", tmp_path / "target.png")


def test_all_files_are_placed(source: Path, tmp_path: Path) -> None:
    place_all(["a.png", "b.png"], source, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.png", "b.png"]


def test_folders_among_the_names_are_made(source: Path, tmp_path: Path) -> None:
    (source / "x" / "y").mkdir(parents=True)
    (source / "x" / "y" / "c.png").write_text("c")
    place_all(["a.png", "x/y/c.png"], source, tmp_path / "out")
    assert (tmp_path / "out" / "x" / "y" / "c.png").read_text() == "c"


def test_each_folder_is_made_once(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{folder}/{number}.png" for folder in ("x", "y") for number in range(50)]
    for name in names:
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).touch()
    (tmp_path / "deep").mkdir()
    made: list[str] = []
    mkdir = os.mkdir
    monkeypatch.setattr(os, "mkdir", lambda path, *rest: made.append(path) or mkdir(path, *rest))
    place_all(names, source, tmp_path / "deep" / "out")
    for number in range(50):
        place(source / f"x/{number}.png", tmp_path / "deep" / "out" / "z" / f"{number}.png")
    assert len(made) == 4
    assert len(list((tmp_path / "deep").rglob("*.png"))) == 150


def test_copies_are_made_where_links_cannot_be(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def refuse(source: str, target: str, **places: int) -> None:
        if places or Path(target).parent.is_dir():
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        link(source, target)

    monkeypatch.setattr(os, "link", refuse)
    place_all(["a.png", "b.png"], source, tmp_path / "out")
    place(source / "a.png", tmp_path / "new" / "a.png")
    assert (tmp_path / "out" / "b.png").read_text() == "b.png"
    assert not (tmp_path / "new" / "a.png").samefile(source / "a.png")


def test_placing_nothing_still_makes_the_folder(source: Path, tmp_path: Path) -> None:
    place_all([], source, tmp_path / "out")
    assert (tmp_path / "out").is_dir()


@pytest.mark.parametrize("is_relative", [False, True])
def test_the_file_behind_a_symbolic_link_is_placed(
    is_relative: bool, source: Path, tmp_path: Path
) -> None:
    (source / "link.png").symlink_to("a.png" if is_relative else source / "a.png")
    place(source / "link.png", tmp_path / "out" / "c.png")
    place_all(["link.png"], source, tmp_path / "out" / "deeper")
    for placed in (tmp_path / "out" / "c.png", tmp_path / "out" / "deeper" / "link.png"):
        assert not placed.is_symlink()
        assert placed.samefile(source / "a.png")


def test_a_dangling_link_is_a_missing_file(source: Path, tmp_path: Path) -> None:
    (source / "link.png").symlink_to("nowhere.png")
    with pytest.raises(DataSourceError, match=r"lack the file link\.png"):
        place(source / "link.png", tmp_path / "target.png")


def test_a_tree_is_placed_but_for_what_is_left_out(source: Path, tmp_path: Path) -> None:
    (source / "deep").mkdir()
    (source / "deep" / "c.png").write_text("c")
    (source / "deep" / "labels.csv").write_text("secret")
    place_tree(source, tmp_path / "target", leave_out=("b.png", "labels.csv"))
    placed = {path.relative_to(tmp_path / "target") for path in (tmp_path / "target").rglob("*.*")}
    assert placed == {Path("a.png"), Path("deep/c.png")}
    assert (tmp_path / "target" / "a.png").samefile(source / "a.png")


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match="lack the folder train"):
        place_tree(tmp_path / "train", tmp_path / "target")


def test_files_get_names_of_their_own(source: Path, tmp_path: Path) -> None:
    place_each(
        [(source / "a.png", tmp_path / "x" / "1.png"), (source / "b.png", tmp_path / "2.png")]
    )
    assert (tmp_path / "x" / "1.png").samefile(source / "a.png")
    assert (tmp_path / "2.png").samefile(source / "b.png")


def test_files_are_named_folder_by_folder_in_sorted_order(tmp_path: Path) -> None:
    for name in ("b/2.png", "b/10.png", "b/note.txt", "B/1.png", "a c/0.png", "d.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert names_by_folder(tmp_path, ".png") == [
        ("B", "1.png"),
        ("a c", "0.png"),
        ("b", "10.png"),
        ("b", "2.png"),
    ]


def test_a_missing_folder_of_folders_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match="lack the folder none"):
        names_by_folder(tmp_path / "none", ".png")
