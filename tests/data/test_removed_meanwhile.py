"""What others do between an interrupted preparation and the next one, and to whom files belong."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from mlebench.data import locks, pipeline, publishing
from mlebench.data.inventory import remove_parts
from mlebench.data.locks import exclusive
from mlebench.data.outlook import look_ahead
from mlebench.data.prepare import prepare
from mlebench.errors import BusyError, DataSourceError, UnwritableFolderError
from mlebench.preparing.files import place, place_all
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared, zipped
from tests.helpers import file_digests


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["remove_parts", "rm"])
def test_data_removed_after_a_kill_are_prepared_again(
    how: str, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "conclude", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, raw)
    if how == "rm":
        shutil.rmtree(mine.prepared_dir)
    else:
        assert remove_parts(mine, ["prepared"])
    assert prepare(mine, raw)
    assert_prepared(mine, "local")


def test_unforced_work_leaves_that_of_an_interrupted_forced_one(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "publish", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, raw, force=True)
    assert prepare(mine, raw) is False
    assert [*mine.data_dir.glob(".staging-*")]
    assert prepare(mine, raw, force=True)
    assert_prepared(mine, "local")


@pytest.mark.parametrize("brought_in", [1, 2])
def test_unforced_work_leaves_what_was_half_published(
    brought_in: int, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    bring_in, count = publishing._bring_in, iter(range(3))

    def interrupted(new: Path, folder: Path) -> None:
        if next(count) == brought_in:
            raise KeyboardInterrupt
        bring_in(new, folder)

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_bring_in", interrupted)
        patch.setattr(publishing, "write_durably", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, raw, force=True)
    before = {*file_digests(mine.data_dir).values()}
    assert prepare(mine, raw) is False
    assert {*file_digests(mine.data_dir).values()} == before
    assert not [*mine.prepared_dir.rglob(".mlebench-*")]  # where agents would see them
    assert prepare(mine, raw, force=True)
    assert_prepared(mine, "local")


def test_kept_raw_files_are_whole_after_an_interruption(
    mine: Competition, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    zipped(raw, mine.data_dir / "mine.zip")
    mine.raw_dir.symlink_to(tmp_path / "elsewhere")
    with monkeypatch.context() as patch:
        patch.setattr("mlebench.data.raw.flush_tree", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, keep_raw=True)
    prepare(mine, keep_raw=True)
    assert file_digests(tmp_path / "elsewhere") == file_digests(raw)


def test_a_download_under_way_is_not_removed(mine: Competition) -> None:
    """Programs download without preparing, and hold the lock of the zip alone."""
    mine.data_dir.mkdir(parents=True)
    for name in ("mine.zip.part", "mine.zip.part.json"):
        (mine.data_dir / name).write_text("{}")
    lock = mine.data_dir / ".mine.zip.lock"
    with exclusive(lock):
        before = file_digests(mine.data_dir)
        with pytest.raises(BusyError, match="mine is being downloaded just now"):
            remove_parts(mine, ["unfinished"])
        assert file_digests(mine.data_dir) == before
        assert remove_parts(mine, ["raw", "zip"]) == []
    lock.touch()  # of somebody who was killed
    assert len(remove_parts(mine, ["unfinished"])) == 2
    assert not mine.data_dir.exists()


def test_a_removal_that_was_killed_is_finished(mine: Competition, raw: Path) -> None:
    prepare(mine, raw)
    (mine.data_dir / ".staging-removed" / "public").mkdir(parents=True)
    assert len(remove_parts(mine, ["prepared", "unfinished"])) == 2
    assert not mine.data_dir.exists()


def test_a_full_disk_can_be_emptied(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)

    def no_room(handle: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(locks.os, "write", no_room)
    assert remove_parts(mine, ["prepared"]) == [mine.prepared_dir]
    assert not mine.prepared_dir.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_rights_of_others_are_not_changed_even_by_root(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    for name in ("a", "b"):
        (tmp_path / "raw" / name).write_text("theirs")
        (tmp_path / "raw" / name).chmod(0o644)
        os.chown(tmp_path / "raw" / name, 65534, 65534)
    place_all(["a"], tmp_path / "raw", tmp_path / "public")
    place(tmp_path / "raw" / "b", tmp_path / "public" / "b")
    for name in ("a", "b"):
        status = (tmp_path / "raw" / name).stat()
        assert (status.st_mode & 0o777, status.st_nlink) == (0o644, 1)
        assert (tmp_path / "public" / name).read_text() == "theirs"


def test_what_a_link_leads_to_outside_of_the_raw_data_is_copied(
    mine: Competition, raw: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.csv"
    (raw / "train.csv").rename(outside)
    outside.chmod(0o640)
    (raw / "train.csv").symlink_to(outside)
    prepare(mine, raw)
    assert (outside.stat().st_mode & 0o777, outside.stat().st_nlink) == (0o640, 1)


def test_a_zip_for_programs_of_the_future_is_no_reason_to_stop_others(
    mine: Competition, raw: Path, tmp_path: Path
) -> None:
    archive = zipped(raw, tmp_path / "mine.zip")
    content = bytearray(archive.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 6] = 255
    archive.write_bytes(content)
    registry = Registry(mine.data_dir.parent, [mine.folder.parent])
    assert look_ahead({"mine": str(archive)}, registry)[0].problem is None
    with pytest.raises(DataSourceError):
        prepare(mine, archive)


def test_pipes_are_no_archives(mine: Competition, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mine.zip")
    registry = Registry(mine.data_dir.parent, [mine.folder.parent])
    look_ahead({"mine": str(tmp_path / "mine.zip")}, registry)
    with pytest.raises(DataSourceError, match="neither a folder"):
        prepare(mine, tmp_path / "mine.zip")


def make_link(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "file":
        path.write_text("no folder")
    else:
        path.symlink_to(path if kind == "circle" else "nowhere")


@pytest.mark.parametrize("kind", ["file", "circle", "nowhere"])
def test_raw_files_without_a_place_are_told_before_anything_is_done(
    kind: str, mine: Competition, raw: Path, tmp_path: Path
) -> None:
    archive = zipped(raw, tmp_path / "mine.zip")
    make_link(mine.raw_dir, kind)
    with pytest.raises(UnwritableFolderError, match=f"{mine.raw_dir} is a .*--keep-raw"):
        prepare(mine, archive, keep_raw=True)
    assert not mine.prepared_dir.exists()
    assert prepare(mine, archive)
    assert remove_parts(mine, ["raw"]) == [mine.raw_dir]
    assert not mine.raw_dir.is_symlink()


@pytest.mark.parametrize("linked", ["prepared", "prepared/public", "prepared/private"])
def test_prepared_data_behind_links_are_removed(
    linked: str, mine: Competition, raw: Path, tmp_path: Path
) -> None:
    prepare(mine, raw)
    (mine.data_dir / linked).rename(tmp_path / "elsewhere")
    (mine.data_dir / linked).symlink_to(tmp_path / "elsewhere")
    assert remove_parts(mine, ["prepared"])
    assert not file_digests(tmp_path / "elsewhere")
    assert not file_digests(mine.data_dir)


def test_a_mount_of_raw_files_is_emptied(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.data_dir.mkdir(parents=True)
    shutil.copytree(raw, mine.raw_dir)
    is_mount = Path.is_mount
    monkeypatch.setattr(Path, "is_mount", lambda path: path == mine.raw_dir or is_mount(path))
    inode = mine.raw_dir.stat().st_ino
    assert remove_parts(mine, ["raw"]) == [mine.raw_dir]
    assert (mine.raw_dir.stat().st_ino, [*mine.raw_dir.iterdir()]) == (inode, [])


def test_what_a_link_to_raw_files_led_to_is_named(
    mine: Competition, raw: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mine.data_dir.mkdir(parents=True)
    mine.raw_dir.symlink_to(raw)
    assert remove_parts(mine, ["raw"]) == [mine.raw_dir]
    assert str(raw.resolve()) in caplog.text
    assert (raw / "train.csv").is_file()
