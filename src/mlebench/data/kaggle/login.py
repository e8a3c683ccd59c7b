"""The user's Kaggle login, from where Kaggle's own tools look for it, in their order."""

from __future__ import annotations

import base64
import json
import logging
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from mlebench.errors import KaggleAuthError

SETTINGS_PAGE = "https://www.kaggle.com/settings"
TOKEN_VARIABLE = "KAGGLE_API_TOKEN"  # noqa: S105 (a name)
CONFIG_VARIABLE = "KAGGLE_CONFIG_DIR"
TOKEN_FILES = ("access_token", "access_token.txt")
# A token that ends while the request is on its way would be refused.
SPARE_TIME = timedelta(minutes=1)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Login:
    """Who the user is to Kaggle; shown to people, it keeps its secrets."""

    source: str
    """Where it was found, for messages."""
    secret: str = field(repr=False)
    username: str | None = None
    is_key: bool = False
    """The secret goes with the user name; otherwise it is a token that stands for itself."""
    refresh_token: str | None = field(default=None, repr=False)
    """With which a new token can be had when this one has expired."""
    expires: datetime | None = None

    @property
    def authorization(self) -> str:
        """The header that shows this login to Kaggle."""
        if self.is_key:
            pair = f"{self.username}:{self.secret}".encode()
            return f"Basic {base64.b64encode(pair).decode()}"
        return f"Bearer {self.secret}"

    @property
    def is_expired(self) -> bool:
        """Whether a new token has to be asked for first."""
        is_over = self.expires is not None and self.expires <= datetime.now(UTC) + SPARE_TIME
        return is_over or not self.secret


def find_login() -> Login:
    """The user's login.

    Raises:
        KaggleAuthError: There is none, or the file it should be in is damaged.
    """
    places: tuple[Callable[[], Login | None], ...] = (
        *(_token_of_environment, _stored_token),
        *(_key_of_environment, _stored_key),
        _stored_oauth,
    )
    for look in places:
        if login := look():
            return login
    raise KaggleAuthError(
        f"Kaggle authentication failed! Set {TOKEN_VARIABLE}, or KAGGLE_USERNAME and KAGGLE_KEY, "
        f"or save your key as {_key_file()}: there is no login yet. {SETTINGS_PAGE} makes one."
    )


def _token_of_environment() -> Login | None:
    stated = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not stated:
        return None
    path = os.path.expanduser(stated)  # noqa: PTH111 (it bears users without a home)
    if os.path.isfile(path):  # noqa: PTH113 (a long token is a name that Path refuses)
        return _token_in(Path(path), f"{path}, the file that {TOKEN_VARIABLE} names")
    if "/" in path:  # not quoted, as a token it may be all the same
        raise KaggleAuthError(
            f"Kaggle authentication failed! What {TOKEN_VARIABLE} says looks like a path, but no "
            "file is there. Correct it, or give the token itself."
        )
    return Login(TOKEN_VARIABLE, _checked(stated, TOKEN_VARIABLE))


def _stored_token() -> Login | None:
    files = (_home() / name for name in TOKEN_FILES)
    found = (_token_in(path, str(path)) for path in files if path.is_file())
    return next((login for login in found if login), None)


def _token_in(path: Path, source: str) -> Login | None:
    token = _read(path).strip()
    return Login(source, _checked(token, source)) if token else None


def _key_of_environment() -> Login | None:
    user, key = os.environ.get("KAGGLE_USERNAME"), os.environ.get("KAGGLE_KEY")
    if not (user and key):
        return None
    return Login("KAGGLE_USERNAME and KAGGLE_KEY", key, username=user, is_key=True)


def _stored_key() -> Login | None:
    path = _key_file()
    if not path.is_file():
        return None
    stored = _read_object(path)
    user, key = stored.get("username"), stored.get("key")
    if not (user and key):
        return None
    return Login(str(path), str(key), username=str(user), is_key=True)


def _stored_oauth() -> Login | None:
    """What ``kaggle auth login`` leaves behind."""
    path = _home() / "credentials.json"
    if not path.is_file():
        return None
    stored = _read_object(path)
    token, refresh_token = stored.get("access_token"), stored.get("refresh_token")
    if not (token or refresh_token):
        return None
    return Login(
        str(path),
        _checked(str(token), str(path)) if token else "",
        username=stored.get("username") or None,
        refresh_token=refresh_token or None,
        expires=_end_of(stored) if refresh_token else None,
    )


def _end_of(stored: dict[str, Any]) -> datetime:
    """When the stored token expires; a date that cannot be read has passed."""
    try:
        end = datetime.fromisoformat(str(stored.get("access_token_expiration")))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return end if end.tzinfo else end.replace(tzinfo=UTC)


def _home() -> Path:
    # Not `Path.home`, which raises where nobody has a home.
    return Path(os.path.expanduser("~/.kaggle"))  # noqa: PTH111


def _key_file() -> Path:
    if configured := os.environ.get(CONFIG_VARIABLE):
        return Path(configured) / "kaggle.json"
    if sys.platform.startswith("linux") and not _home().is_dir():
        config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
        if (Path(config) / "kaggle").is_dir():
            return Path(config) / "kaggle" / "kaggle.json"
    return _home() / "kaggle.json"


def _read_object(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "is not JSON") from error
    if not isinstance(stored, dict):
        raise _damaged(path, "holds no JSON object")
    return stored


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
        _warn_if_exposed(path)
    except OSError as error:
        raise KaggleAuthError(
            f"Kaggle authentication failed! {path} cannot be read: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise _damaged(path, "is not text") from error
    return text


def _checked(token: str, source: str) -> str:
    """A token that can be sent; a stray line or letter would end in a riddle."""
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise KaggleAuthError(
            f"Kaggle authentication failed! {source} holds more or something else than a token. "
            f"{SETTINGS_PAGE} makes a new one."
        )
    return token


def _damaged(path: Path, how: str) -> KaggleAuthError:
    return KaggleAuthError(
        f"Kaggle authentication failed! {path} is damaged: it {how}. {SETTINGS_PAGE} makes a new "
        "one."
    )


@cache
def _warn_if_exposed(path: Path) -> None:
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        logger.warning("Others can read your Kaggle login in %s: chmod 600 %s", path, path)
