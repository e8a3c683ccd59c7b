"""Files are put in place by link, and a missing one is named."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import open_tar, open_zip, pack
from mlebench.preparing.bounds import bounded
from mlebench.preparing.files import (
    copy_each,
    names_by_folder,
    place,
    place_all,
    place_each,
    place_tree,
)
from mlebench.preparing.tables import read_array, read_csv, read_json, read_json_table, read_text


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
        (source / name).write_text(name)
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


def test_links_in_a_tree_become_what_they_stand_for(source: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "c.png").write_text("c")
    (source / "folder").symlink_to(tmp_path / "elsewhere")
    (source / "file.png").symlink_to(tmp_path / "elsewhere" / "c.png")
    place_tree(source, tmp_path / "out")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_symlink()]
    for name in ("folder/c.png", "file.png"):
        assert (tmp_path / "out" / name).samefile(tmp_path / "elsewhere" / "c.png")


@pytest.mark.parametrize("aim", [".", "..", "../deep"])
def test_links_in_circles_end_in_a_message(aim: str, source: Path, tmp_path: Path) -> None:
    (source / "deep").mkdir()
    (source / "deep" / "loop").symlink_to(aim)
    with pytest.raises(DataSourceError, match=r"deep/loop leads back to a folder"):
        place_tree(source, tmp_path / "out")


@pytest.mark.parametrize("aim", ["loop", "nowhere.png"])
def test_a_link_to_nothing_in_a_tree_is_a_missing_file(
    aim: str, source: Path, tmp_path: Path
) -> None:
    (source / "loop").symlink_to(aim)
    for place_it in (
        lambda: place_tree(source, tmp_path / "out"),
        lambda: place_all(["loop"], source, tmp_path / "out"),
        lambda: copy_each([(source / "loop", tmp_path / "out" / "x")]),
    ):
        with pytest.raises(DataSourceError, match=r"lack the file loop .* leads nowhere"):
            place_it()


def test_a_tree_is_not_placed_inside_itself(source: Path) -> None:
    with pytest.raises(DataSourceError, match="which lies in it"):
        place_tree(source, source / "out" / "deep")
    assert not (source / "out").exists()


@pytest.mark.parametrize("put", [place, lambda old, new: copy_each([(old, new)])])
def test_a_file_that_is_there_already_is_not_harmed(
    put: Callable[[Path, Path], None], source: Path
) -> None:
    (source / "link.png").hardlink_to(source / "a.png")
    for target in ("a.png", "link.png"):
        put(source / "a.png", source / target)
    assert (source / "a.png").read_text() == "a.png"
    assert (source / "link.png").read_text() == "a.png"
    assert sorted(path.name for path in source.iterdir()) == ["a.png", "b.png", "link.png"]


def test_placing_again_changes_nothing(source: Path, tmp_path: Path) -> None:
    for _ in range(2):
        place_all(["a.png"], source, tmp_path / "out")
        place_tree(source, tmp_path / "tree")
    assert (tmp_path / "out" / "a.png").samefile(source / "a.png")
    assert (tmp_path / "tree" / "a.png").samefile(source / "a.png")


def test_what_is_no_file_is_refused(source: Path, tmp_path: Path) -> None:
    os.mkfifo(source / "pipe")
    (source / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(DataSourceError, match=name):
            place_all([name], source, tmp_path / "out")
        with pytest.raises(DataSourceError, match=name):
            place(source / name, tmp_path / "new" / name)
        assert list(tmp_path.glob(f"*/{name}")) == [source / name]


def test_an_empty_file_that_is_placed_by_its_name_is_refused(source: Path, tmp_path: Path) -> None:
    (source / "table.csv").touch()
    with pytest.raises(DataSourceError, match=r"table\.csv is empty"):
        place(source / "table.csv", tmp_path / "out" / "table.csv")
    place_all(["table.csv"], source, tmp_path / "out")


def test_files_of_others_that_cannot_be_made_read_only_are_copied(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chmod = os.chmod

    def refuse(path: str, mode: int, **options: int) -> None:
        if not str(path).endswith(".partial"):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        chmod(path, mode)

    monkeypatch.setattr(os, "chmod", refuse)
    place_all(["a.png"], source, tmp_path / "out")
    place(source / "b.png", tmp_path / "out" / "b.png")
    for name in ("a.png", "b.png"):
        assert (tmp_path / "out" / name).read_text() == name
        assert not (tmp_path / "out" / name).samefile(source / name)
        assert (source / name).stat().st_mode & 0o200


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


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Raw data of things that can be read for ever, or never, each as it is and as a link."""
    folder = tmp_path / "endless"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "link to a pipe").symlink_to(folder / "pipe")
    (folder / "link to a device").symlink_to("/dev/zero")
    return folder


ENDLESS = ("pipe", "link to a pipe", "link to a device")


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("read", [read_csv, read_text, read_json, read_array, read_json_table])
def test_what_has_no_end_is_not_read(
    name: str, read: Callable[[Path], object], endless: Path
) -> None:
    with pytest.raises(DataSourceError, match=f"{name} should be .*, but is no file"):
        read(endless / name)


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_not_placed(name: str, endless: Path, tmp_path: Path) -> None:
    raw, public = tmp_path / "raw", tmp_path / "public"
    (raw / "media").mkdir(parents=True)
    (endless / name).rename(raw / "media" / name)
    public.mkdir()
    with bounded(raw, public, tmp_path / "private", tmp_path / "own"):
        for place_it in (
            lambda: place_tree(raw / "media", public / "media"),
            lambda: place(raw / "media" / name, public / name),
            lambda: copy_each([(raw / "media" / name, public / name)]),
            lambda: pack(public / "media.zip", {name: raw / "media" / name}),
        ):
            with pytest.raises(DataSourceError, match="no file"):
                place_it()
    assert not [path for path in public.rglob("*") if path.name == name]


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_no_archive(name: str, endless: Path) -> None:
    for opened in (open_zip, open_tar):
        with pytest.raises(DataSourceError, match="no file"), opened(endless / name):
            pass
