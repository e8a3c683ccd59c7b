"""What keeps results from going to a folder is said in words."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from mlebench.data.folders import written_folder
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


def test_what_is_wrong_elsewhere_is_not_blamed_on_the_folder(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), written_folder(tmp_path / "out", "--output-dir"):
        raise PermissionError(errno.EACCES, "no", str(tmp_path / "submissions"))


def test_a_disk_that_is_full_elsewhere_is_not_blamed_on_the_folder(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full"), written_folder(tmp_path / "out", "--output-dir"):
        raise OSError(errno.ENOSPC, "full", str(tmp_path / "elsewhere" / "file"))
