"""Something keeps new data from taking the place of old ones; the old ones count as before."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.data import moving, publishing
from mlebench.data.inspecting import inspect
from mlebench.data.inventory import holding, remove_parts
from mlebench.data.layout import HIDDEN, MANIFEST_FILE, PUBLISHING_FILE
from mlebench.data.manifest import find_gap, read_manifest
from mlebench.data.many import prepare_one
from mlebench.data.prepare import prepare
from mlebench.errors import DataSourceError, UnwritableFolderError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared
from tests.data.test_removed_meanwhile import interrupt
from tests.helpers import file_digests
from tests.rights import as_ordinary_user


def hidden_folders(competition: Competition) -> list[Path]:
    parts = (competition.public_dir, competition.private_dir)
    return [path for part in parts for name in HIDDEN if (path := part / name).exists()]


def command(competition: Competition, *words: str) -> list[str]:
    """A command about a competition, for which the rights of files count."""
    where = ["--data-dir", str(competition.data_dir.parent)]
    whose = ["--competitions-dir", str(competition.folder.parent)]
    return as_ordinary_user(sys.executable, "-m", "mlebench", *words, *where, *whose)


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("moved", range(1, 12))
def test_what_cannot_be_moved_leaves_the_old_data(
    moved: int, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the steps it is that fails, for good, after the point of no return."""
    prepare(mine, raw)
    before = file_digests(mine.prepared_dir)
    rename, left, stuck = Path.rename, moved, ""

    def refuse(path: Path, target: Path) -> Path:
        nonlocal left, stuck
        if (mine.prepared_dir / PUBLISHING_FILE).exists():
            left -= 1
            if not left:
                stuck = str(path)
            if str(path) == stuck:
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        with pytest.raises(UnwritableFolderError, match="are as they were") as caught:
            prepare(mine, raw, force=True)
    assert stuck in str(caught.value)
    assert file_digests(mine.prepared_dir) == before
    assert_prepared(mine, "local")
    assert prepare(mine, raw, force=True)
    assert_prepared(mine, "local")


def test_a_mount_among_the_data_is_told_before_anything_moves(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    mounted = mine.public_dir / "mounted"
    monkeypatch.setattr(publishing, "mounts_in", lambda folder: [mounted])
    with pytest.raises(UnwritableFolderError, match=f"{mounted} cannot make room"):
        prepare(mine, raw, force=True)
    assert_prepared(mine, "local")
    assert not hidden_folders(mine)


def test_mounts_below_a_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "mountinfo"
    inside, odd = tmp_path / "public" / "a" / "b", tmp_path / "public" / "c\\040d"
    table.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:5 / {inside} rw - tmpfs none rw\n"
        f"3 1 0:6 / {odd} rw - tmpfs none rw\n4 1 0:7 / {tmp_path}/publicity rw - tmpfs none rw\n"
    )
    monkeypatch.setattr(moving, "MOUNTS", table)
    assert moving.mounts_in(tmp_path / "public") == [inside, tmp_path / "public" / "c d"]


@pytest.mark.parametrize("place", ["media", "media/deeper"])
def test_folders_that_may_not_be_written_are_replaced_and_removed(
    place: str, mine: Competition, raw: Path
) -> None:
    prepare(mine, raw)
    closed = mine.public_dir / place
    words = (["prepare", "mine", "--from", str(raw), "--force"], ["data", "remove", "mine", "-y"])
    for action in (words[0], [*words[1], "--prepared"]):
        closed.mkdir(parents=True)
        (closed / "picture").touch()
        closed.chmod(0o555)
        outcome = run(command(mine, *action))
        assert (outcome.returncode, outcome.stderr.count("error")) == (0, 0)
        assert not closed.exists()
    assert not mine.prepared_dir.exists()


def test_what_cannot_be_removed_is_named_in_full(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    unlink = os.unlink

    def refuse(path: str, *, dir_fd: int | None = None) -> None:
        if str(path).endswith("train.csv"):
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), path)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refuse)
    with pytest.raises(DataSourceError, match=f"{mine.data_dir}.*/public/train.csv cannot be"):
        remove_parts(mine, ["prepared"])


@pytest.mark.parametrize("content", [b"", b"no manifest", b"{}", b"[1]", b"\xff"])
def test_what_only_looks_like_a_marker_replaces_no_manifest(
    content: bytes, mine: Competition, raw: Path
) -> None:
    prepare(mine, raw)
    known = read_manifest(mine)
    (mine.prepared_dir / PUBLISHING_FILE).write_bytes(content)
    assert holding(mine).status == "prepared"
    assert read_manifest(mine) == known
    assert inspect(mine).status == "unchanged"
    assert_prepared(mine, "local")


def test_a_folder_in_the_place_of_the_manifest_is_no_reason_to_fail(
    mine: Competition, raw: Path
) -> None:
    prepare(mine, raw)
    (mine.prepared_dir / MANIFEST_FILE).unlink()
    (mine.prepared_dir / MANIFEST_FILE).mkdir()
    (mine.prepared_dir / MANIFEST_FILE / "mine.txt").write_text("precious")
    assert prepare(mine, raw, force=True)
    assert_prepared(mine, "local")
    assert [path.read_text() for path in mine.data_dir.glob("set-aside-*/**/mine.txt")] == [
        "precious"
    ]


def refuse_private(path: Path, target: Path) -> Path:
    """Rename, but for a disk of answers that is read-only."""
    if target.parent.name == "private":
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path), None, str(target))
    return path.replace(target)


def test_nothing_hidden_stays_among_the_data_after_an_error(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse_private)
        with pytest.raises(OSError, match="Read-only"):
            prepare(mine, raw, force=True)
    assert not hidden_folders(mine)
    assert_prepared(mine, "local")


def test_hidden_folders_are_removed_whenever_they_are_met(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_make_way", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, raw, force=True)
    assert hidden_folders(mine)
    assert inspect(mine).status == "unchanged"
    assert prepare(mine, raw) is False
    assert not hidden_folders(mine)
    assert prepare(mine, raw, force=True)  # goes on with what was taken back
    assert_prepared(mine, "local")


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("prepared/public", "a file"),
        ("prepared/public", "a link that leads nowhere"),
        ("prepared", "a file"),
        ("prepared", "a link that leads nowhere"),
        (".staging-v1", "a file"),
    ],
)
def test_what_is_in_the_way_is_named(place: str, says: str, mine: Competition, raw: Path) -> None:
    path = mine.data_dir / place
    path.parent.mkdir(parents=True)
    if says == "a file":
        path.write_text("in the way")
    else:
        path.symlink_to("nowhere")
    registry = Registry(mine.data_dir.parent, [mine.folder.parent])
    with pytest.raises(UnwritableFolderError, match=f"{path} cannot be written: it is {says}"):
        prepare_one("mine", registry, raw)


def test_stages_may_be_mounted(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder stays, and nothing can be renamed out of it."""
    folder = mine.data_dir / ".staging-v1"
    folder.mkdir(parents=True)
    rmdir, rename = os.rmdir, Path.rename

    def keep(path: str, *, dir_fd: int | None = None) -> None:
        if path == folder or Path(path) == folder:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))
        rmdir(path, dir_fd=dir_fd)

    def refuse(path: Path, target: Path) -> Path:
        if path.is_relative_to(folder) and not target.is_relative_to(folder):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path), None, str(target))
        return rename(path, target)

    monkeypatch.setattr(os, "rmdir", keep)
    monkeypatch.setattr(Path, "rename", refuse)
    prepare(mine, raw)
    assert find_gap(mine) is None
    assert not hidden_folders(mine)
