"""The part of Kaggle's API that leaderboards need."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import DataSourceError

if TYPE_CHECKING:
    import httpx

API_VARIABLE = "MLEBENCH_KAGGLE_API"
DEFAULT_API = "https://www.kaggle.com/api/v1"
TIMEOUT_SECONDS = 60.0


class KaggleAuthError(DataSourceError, PermissionError):
    """There is no Kaggle login, or Kaggle refuses it."""


@dataclass(frozen=True)
class KaggleClient:
    """Talks to Kaggle with an API token or with a user name and key.

    The login is looked for where Kaggle's own tools do: ``KAGGLE_API_TOKEN``, then
    ``KAGGLE_USERNAME`` and ``KAGGLE_KEY``, then ``kaggle.json`` in ``KAGGLE_CONFIG_DIR``.
    """

    api: str = field(default_factory=lambda: os.environ.get(API_VARIABLE, DEFAULT_API))

    def check_login(self) -> None:
        """Prove that the login works with the cheapest call there is."""
        self._get("competitions/list", page=1)

    def download_leaderboard(self, competition_id: str) -> bytes:
        """The zip with the full leaderboard of a competition."""
        return self._get(f"competitions/{competition_id}/leaderboard/download").content

    def _get(self, path: str, **parameters: Any) -> httpx.Response:
        try:
            import httpx
        except ImportError as error:
            raise DataSourceError(
                "Talking to Kaggle needs httpx: pip install 'mlebench[kaggle]'"
            ) from error
        headers, basic = find_login()
        try:
            answer = httpx.get(
                f"{self.api}/{path}",
                params=parameters,
                headers=headers,
                auth=basic,
                timeout=TIMEOUT_SECONDS,
                follow_redirects=True,
            )
        except httpx.HTTPError as error:
            raise DataSourceError(f"Kaggle cannot be reached: {error}") from error
        if answer.status_code == 401:
            raise KaggleAuthError("Kaggle authentication failed! Kaggle refuses this login.")
        if answer.is_error:
            raise DataSourceError(
                f"Kaggle answered {answer.status_code} for {path}: {answer.text[:200]}"
            )
        return answer


def find_login() -> tuple[dict[str, str], tuple[str, str] | None]:
    """Headers and basic credentials of the user's login."""
    if token := os.environ.get("KAGGLE_API_TOKEN"):
        return {"Authorization": f"Bearer {token}"}, None
    user, key = os.environ.get("KAGGLE_USERNAME"), os.environ.get("KAGGLE_KEY")
    config = Path(os.environ.get("KAGGLE_CONFIG_DIR", Path.home() / ".kaggle")) / "kaggle.json"
    if not (user and key) and config.is_file():
        user, key = _stored_key(config)
    if not (user and key):
        raise KaggleAuthError(
            "Kaggle authentication failed! Set KAGGLE_API_TOKEN, or KAGGLE_USERNAME and "
            f"KAGGLE_KEY, or save your key as {config}."
        )
    return {}, (user, key)


def _stored_key(config: Path) -> tuple[str | None, str | None]:
    try:
        stored = json.loads(config.read_text(encoding="utf-8"))
        return stored.get("username"), stored.get("key")
    except (ValueError, AttributeError) as error:
        raise KaggleAuthError(f"Kaggle authentication failed! {config} is damaged.") from error
