"""Where the user's Kaggle login is found, and that nobody sees it."""

from __future__ import annotations

import json
import logging
import pwd
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mlebench.data.kaggle import KaggleAuthError, KaggleClient, Login, find_login
from tests.kaggle_server import (
    BASIC,
    BEARER,
    KEY,
    REFRESH_TOKEN,
    RENEWED,
    TOKEN,
    USER,
    Kaggle,
)


def put(name: str, content: object, folder: Path | None = None) -> Path:
    """A file of the user's that others cannot read."""
    path = (folder or Path.home() / ".kaggle") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(0o600)
    return path


def stored_key(folder: Path | None = None, user: str = USER) -> Path:
    return put("kaggle.json", {"username": user, "key": KEY}, folder)


def oauth(expires: datetime, **more: object) -> dict[str, object]:
    """What ``kaggle auth login`` stores."""
    return {
        "refresh_token": REFRESH_TOKEN,
        "access_token": TOKEN,
        "access_token_expiration": expires.isoformat(),
        "username": USER,
        "scopes": ["resources.admin:*"],
        **more,
    }


HOUR = timedelta(hours=1)


def test_places_in_the_order_of_the_official_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lowest place is filled first, so each one must win over those before it."""
    oauth_file = put("credentials.json", oauth(datetime.now(UTC) + HOUR))
    assert find_login().source == str(oauth_file)
    assert find_login().authorization == BEARER
    key_file = stored_key()
    assert find_login().source == str(key_file)
    assert find_login().authorization == BASIC
    other = stored_key(tmp_path / "config", "other")
    monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(other.parent))
    assert find_login().source == str(other)
    monkeypatch.setenv("KAGGLE_USERNAME", USER)
    assert find_login().source == str(other), "half a login is none"
    monkeypatch.setenv("KAGGLE_KEY", KEY)
    assert find_login().source == "KAGGLE_USERNAME and KAGGLE_KEY"
    for name in ("access_token.txt", "access_token"):
        token_file = put(name, f"{TOKEN}\n")
        assert find_login() == Login(str(token_file), TOKEN)
    named = put("token", f" {TOKEN}\n", tmp_path)
    monkeypatch.setenv("KAGGLE_API_TOKEN", str(named))
    assert find_login().source.startswith(str(named))
    assert find_login().authorization == BEARER
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    assert find_login() == Login("KAGGLE_API_TOKEN", TOKEN)
    monkeypatch.setenv("KAGGLE_API_TOKEN", "x" * 5000)
    assert find_login().secret == "x" * 5000


@pytest.mark.parametrize("is_configured", [False, True])
def test_the_desktops_place_counts_where_there_is_no_other(
    is_configured: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    config = tmp_path / "config" if is_configured else Path.home() / ".config"
    if is_configured:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    path = stored_key(config / "kaggle")
    assert find_login().source == str(path)
    (Path.home() / ".kaggle").mkdir()
    with pytest.raises(KaggleAuthError, match="no login yet"):
        find_login()


def test_no_login_says_what_to_set() -> None:
    with pytest.raises(
        KaggleAuthError, match=r"^Kaggle authentication failed! Set KAGGLE_API_TOKEN.*/\.kaggle/"
    ):
        find_login()


def test_a_login_shown_to_people_keeps_its_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    put("credentials.json", oauth(datetime.now(UTC) + HOUR))
    shown = repr(find_login())
    stored_key()
    shown += repr(find_login())
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    shown += repr(find_login())
    assert USER in shown
    assert "secret" not in shown.replace("secret=", "")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("kaggle.json", "{not json", "kaggle.json is damaged: it is not JSON"),
        pytest.param("kaggle.json", "[" * 100_000, "kaggle.json .* is not JSON", id="deep key"),
        pytest.param("credentials.json", "[" * 100_000, "is not JSON", id="deep credentials"),
        ("kaggle.json", "[]", "kaggle.json is damaged: it holds no JSON object"),
        ("kaggle.json", "{}", "there is no login yet"),
        ("credentials.json", "{}", "there is no login yet"),
        ("access_token", "", "there is no login yet"),
        ("access_token", "two words", "access_token holds more or something else than a token"),
        ("access_token", "Bearer\nx", "access_token holds more or something else than a token"),
    ],
)
def test_files_without_a_login(name: str, content: str, told: str) -> None:
    put(name, content)
    with pytest.raises(KaggleAuthError, match=told) as caught:
        find_login()
    assert "two words" not in str(caught.value)


def test_bytes_that_are_no_text() -> None:
    put("kaggle.json", "").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(KaggleAuthError, match="is damaged: it is not text"):
        find_login()


def test_a_key_that_others_can_read_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    path = stored_key()
    with caplog.at_level(logging.WARNING):
        find_login()
    assert caplog.messages == []
    open_to_all = put("access_token", TOKEN)
    open_to_all.chmod(0o644)
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        find_login()
        find_login()
    assert caplog.messages == [
        f"Others can read your Kaggle login in {open_to_all}: chmod 600 {open_to_all}"
    ]


def test_a_path_may_begin_with_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("token", f"{TOKEN}\n")
    monkeypatch.setenv("KAGGLE_API_TOKEN", "~/.kaggle/token")
    assert find_login().authorization == BEARER
    assert find_login().source.startswith(str(path))


@pytest.mark.parametrize("path", ["~/.kaggle/tokn", "/nowhere/secret", "secrets/secret", "~"])
def test_a_path_without_a_file_is_no_token(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_API_TOKEN", path)
    with pytest.raises(KaggleAuthError, match="KAGGLE_API_TOKEN says looks like a path") as caught:
        find_login()
    assert "secret" not in str(caught.value)


@pytest.fixture
def oauth_only(kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch) -> Kaggle:
    monkeypatch.delenv("KAGGLE_API_TOKEN")
    return kaggle


class TestOauth:
    """Tokens that expire are renewed, and nothing is written."""

    def test_a_fresh_token_is_used_as_it_is(self, oauth_only: Kaggle) -> None:
        put("credentials.json", oauth(datetime.now(UTC) + HOUR))
        assert KaggleClient().check_login() == USER
        assert oauth_only.logins == [BEARER]

    @pytest.mark.parametrize("end", [datetime.now(UTC) - HOUR, datetime(2020, 1, 1)])
    def test_an_expired_one_is_renewed_once(self, end: datetime, oauth_only: Kaggle) -> None:
        path = put("credentials.json", oauth(end))
        before = path.read_text()
        client = KaggleClient()
        assert client.check_login() == USER
        assert client.rules_accepted("a-task")
        assert oauth_only.logins == [None, RENEWED, RENEWED]
        assert oauth_only.asked[0] == {"refreshToken": REFRESH_TOKEN}
        assert path.read_text() == before

    @pytest.mark.parametrize(
        "change",
        [
            {"access_token": ""},
            {"access_token_expiration": "?"},
            {"access_token_expiration": "0001-01-01T00:00:00Z"},
            {"access_token_expiration": "0001-01-01T00:00:00+14:00"},
        ],
    )
    def test_what_cannot_be_used_is_renewed(
        self, change: dict[str, str], oauth_only: Kaggle
    ) -> None:
        put("credentials.json", oauth(datetime.now(UTC) + HOUR) | change)
        assert KaggleClient().check_login() == USER
        assert oauth_only.logins == [None, RENEWED]

    def test_a_login_that_cannot_be_renewed(self, oauth_only: Kaggle) -> None:
        path = put(
            "credentials.json", oauth(datetime.now(UTC) - HOUR, refresh_token="secret-and-old")
        )
        with pytest.raises(KaggleAuthError) as caught:
            KaggleClient().check_login()
        assert str(caught.value).endswith("Log in again: kaggle auth login")
        assert str(path) in str(caught.value)
        assert "secret" not in str(caught.value)


def test_nobody_needs_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(KaggleAuthError, match="no login yet"):
        find_login()
