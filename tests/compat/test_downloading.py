"""Raw data are fetched once, and only where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.compat.downloading import download_zip, ensure_raw
from mlebench.data.layout import INCOMPLETE_FILE
from mlebench.errors import DataSourceError
from mlebench.registry import Registry
from tests.helpers import add_competition


class Fetcher:
    """Puts a zip into a folder and counts how often."""

    def __init__(self, *names: str) -> None:
        self.names = names or ("fetched.zip",)
        self.asked: list[str] = []

    def __call__(self, competition_id: str, folder: Path) -> None:
        self.asked.append(competition_id)
        folder.mkdir(parents=True, exist_ok=True)
        for name in self.names:
            (folder / name).write_bytes(b"zip")


def test_a_zip_is_fetched_once_unless_forced(tmp_path: Path) -> None:
    fetch = Fetcher()
    for _ in range(2):
        assert download_zip("mine", tmp_path / "new", fetch) == tmp_path / "new" / "fetched.zip"
    assert fetch.asked == ["mine"]
    download_zip("mine", tmp_path / "new", fetch, force=True)
    assert fetch.asked == ["mine", "mine"]


@pytest.mark.parametrize("names", [("a.zip", "b.zip"), ("a.csv",)])
def test_anything_but_one_zip_is_refused(names: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(DataSourceError, match=r"Expected one zip.* Have only the one .*/mine/data"):
        download_zip("mine", tmp_path, Fetcher(*names))


@pytest.mark.parametrize(
    ("files", "is_fetched"),
    [
        ((), True),
        (("train.csv",), False),
        (("train.csv", INCOMPLETE_FILE), True),
        ((INCOMPLETE_FILE,), True),
    ],
)
def test_raw_data_that_are_there_are_not_fetched(
    files: tuple[str, ...], is_fetched: bool, tmp_path: Path
) -> None:
    add_competition(tmp_path / "competitions", "mine")
    mine = Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("mine")
    mine.raw_dir.mkdir(parents=True)
    for name in files:
        (mine.raw_dir / name).write_text(str(mine.raw_dir.stat().st_ino))
    fetch = Fetcher()
    ensure_raw(mine, fetch)
    assert bool(fetch.asked) == is_fetched
