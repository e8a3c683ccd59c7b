"""Archives inside folders and archives: each gives way to what is in it, once and completely."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.archives import pack, pack_7z, pack_tar
from mlebench.preparing.extraction import Limits, extract_inner
from tests.conftest import CHECKOUT


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def test_an_archive_of_one_file_becomes_this_file(tmp_path: Path) -> None:
    pack(tmp_path / "deep" / "train.csv.zip", {"train.csv": "a"})
    pack_7z(tmp_path / "other.7z", {"test.json": "b"})
    assert extract_inner(tmp_path) == [
        ("other.7z", "test.json"),
        ("deep/train.csv.zip", "deep/train.csv"),
    ]
    assert contents(tmp_path) == {"deep/train.csv": "a", "test.json": "b"}


@pytest.mark.parametrize("suffix", [".zip", ".ZIP", ".7z", ".tar", ".tgz", ".tar.gz"])
def test_other_archives_become_a_folder_of_their_name(suffix: str, tmp_path: Path) -> None:
    packer = {".zip": pack, ".7z": pack_7z}.get(suffix.lower(), pack_tar)
    packer(tmp_path / f"train{suffix}", {"1.txt": b"1", "sub/2.txt": b"2"})
    assert extract_inner(tmp_path) == [(f"train{suffix}", "train")]
    assert contents(tmp_path) == {"train/1.txt": "1", "train/sub/2.txt": "2"}


def test_a_folder_of_the_same_name_is_not_doubled(tmp_path: Path) -> None:
    pack(tmp_path / "train.zip", {"train/1.txt": "1"})
    pack(tmp_path / "test.zip", {"images/1.txt": "1"})
    pack(tmp_path / "none.zip", {})
    assert extract_inner(tmp_path) == [
        ("none.zip", "none"),
        ("test.zip", "test"),
        ("train.zip", "train"),
    ]
    assert contents(tmp_path) == {"test/images/1.txt": "1", "train/1.txt": "1"}
    assert not list((tmp_path / "none").iterdir())


def test_other_files_that_are_zips_stay_as_they_are(tmp_path: Path) -> None:
    for name in ("a.npz", "a.docx", "a.zip.txt", ".zip"):
        pack(tmp_path / name, {"a": "a"})
    (tmp_path / "link.zip").symlink_to(tmp_path / "a.npz")
    (tmp_path / "folder.zip").mkdir()
    before = sorted(tmp_path.iterdir())
    assert extract_inner(tmp_path) == []
    assert sorted(tmp_path.iterdir()) == before


def nested(path: Path, levels: int, files: Mapping[str, str | bytes | Path]) -> None:
    """A zip inside others; all but the outermost are called inner.zip."""
    pack(path, files)
    for level in range(levels - 1):
        inner = path.rename(path.with_name(f"{level}.part"))
        pack(path, {"inner.zip": inner, "beside.txt": str(level)})
        inner.unlink()


def test_archives_inside_archives_are_unpacked_where_they_lie(tmp_path: Path) -> None:
    nested(tmp_path / "outer.zip", 3, {"a.txt": "a", "b.txt": "b"})
    assert extract_inner(tmp_path) == [
        ("outer.zip", "outer"),
        ("outer/inner.zip", "outer/inner"),
        ("outer/inner/inner.zip", "outer/inner/inner"),
    ]
    assert contents(tmp_path) == {
        "outer/beside.txt": "1",
        "outer/inner/beside.txt": "0",
        "outer/inner/inner/a.txt": "a",
        "outer/inner/inner/b.txt": "b",
    }


def test_a_lone_archive_in_an_archive_becomes_what_is_in_it(tmp_path: Path) -> None:
    pack(tmp_path / "train.zip", {"1.txt": "1", "2.txt": "2"})
    inner = (tmp_path / "train.zip").rename(tmp_path / "part")
    pack(tmp_path / "data.zip", {"train.zip": inner})
    inner.unlink()
    assert extract_inner(tmp_path) == [("data.zip", "train.zip"), ("train.zip", "train")]
    assert contents(tmp_path) == {"train/1.txt": "1", "train/2.txt": "2"}


def test_archives_inside_too_many_others_are_refused(tmp_path: Path) -> None:
    nested(tmp_path / "outer.zip", 4, {"a.txt": "a"})
    with pytest.raises(DataSourceError, match=r"outer\.zip/inner\.zip/inner\.zip .* inside 3 oth"):
        extract_inner(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["outer.zip"]


def test_all_levels_share_what_is_allowed(tmp_path: Path) -> None:
    nested(tmp_path / "a.zip", 3, {"a.txt": "a" * 5000, "b.txt": "b" * 5000})
    nested(tmp_path / "b.zip", 3, {"a.txt": "a" * 5000, "b.txt": "b" * 5000})
    with pytest.raises(
        DataSourceError, match=r"b\.zip/inner\.zip.* more than the 10,\d+ bytes all"
    ):
        extract_inner(tmp_path, limits=Limits(bytes=21_000))
    with pytest.raises(DataSourceError, match=r"more than the 3 members allowed"):
        extract_inner(tmp_path, limits=Limits(members=3))
    extract_inner(tmp_path, limits=Limits(bytes=30_000, members=20))


@pytest.mark.parametrize("taken", ["train", "train.csv"])
def test_an_archive_whose_place_is_taken_stays(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).write_text("mine")
    pack(tmp_path / "train.zip", {"train.csv": "a"} | ({"b": "b"} if taken == "train" else {}))
    assert extract_inner(tmp_path) == []
    assert (tmp_path / taken).read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([taken, "train.zip"])


def test_killed_at_any_moment_it_comes_out_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.preparing.killing_inner", tmp_path / "folder"],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=300,
    )
    result = json.loads(done.stdout)
    assert result["wrong"] == {}
    assert result["kills"] > 50
