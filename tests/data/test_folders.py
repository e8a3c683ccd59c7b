"""What keeps results from going to a folder is said in words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mlebench.data import folders
from mlebench.data.folders import has_files, link_tree, written_folder
from mlebench.errors import UnwritableFolderError


def test_a_full_disk(tmp_path: Path) -> None:
    with (
        pytest.raises(UnwritableFolderError, match=r"no room left .* --output-dir"),
        written_folder(tmp_path, "--output-dir"),
        Path("/dev/full").open("wb", buffering=0) as full,
    ):
        full.write(b"x")


@pytest.mark.parametrize(
    ("number", "says"), [(errno.EROFS, "read-only"), (errno.EACCES, "no right to write")]
)
def test_a_folder_that_may_not_be_written(number: int, says: str, tmp_path: Path) -> None:
    with pytest.raises(UnwritableFolderError, match=says), written_folder(tmp_path, "--data-dir"):
        raise OSError(number, "no", str(tmp_path / "file"))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    nowhere = Path("/proc/x")
    with (
        pytest.raises(UnwritableFolderError, match=r"/proc/x .* none can be made.*--runs-dir"),
        written_folder(nowhere, "--runs-dir"),
    ):
        nowhere.mkdir(parents=True)


def test_a_file_that_is_not_there_is_not_blamed_on_its_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_folder(tmp_path, "--runs-dir"):
        (tmp_path / "file").read_text()


def test_what_is_wrong_elsewhere_is_not_blamed_on_the_folder(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), written_folder(tmp_path / "out", "--output-dir"):
        raise PermissionError(errno.EACCES, "no", str(tmp_path / "submissions"))


def test_a_disk_that_is_full_elsewhere_is_not_blamed_on_the_folder(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full"), written_folder(tmp_path / "out", "--output-dir"):
        raise OSError(errno.ENOSPC, "full", str(tmp_path / "elsewhere" / "file"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_without_links_that_is_full(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "from" / "deep").mkdir(parents=True)
    (tmp_path / "from" / "deep" / "file").touch()

    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links")

    def no_room(source: str, place: str, **_: object) -> None:
        raise OSError(number, os.strerror(number), place)

    monkeypatch.setattr(folders.os, "link", no_links)
    monkeypatch.setattr(folders.shutil, "copy2", no_room)
    with (
        pytest.raises(UnwritableFolderError, match="no room left"),
        written_folder(tmp_path, "--data-dir"),
    ):
        link_tree(tmp_path / "from", tmp_path / "to")


def test_whether_there_are_files_is_known_from_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    names = ("", "empty", "circle", "nowhere")

    def list_all(_: object) -> list[str]:
        raise AssertionError("there may be millions")

    monkeypatch.setattr(os, "listdir", list_all)
    assert [has_files(tmp_path / name) for name in names] == [True, False, False, False]
