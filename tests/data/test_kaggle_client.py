"""Questions to Kaggle: in both dialects, with both logins, and what is told when it says no."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlebench.data.kaggle import KaggleAuthError, KaggleClient, RulesNotAcceptedError
from mlebench.data.patience import Patience
from mlebench.errors import DataSourceError, UnavailableError
from tests.kaggle_server import BASIC, BEARER, KEY, TOKEN, USER, Failure, Kaggle, zipped

RULES_PAGE = "https://www.kaggle.com/competitions/a-task/rules"


@pytest.fixture
def client(kaggle: Kaggle, patience: Patience) -> KaggleClient:
    return KaggleClient(patience=patience)


@pytest.fixture
def key(kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAGGLE_API_TOKEN")
    monkeypatch.setenv("KAGGLE_USERNAME", USER)
    monkeypatch.setenv("KAGGLE_KEY", KEY)


def methods(kaggle: Kaggle) -> list[str]:
    return [path.partition("?")[0].removeprefix("/api/v1/") for path in kaggle.paths]


class TestDialects:
    """The newer one first, the older one where a host does not know that."""

    def test_the_newer_one_is_all_that_is_needed(
        self, client: KaggleClient, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.speaks_rest = False
        kaggle.competitions = {"a-task": {"train.csv": b"x"}}
        assert [found["title"] for found in client.list_competitions(page=1)] == ["A-Task"]
        assert client.rules_accepted("a-task") is True
        assert client.check_login() == client.find_username() == USER
        assert client.download_leaderboard("a-task") == zipped(kaggle.leaderboard)
        assert client.download_all("a-task", tmp_path) == tmp_path / "a-task.zip"
        assert client.download_file("a-task", "train.csv", tmp_path).read_bytes() == b"x"
        assert all("Service/" in path for path in kaggle.paths)
        assert set(kaggle.logins) == {BEARER}

    @pytest.mark.parametrize("status", [404, 405])
    def test_the_older_one_is_learnt(
        self, status: int, client: KaggleClient, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.speaks_rpc = False
        kaggle.unknown_way = status
        kaggle.competitions = {"a-task": {"a b/train.csv": b"x"}}
        assert len(client.list_competitions(sortBy="numberOfTeams")) == 1
        assert kaggle.asked[-1] == {"sortBy": "numberOfTeams"}
        assert client.rules_accepted("a-task") is True
        assert client.check_login() == client.find_username() == USER
        assert client.download_leaderboard("a-task") == zipped(kaggle.leaderboard)
        assert client.download_all("a-task", tmp_path) == tmp_path / "a-task.zip"
        assert client.download_file("a-task", "a b/train.csv", tmp_path).read_bytes() == b"x"
        assert methods(kaggle) == [
            "competitions.CompetitionApiService/ListCompetitions",
            "competitions/list",
            "competitions/get/a-task",
            *["oauth2/introspect"] * 2,
            "competitions/a-task/leaderboard/download",
            "competitions/data/download-all/a-task",
            "competitions/data/download/a-task/a%20b%2Ftrain.csv",
        ]

    def test_words_of_the_older_one_are_translated(
        self, client: KaggleClient, kaggle: Kaggle
    ) -> None:
        client.list_competitions(sortBy="numberOfTeams", group="COMPETITION_LIST_TAB_ENTERED")
        assert kaggle.asked[-1] == {
            "sortBy": "COMPETITION_SORT_BY_NUMBER_OF_TEAMS",
            "group": "COMPETITION_LIST_TAB_ENTERED",
        }


class TestLogin:
    """Who is let in."""

    def test_a_token(self, client: KaggleClient, kaggle: Kaggle) -> None:
        assert client.check_login() == USER
        assert (kaggle.logins, kaggle.asked) == ([BEARER], [{"token": TOKEN}])

    @pytest.mark.usefixtures("key")
    def test_a_key(self, client: KaggleClient, kaggle: Kaggle) -> None:
        assert client.check_login() == USER
        assert kaggle.logins == [BASIC]

    def test_a_refused_token(self, client: KaggleClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KAGGLE_API_TOKEN", "secret-and-wrong")
        with pytest.raises(
            KaggleAuthError, match=r"from KAGGLE_API_TOKEN, but Kaggle refuses it\. Make a new one"
        ) as caught:
            client.check_login()
        assert "secret" not in str(caught.value)
        with pytest.raises(KaggleAuthError, match="Kaggle refuses it"):
            client.rules_accepted("a-task")

    @pytest.mark.usefixtures("key")
    def test_a_refused_key(self, client: KaggleClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KAGGLE_KEY", "wrong")
        with pytest.raises(KaggleAuthError, match="from KAGGLE_USERNAME and KAGGLE_KEY, but"):
            client.check_login()

    @pytest.mark.parametrize("status", [400, 401, 403, 404])
    def test_a_token_that_kaggle_cannot_look_up(
        self, status: int, client: KaggleClient, kaggle: Kaggle
    ) -> None:
        kaggle.answer = status, b""
        with pytest.raises(KaggleAuthError, match="Kaggle refuses it"):
            client.check_login()


class TestRules:
    """Rules are accepted on Kaggle's pages, and nowhere else."""

    def test_whether_they_are_accepted(self, client: KaggleClient, kaggle: Kaggle) -> None:
        kaggle.unaccepted = {"a-task"}
        assert client.rules_accepted("a-task") is False
        assert client.rules_accepted("other-task") is True
        kaggle.is_silent_on_rules = True
        assert client.rules_accepted("a-task") is None

    @pytest.mark.parametrize("nests_errors", [False, True])
    @pytest.mark.parametrize("speaks_rpc", [False, True])
    def test_files_are_refused_with_the_page_to_go_to(
        self,
        nests_errors: bool,
        speaks_rpc: bool,
        client: KaggleClient,
        kaggle: Kaggle,
        tmp_path: Path,
    ) -> None:
        kaggle.unaccepted = {"a-task"}
        kaggle.nests_errors, kaggle.speaks_rpc = nests_errors, speaks_rpc
        with pytest.raises(RulesNotAcceptedError) as caught:
            client.download_all("a-task", tmp_path)
        assert str(caught.value).startswith("You must accept this competition's rules")
        assert RULES_PAGE in str(caught.value)
        assert not list(tmp_path.iterdir())

    def test_the_reason_may_stand_anywhere(
        self, client: KaggleClient, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.answer = 403, b'{"error": {"details": [{"reason": "RulesAcceptanceRequired"}]}}'
        with pytest.raises(RulesNotAcceptedError, match=RULES_PAGE):
            client.download_file("a-task", "train.csv", tmp_path)


class TestRefusals:
    """Each says what is wrong and what to do."""

    @pytest.mark.parametrize("speaks_rpc", [False, True])
    def test_a_missing_competition(
        self, speaks_rpc: bool, client: KaggleClient, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.missing, kaggle.speaks_rpc = {"a-task"}, speaks_rpc
        for ask in (
            lambda: client.rules_accepted("a-task"),
            lambda: client.download_all("a-task", tmp_path),
            lambda: client.download_leaderboard("a-task"),
        ):
            with pytest.raises(
                DataSourceError, match=r"no competition named 'a-task' \(404: Not found\)\. Look"
            ):
                ask()
        assert not list(tmp_path.iterdir())

    def test_a_private_competition(self, client: KaggleClient, kaggle: Kaggle) -> None:
        kaggle.private = {"a-task"}
        with pytest.raises(DataSourceError, match=r"no competition named 'a-task' \(403.*private"):
            client.rules_accepted("a-task")

    def test_a_missing_file(self, client: KaggleClient, tmp_path: Path) -> None:
        with pytest.raises(DataSourceError, match=r"no file 'nothing\.csv' in it \(404"):
            client.download_file("a-task", "nothing.csv", tmp_path)

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b'{"code": 400, "message": "Bad field"}', "Bad field"),
            (b'{"error": {"code": 400, "message": "Bad field", "status": "X"}}', "Bad field"),
            (b'{"error": "Bad field"}', "Bad field"),
            (b"Bad\n field", "Bad field"),
            (b"<html><body><h1>Bad</h1> field</body></html>", "Bad field"),
            (b"", "Bad Request"),
            (b"see http://host/x?sig=secret now", r"see http://host/x\?… now"),
            (b"you sent secret-token", "you sent …"),
            (b"x" * 10_000, "x{200}"),
        ],
    )
    def test_all_shapes_of_errors_are_read(
        self, body: bytes, words: str, client: KaggleClient, kaggle: Kaggle
    ) -> None:
        kaggle.answer = 400, body
        with pytest.raises(DataSourceError, match=rf"refuses the request \(400: {words}\)\.$"):
            client.list_competitions()

    @pytest.mark.parametrize("body", [b"<html>", b'"text"', b"[]"])
    def test_answers_that_are_something_else(
        self, body: bytes, client: KaggleClient, kaggle: Kaggle, tmp_path: Path
    ) -> None:
        kaggle.answer = 200, body
        with pytest.raises(DataSourceError, match="Kaggle's answer is not"):
            client.rules_accepted("a-task")
        with pytest.raises(DataSourceError, match="without an address"):
            client.download_all("a-task", tmp_path)

    def test_a_machine_that_is_offline_is_told_at_once(
        self, patience: Patience, kaggle: Kaggle, waits: list[float]
    ) -> None:
        with pytest.raises(
            UnavailableError, match=r"^Kaggle cannot be reached: .*refused\. Is this"
        ):
            KaggleClient("http://127.0.0.1:9", patience=patience).list_competitions()
        assert waits == []

    @pytest.mark.parametrize("api", ["kaggle.com", "ftp://kaggle.com", "http://a:b"])
    def test_an_address_that_is_none(self, api: str, kaggle: Kaggle) -> None:
        with pytest.raises(DataSourceError, match=r"cannot be asked at .*MLEBENCH_KAGGLE_API"):
            KaggleClient(api).list_competitions()


class TestBusy:
    """Kaggle may be asked again, but not at once and not for ever."""

    @pytest.mark.parametrize("nested", [False, True])
    def test_too_many_requests(
        self, nested: bool, client: KaggleClient, kaggle: Kaggle, waits: list[float], tmp_path: Path
    ) -> None:
        flat = b'{"code": 429, "message": "TooManyRequests"}'
        body = b'{"error": %s}' % flat if nested else flat
        kaggle.failures = [Failure(429, body, {"Retry-After": "17"}), Failure(429, body)]
        assert client.download_all("a-task", tmp_path).is_file()
        assert waits[0] == 17
        assert 2 <= waits[1] <= 3
        assert len(waits) == 2

    def test_the_wait_is_told(
        self, client: KaggleClient, kaggle: Kaggle, caplog: pytest.LogCaptureFixture
    ) -> None:
        kaggle.failures = [Failure(429, b"Slow down", {"Retry-After": "300"})]
        client.list_competitions()
        assert caplog.messages == [
            "Kaggle has been asked too often (429: Slow down). Trying again in 5 minutes (2 of 4)."
        ]

    def test_trouble_of_the_server(
        self, client: KaggleClient, kaggle: Kaggle, waits: list[float]
    ) -> None:
        kaggle.failures = [Failure(500), Failure(503)]
        client.list_competitions()
        assert len(waits) == 2
        kaggle.answer = 502, b"<html><title>Bad gateway</title></html>"
        with pytest.raises(
            UnavailableError,
            match=r"^Kaggle has trouble \(502: Bad gateway\)\. This was tried 4 times\. Try again",
        ):
            client.list_competitions()

    def test_a_long_wait_is_left_to_the_user(
        self, client: KaggleClient, kaggle: Kaggle, waits: list[float]
    ) -> None:
        kaggle.failures = [Failure(429, b"", {"Retry-After": "7200"})]
        with pytest.raises(UnavailableError, match="Try again in 120 minutes or later"):
            client.list_competitions()
        assert waits == []


def test_logs_show_neither_signatures_nor_tokens(
    client: KaggleClient, kaggle: Kaggle, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        client.check_login()
        client.download_all("a-task", tmp_path)
    (signature,) = kaggle.storage.signatures
    assert "archive.zip" in caplog.text
    assert signature not in caplog.text
    assert "secret" not in caplog.text


def test_several_threads_share_a_client(client: KaggleClient, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        names = [f"task-{number}" for number in range(16)]
        found = list(threads.map(lambda name: client.download_all(name, tmp_path), names))
    assert sorted(tmp_path.iterdir()) == sorted(found)
    assert [path.stem for path in found] == names


def test_a_leaderboard_may_lie_in_the_storage(client: KaggleClient, kaggle: Kaggle) -> None:
    kaggle.storage.blobs["/board.zip"] = b"the board"
    moved = Failure(302, b"", {"Location": kaggle.storage.sign("/board.zip")})
    kaggle.failures = [moved]
    assert client.download_leaderboard("a-task") == b"the board"
    assert kaggle.storage_logins == [None]
