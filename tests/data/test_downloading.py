"""Raw data are fetched once, and only where there are none."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from mlebench.data.downloading import download_zip, ensure_raw
from mlebench.data.kaggle import API_VARIABLE, find_login
from mlebench.data.layout import INCOMPLETE_FILE
from mlebench.errors import DataSourceError, KaggleAuthError
from mlebench.registry.competition import Competition
from tests.kaggle_server import TOKEN, serve_kaggle


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
    with pytest.raises(DataSourceError, match="Expected one zip"):
        download_zip("mine", tmp_path, Fetcher(*names))


def test_our_own_client_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    with serve_kaggle() as server:
        monkeypatch.setenv(API_VARIABLE, server.api)
        server.competitions = {"mine": {"train.csv": b"id\n1\n"}}
        assert download_zip("mine", tmp_path) == tmp_path / "mine.zip"


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
    files: tuple[str, ...], is_fetched: bool, mine: Competition
) -> None:
    mine.raw_dir.mkdir(parents=True)
    for name in files:
        (mine.raw_dir / name).write_text(str(mine.raw_dir.stat().st_ino))
    fetch = Fetcher()
    ensure_raw(mine, fetch)
    assert bool(fetch.asked) == is_fetched


def test_nobody_needs_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(KaggleAuthError, match="no login yet"):
        find_login()
