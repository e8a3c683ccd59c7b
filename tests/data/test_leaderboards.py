"""Full leaderboards, from a server that speaks like Kaggle and from an existing checkout."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.data import ensure_leaderboard_exists, get_leaderboard
from mlebench.data.kaggle import API_VARIABLE, KaggleAuthError, KaggleClient
from mlebench.data.leaderboards import download_leaderboard, import_leaderboards, leaderboard_path
from mlebench.data.patience import Patience
from mlebench.errors import ConfigError, DataSourceError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.utils import authenticate_kaggle_api
from tests.command import run
from tests.helpers import add_competition
from tests.kaggle_server import BASIC, BEARER, KEY, TOKEN, USER, Kaggle, serve_kaggle, zipped

COMPETITION = "spaceship-titanic"
PATH = "/api/v1/competitions.CompetitionApiService/DownloadLeaderboard"


@pytest.fixture
def kaggle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kaggle]:
    """A server on this machine, and an environment that points clients to it."""
    pytest.importorskip("httpx")
    monkeypatch.setitem(sys.modules, "kaggle", None)  # the official client would come first
    with serve_kaggle() as server:
        monkeypatch.setenv(API_VARIABLE, server.api)
        yield server


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)


@pytest.fixture
def user_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_USERNAME", USER)
    monkeypatch.setenv("KAGGLE_KEY", KEY)


@pytest.fixture
def competition(tmp_path: Path) -> Competition:
    return Registry(tmp_path / "data", ()).get_competition(COMPETITION)


def damaged(part: str) -> bytes:
    """Scores in a zip of which one byte is not as it was."""
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.csv", "Score\n0.9\n0.8\n0.5\n")
    content = bytearray(file.getvalue())
    listed = content.index(b"PK\x01\x02")
    places = {"content": 30 + len("scores.csv"), "flags": listed + 8, "method": listed + 10}
    content[places[part]] = 0xFF
    return bytes(content)


@pytest.mark.usefixtures("token")
class TestDownload:
    """From Kaggle."""

    def test_scores_are_kept_in_rank_order_and_nobodys_name(
        self, kaggle: Kaggle, competition: Competition
    ) -> None:
        path = download_leaderboard(competition)
        assert path == leaderboard_path(competition)
        assert path.read_text() == "score\n0.9\n0.8\n0.5\n"
        assert kaggle.paths == [PATH]
        assert kaggle.asked == [{"competitionName": COMPETITION}]
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    def test_downloaded_list_is_used_from_then_on(
        self, kaggle: Kaggle, competition: Competition
    ) -> None:
        path = ensure_leaderboard_exists(competition, force=True)
        again = Registry(path.parents[1], ()).get_competition(COMPETITION)
        frame = get_leaderboard(again)
        assert frame["score"].tolist() == [0.9, 0.8, 0.5]
        assert frame.attrs["rebuilt"] is False

    @pytest.mark.parametrize(
        "answer",
        [
            (404, b"Not Found"),
            (500, b"oops"),
            (200, b"no zip"),
            (200, zipped("")),
            (200, zipped("Rank\n1\n")),
            (200, zipped("Score\nmuch\n")),
            (200, zipped("Score\n0.5\n0.8\n")),
            (200, zipped("Score\n0.5\n0.8\n0.7\n")),
            (200, damaged("content")),
            (200, damaged("method")),
            (200, damaged("flags")),
        ],
        ids=[
            *("not found", "server error", "no zip", "empty table", "no scores", "no numbers"),
            *("other direction", "no order"),
            *("damaged content", "damaged method", "damaged flags"),
        ],
    )
    def test_useless_answers_are_data_source_errors(
        self, answer: tuple[int, bytes], kaggle: Kaggle, competition: Competition
    ) -> None:
        kaggle.answer = answer
        client = KaggleClient(patience=Patience(tries=1))
        with pytest.raises(DataSourceError):
            download_leaderboard(competition, client)
        assert not leaderboard_path(competition).exists()

    def test_unreachable_server_is_a_data_source_error(self, competition: Competition) -> None:
        pytest.importorskip("httpx")
        with pytest.raises(DataSourceError, match="cannot be reached"):
            download_leaderboard(competition, KaggleClient("http://127.0.0.1:9"))


def test_the_list_of_all_shows_those_without_a_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    facts = add_competition(tmp_path, "mine") / "competition.yaml"
    facts.write_text(facts.read_text().partition("leaderboard:\n")[0])
    command = f"mlebench dev download-leaderboard --competitions-dir {tmp_path} --json"
    listed = json.loads(run(f"{command} --all", monkeypatch, capfd).stdout)
    kinds = {row["competition_id"]: (row["leaderboard"], row["path"] is None) for row in listed}
    assert kinds["mine"] == ("none", True)
    assert kinds[COMPETITION] == ("rebuilt", False)
    alone = run(f"{command} -c mine", monkeypatch, capfd)
    assert alone.code == 3
    assert "mine has no leaderboard" in alone.stderr


class TestLogin:
    """The ways in which Kaggle's own tools find a login."""

    @pytest.mark.usefixtures("token")
    def test_token(self, kaggle: Kaggle) -> None:
        authenticate_kaggle_api()
        assert kaggle.logins == [BEARER]

    @pytest.mark.usefixtures("user_and_key")
    def test_user_and_key(self, kaggle: Kaggle) -> None:
        authenticate_kaggle_api()
        assert kaggle.logins == [BASIC]

    @pytest.mark.usefixtures("token", "user_and_key")
    def test_token_comes_first(self, kaggle: Kaggle) -> None:
        authenticate_kaggle_api()
        assert kaggle.logins == [BEARER]

    @pytest.mark.parametrize("configured", [False, True])
    def test_saved_key(
        self, configured: bool, kaggle: Kaggle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "config" if configured else Path.home() / ".kaggle"
        folder.mkdir(parents=True)
        (folder / "kaggle.json").write_text(json.dumps({"username": USER, "key": KEY}))
        if configured:
            monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(folder))
        authenticate_kaggle_api()
        assert kaggle.logins == [BASIC]

    def test_refused_login_is_a_permission_error(
        self, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KAGGLE_API_TOKEN", "another")
        with pytest.raises(PermissionError, match="Kaggle authentication failed") as caught:
            authenticate_kaggle_api()
        assert isinstance(caught.value, KaggleAuthError)

    def test_no_login_asks_nobody_and_says_what_to_set(self, kaggle: Kaggle) -> None:
        with pytest.raises(KaggleAuthError, match="KAGGLE_API_TOKEN"):
            authenticate_kaggle_api()
        assert kaggle.paths == []

    def test_unreadable_saved_key_is_an_auth_error(self, kaggle: Kaggle) -> None:
        folder = Path.home() / ".kaggle"
        folder.mkdir()
        (folder / "kaggle.json").write_text("{not json")
        with pytest.raises(KaggleAuthError):
            authenticate_kaggle_api()


class TestImport:
    """From a checkout of the original."""

    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        root = tmp_path / "mle-bench"
        for name, text in {
            COMPETITION: "scoreNullable,teamId,score\n0.9,1,0.9\n0.8,2,0.8\n",
            "AI4Code": "score\n0.7\n",
            "not-a-competition": "score\n1\n",
        }.items():
            path = root / "mlebench" / "competitions" / name / "leaderboard.csv"
            path.parent.mkdir(parents=True)
            path.write_text(text)
        return root

    def test_known_competitions_are_taken_over(self, checkout: Path, tmp_path: Path) -> None:
        registry = Registry(tmp_path / "data", ())
        assert import_leaderboards(registry, checkout) == ["AI4Code", COMPETITION]
        competition = registry.get_competition(COMPETITION)
        assert competition.has_full_leaderboard
        assert competition.leaderboard.read_text() == "score\n0.9\n0.8\n"

    def test_another_number_of_teams_is_told_and_shown(
        self,
        checkout: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        where = f"--data-dir {tmp_path / 'data'}"
        told = run(f"mlebench dev import-leaderboards {checkout} {where}", monkeypatch, capfd)
        assert f"The list of {COMPETITION} has 2 teams, the published one " in told.stderr
        assert str(tmp_path / "data" / COMPETITION / "leaderboard.csv") in told.stderr
        one = f"mlebench competitions {COMPETITION} {where}"
        shown = run(one, monkeypatch, capfd).stdout
        assert re.search(r"^teams +2 \(published: \d+\)$", shown, re.MULTILINE)
        assert re.search(r"^gold, silver, bronze +0.9, 0.9, 0.9$", shown, re.MULTILINE)
        assert re.search(r"^median +0.85", shown, re.MULTILINE)
        board = json.loads(run(f"{one} --json", monkeypatch, capfd).stdout)["leaderboard"]
        assert (board["teams"], board["gold"], board["median"]) == (2, 0.9, pytest.approx(0.85))
        assert (board["percentiles"][0], board["percentiles"][100]) == (0.9, 0.8)

    def test_git_lfs_pointer_is_named_as_such(self, checkout: Path, tmp_path: Path) -> None:
        pointer = checkout / "mlebench" / "competitions" / COMPETITION / "leaderboard.csv"
        pointer.write_text(
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
        )
        with pytest.raises(ConfigError, match="git-lfs"):
            import_leaderboards(Registry(tmp_path / "data", ()), checkout)

    def test_a_pipe_is_no_leaderboard(self, checkout: Path, tmp_path: Path) -> None:
        pipe = checkout / "mlebench" / "competitions" / COMPETITION / "leaderboard.csv"
        pipe.unlink()
        os.mkfifo(pipe)
        assert import_leaderboards(Registry(tmp_path / "data", ()), checkout) == ["AI4Code"]

    def test_missing_checkout_is_a_config_error(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="not a folder"):
            import_leaderboards(Registry(tmp_path, ()), tmp_path / "nowhere")
