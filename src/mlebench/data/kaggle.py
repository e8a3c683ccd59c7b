"""The part of Kaggle's API that downloads need."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mlebench.errors import DataSourceError, KaggleAuthError, RulesNotAcceptedError
from mlebench.writing import written_whole

if TYPE_CHECKING:
    import httpx

__all__ = ["API_VARIABLE", "KaggleAuthError", "KaggleClient", "RulesNotAcceptedError", "find_login"]

API_VARIABLE = "MLEBENCH_KAGGLE_API"
DEFAULT_API = "https://www.kaggle.com/api/v1"
SETTINGS_PAGE = "https://www.kaggle.com/settings"
TIMEOUT_SECONDS = 60.0
CHUNK_BYTES = 1 << 20
RULES_MARKS = ("You must accept", "RulesAcceptanceRequired")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class KaggleClient:
    """Talks to Kaggle with an API token or with a user name and key.

    The login is looked for where Kaggle's own tools do: ``KAGGLE_API_TOKEN``, then
    ``KAGGLE_USERNAME`` and ``KAGGLE_KEY``, then ``kaggle.json`` in ``KAGGLE_CONFIG_DIR``.
    """

    api: str = field(default_factory=lambda: os.environ.get(API_VARIABLE, DEFAULT_API))

    def list_competitions(self, **query: Any) -> list[dict[str, Any]]:
        """Competitions as Kaggle describes them, one page of them."""
        given = {name: value for name, value in query.items() if value is not None}
        told = _decoded(self._ask("competitions/list", params=given))
        found: list[dict[str, Any]] = told["competitions"] if isinstance(told, dict) else told
        return found

    def find_username(self) -> str | None:
        """Whose login this is; a token is shown to Kaggle to learn it."""
        headers, basic = find_login()
        if basic:
            return basic[0]
        token = headers["Authorization"].removeprefix("Bearer ")
        told = _decoded(self._ask("oauth2/introspect", method="POST", json={"token": token}))
        name: str | None = told.get("username") if told.get("active") else None
        return name

    def download_leaderboard(self, competition_id: str) -> bytes:
        """The zip with the full leaderboard of a competition."""
        path = f"competitions/{_part(competition_id)}/leaderboard/download"
        return self._ask(path, competition_id).content

    def download_all(self, competition_id: str, folder: Path, *, force: bool = False) -> Path:
        """All files of a competition in one archive, which is named after the competition.

        Args:
            competition_id: The competition.
            folder: Where the archive goes.
            force: Fetch it even if it is there already.
        """
        path = f"competitions/data/download-all/{_part(competition_id)}"
        with self._open(path, competition_id) as answer:
            suffix = _file_name(answer).suffix or ".zip"
            return _save(answer, folder / f"{competition_id}{suffix}", force=force)

    def download_file(
        self, competition_id: str, name: str, folder: Path, *, force: bool = False
    ) -> Path:
        """One file of a competition; Kaggle sends large ones as ``<name>.zip``.

        Args:
            competition_id: The competition.
            name: The file, with the folders it lies in.
            folder: Where it goes, without these folders.
            force: Fetch it even if it is there already.
        """
        path = f"competitions/data/download/{_part(competition_id)}/{_part(name)}"
        with self._open(path, competition_id) as answer:
            return _save(answer, folder / _file_name(answer).name, force=force)

    def _ask(self, path: str, competition_id: str = "", **request: Any) -> httpx.Response:
        with self._open(path, competition_id, **request) as answer:
            answer.read()
        return answer

    @contextmanager
    def _open(
        self, path: str, competition_id: str = "", *, method: str = "GET", **request: Any
    ) -> Iterator[httpx.Response]:
        """The answer to a request, its body still to be read.

        A redirect to another host is followed without the login.
        """
        try:
            import httpx
        except ImportError as error:
            raise DataSourceError(
                "Talking to Kaggle needs httpx: pip install 'mlebench[kaggle]'"
            ) from error
        headers, basic = find_login()
        try:
            with httpx.stream(
                method,
                f"{self.api}/{path}",
                headers=headers,
                auth=basic,
                timeout=TIMEOUT_SECONDS,
                follow_redirects=True,
                **request,
            ) as answer:
                if answer.is_error:
                    raise _refusal(answer, path, competition_id)
                yield answer
        except httpx.HTTPError as error:
            raise DataSourceError(f"Kaggle cannot be reached: {error}") from error


def _refusal(answer: httpx.Response, path: str, competition_id: str) -> DataSourceError:
    """What an answer that is an error means."""
    answer.read()
    if answer.status_code == 401:
        return KaggleAuthError(
            f"Kaggle authentication failed! There is a login, from {login_place()}, but Kaggle "
            f"refuses it. Make a new one at {SETTINGS_PAGE} and put it in the old one's place."
        )
    if answer.status_code == 403 and any(mark in answer.text for mark in RULES_MARKS):
        # Programs look for how this begins.
        return RulesNotAcceptedError(
            "You must accept this competition's rules before its files can be downloaded: "
            f"https://www.kaggle.com/competitions/{competition_id}/rules"
        )
    return DataSourceError(f"Kaggle answered {answer.status_code} for {path}: {answer.text[:200]}")


def _decoded(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError as error:
        raise DataSourceError(f"Kaggle's answer is not JSON: {answer.text[:200]}") from error


def _file_name(answer: httpx.Response) -> PurePosixPath:
    """What the storage calls the file; only the last part, whatever the address says."""
    name = PurePosixPath(PurePosixPath(answer.url.path).name)
    if name.name in ("", ".."):
        raise DataSourceError("Kaggle's storage gives the file no name.")
    return name


def _save(answer: httpx.Response, target: Path, *, force: bool) -> Path:
    """Write a body to a file that is there completely or not at all."""
    if target.is_file() and not force:
        logger.info("%s is there already.", target)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(target) as partial, partial.open("wb") as file:
        for chunk in answer.iter_bytes(CHUNK_BYTES):
            file.write(chunk)
    return target


def _part(text: str) -> str:
    """A text as one part of an address."""
    return quote(text, safe="")


def find_login() -> tuple[dict[str, str], tuple[str, str] | None]:
    """Headers and basic credentials of the user's login."""
    if token := os.environ.get("KAGGLE_API_TOKEN"):
        return {"Authorization": f"Bearer {token}"}, None
    user, key = os.environ.get("KAGGLE_USERNAME"), os.environ.get("KAGGLE_KEY")
    config = _config_file()
    if not (user and key) and config.is_file():
        user, key = _stored_key(config)
    if not (user and key):
        raise KaggleAuthError(
            "Kaggle authentication failed! Set KAGGLE_API_TOKEN, or KAGGLE_USERNAME and "
            f"KAGGLE_KEY, or save your key as {config}: there is no login yet. {SETTINGS_PAGE} "
            "makes one."
        )
    return {}, (user, key)


def login_place() -> str:
    """Where `find_login` finds the login, in words."""
    if os.environ.get("KAGGLE_API_TOKEN"):
        return "KAGGLE_API_TOKEN"
    if os.environ.get("KAGGLE_USERNAME") and os.environ.get("KAGGLE_KEY"):
        return "KAGGLE_USERNAME and KAGGLE_KEY"
    return str(_config_file())


def _config_file() -> Path:
    # Not `Path.home`, which raises where nobody has a home.
    folder = os.environ.get("KAGGLE_CONFIG_DIR") or os.path.expanduser("~/.kaggle")  # noqa: PTH111
    return Path(folder) / "kaggle.json"


def _stored_key(config: Path) -> tuple[str | None, str | None]:
    try:
        stored = json.loads(config.read_text(encoding="utf-8"))
        return stored.get("username"), stored.get("key")
    except (ValueError, AttributeError) as error:
        raise KaggleAuthError(
            f"Kaggle authentication failed! {config} is damaged. {SETTINGS_PAGE} makes a new one."
        ) from error
