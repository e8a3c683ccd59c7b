"""The Kaggle client that programs get, against a server that speaks like Kaggle."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from mlebench.compat.kaggle_api import KaggleApi
from mlebench.data.kaggle import KaggleClient, RulesNotAcceptedError
from mlebench.data.patience import Patience
from mlebench.errors import DataSourceError
from mlebench.utils import authenticate_kaggle_api
from tests.kaggle_server import BASIC, FILES, LEADERBOARD, TOKEN, USER, Kaggle

from .conftest import ID

LARGE = "train/big #1.csv"


@pytest.fixture
def api(kaggle: Kaggle) -> Any:
    return authenticate_kaggle_api()


class TestLogin:
    """Who is let in."""

    def test_one_cheap_request_proves_it(self, kaggle: Kaggle) -> None:
        authenticate_kaggle_api()
        assert kaggle.logins == [BASIC]
        assert [path.rpartition("/")[2] for path in kaggle.paths] == ["ListCompetitions"]

    def test_no_login_is_a_permission_error(
        self, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("KAGGLE_KEY")
        with pytest.raises(PermissionError, match=r"^Kaggle authentication failed!"):
            authenticate_kaggle_api()
        assert not kaggle.paths

    def test_a_refused_login_is_a_permission_error(
        self, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KAGGLE_KEY", "another")
        with pytest.raises(PermissionError, match=r"^Kaggle authentication failed!"):
            authenticate_kaggle_api()

    def test_user_name_of_a_key(self, api: Any, kaggle: Kaggle) -> None:
        asked = len(kaggle.paths)
        assert api.get_config_value("username") == USER
        assert api.get_config_value(name="proxy") is None
        assert len(kaggle.paths) == asked

    def test_user_name_of_a_token(self, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
        monkeypatch.delenv("KAGGLE_USERNAME")
        assert authenticate_kaggle_api().get_config_value("username") == USER

    def test_user_name_of_a_token_may_be_unknown(
        self, api: Any, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KAGGLE_API_TOKEN", "another")
        assert api.get_config_value("username") is None
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
        kaggle.answer = 404, b"Not found"
        assert api.get_config_value("username") is None


class TestList:
    """Which competitions there are."""

    def test_what_kaggle_says_are_attributes(self, api: Any, kaggle: Kaggle) -> None:
        kaggle.competitions = {"first-task": {}, "second-task": {}}
        kaggle.unaccepted = {"second-task"}
        titles = {entry.title: entry.userHasEntered for entry in api.competitions_list()}
        assert titles == {"First-Task": True, "Second-Task": False}
        (found,) = api.competitions_list(search="second", sort_by="prize", page=1)
        assert found.ref.endswith("/second-task")
        assert kaggle.asked[-1] == {
            "search": "second",
            "sortBy": "COMPETITION_SORT_BY_PRIZE",
            "page": 1,
        }

    def test_the_older_form_of_the_list(self, api: Any, kaggle: Kaggle) -> None:
        kaggle.answer = 200, b'[{"ref": "a-task"}]'
        assert [entry.ref for entry in api.competitions_list()] == ["a-task"]

    def test_an_answer_that_is_not_json(self, api: Any, kaggle: Kaggle) -> None:
        kaggle.answer = 200, b"<html>"
        with pytest.raises(DataSourceError, match="not JSON"):
            api.competitions_list()


class TestDownloads:
    """Files go to disk, completely or not at all."""

    def test_all_files(self, api: Any, kaggle: Kaggle, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "folder"
        api.competition_download_files(competition=ID, path=str(folder), quiet=True, force=False)
        assert [path.name for path in folder.iterdir()] == [f"{ID}.zip"]
        with zipfile.ZipFile(folder / f"{ID}.zip") as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == FILES

    def test_the_storage_never_sees_the_login(
        self, api: Any, kaggle: Kaggle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api.competition_download_files(ID, tmp_path)
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
        api.competition_download_file(ID, "sample_submission.csv", tmp_path)
        assert kaggle.storage_logins == [None, None]

    def test_a_file_that_is_there_is_fetched_again_only_by_force(
        self, api: Any, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        archive = tmp_path / f"{ID}.zip"
        archive.write_bytes(b"mine")
        api.competition_download_files(ID, tmp_path)
        assert archive.read_bytes() == b"mine"
        api.competition_download_files(ID, tmp_path, force=True)
        assert zipfile.is_zipfile(archive)

    def test_without_a_path_the_current_folder_is_meant(
        self, api: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        api.competition_download_file(ID, "sample_submission.csv")
        assert Path("sample_submission.csv").read_bytes() == FILES["sample_submission.csv"]

    def test_a_large_file_comes_zipped(self, api: Any, tmp_path: Path) -> None:
        api.competition_download_file(
            competition=ID, file_name=LARGE, path=tmp_path, quiet=True, force=True
        )
        (path,) = tmp_path.iterdir()
        assert path.name == "big #1.csv.zip"
        with zipfile.ZipFile(path) as archive:
            assert archive.read("big #1.csv") == FILES[LARGE]

    def test_leaderboard(self, api: Any, tmp_path: Path) -> None:
        api.competition_leaderboard_download(ID, str(tmp_path / "boards"), quiet=True)
        with zipfile.ZipFile(tmp_path / "boards" / f"{ID}.zip") as archive:
            (name,) = archive.namelist()
            assert archive.read(name).decode() == LEADERBOARD

    def test_rules_to_be_accepted(self, api: Any, kaggle: Kaggle, tmp_path: Path) -> None:
        kaggle.unaccepted = {ID}
        for call in (
            lambda: api.competition_download_files(ID, tmp_path),
            lambda: api.competition_download_file(ID, "sample_submission.csv", tmp_path),
        ):
            with pytest.raises(
                RulesNotAcceptedError, match=rf"^You must accept this competition.*{ID}/rules"
            ):
                call()
        assert issubclass(RulesNotAcceptedError, RuntimeError)

    def test_a_file_that_does_not_exist(self, api: Any, tmp_path: Path) -> None:
        with pytest.raises(DataSourceError, match="404"):
            api.competition_download_file(ID, "../nothing.csv", tmp_path)
        assert not list(tmp_path.iterdir())

    def test_a_connection_that_always_breaks_leaves_what_can_be_continued(
        self, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.storage.cut_after = 100
        api = KaggleApi(KaggleClient(patience=Patience(tries=2, wait=lambda _: None)))
        with pytest.raises(DataSourceError, match="broke off"):
            api.competition_download_files(ID, tmp_path)
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == [f"{ID}.zip.part", f"{ID}.zip.part.json"]
        kaggle.storage.cut_after = None
        api.competition_download_files(ID, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [f"{ID}.zip"]


OFFICIAL = """
    print("a greeting")
    {trouble}

    class KaggleApi:
        logged_in = False

        def authenticate(self):
            self.logged_in = True

        def competitions_list(self):
            if not self.logged_in:
                raise ValueError("not logged in")
            print("a warning")
            return []

        def get_config_value(self, name):
            return "official " + name

    api = KaggleApi()
"""

CLIENT = """
    from mlebench.utils import authenticate_kaggle_api

    try:
        print(authenticate_kaggle_api().get_config_value("username"))
    except PermissionError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("trouble", "printed"),
    [
        ("", "official username"),
        ("raise OSError('no kaggle.json')", "Kaggle authentication failed! The package kaggle "),
        ("raise SystemExit(1)", "Kaggle authentication failed! The package kaggle "),
        ("raise ImportError('half installed')", "Kaggle authentication failed! Set KAGGLE_"),
    ],
)
def test_the_official_client_comes_first(trouble: str, printed: str, tmp_path: Path) -> None:
    """It reports on stdout, at import and later, where programs expect results."""
    (tmp_path / "kaggle.py").write_text(dedent(OFFICIAL).format(trouble=trouble))
    done = subprocess.run(
        [sys.executable, "-c", dedent(CLIENT)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(printed)
    assert done.stdout.count("\n") == 1
    assert "a greeting" in done.stderr


def test_a_folder_named_kaggle_is_not_the_official_client(
    kaggle: Kaggle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kaggle").mkdir()
    monkeypatch.delitem(sys.modules, "kaggle")
    monkeypatch.syspath_prepend(tmp_path)
    assert authenticate_kaggle_api().get_config_value("username") == USER
