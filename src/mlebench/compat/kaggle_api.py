"""Kaggle's client, as programs written for the original use it."""

from __future__ import annotations

import logging
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mlebench.data.kaggle import KaggleClient
from mlebench.data.layout import zip_name
from mlebench.errors import DataSourceError, KaggleAuthError

__all__ = ["KaggleApi", "authenticate_kaggle_api"]

logger = logging.getLogger(__name__)


def authenticate_kaggle_api() -> Any:
    """A Kaggle client that has proven that its login works.

    Where the package ``kaggle`` is installed, its own object; else one with those of its
    methods that programs use.

    Raises:
        PermissionError: There is no login, or Kaggle refuses it.
    """
    official = _official_api()
    if official is not None:
        return official
    client = KaggleClient()
    client.check_login()
    return KaggleApi(client)


class KaggleApi:
    """Our own client under the method names of the official one."""

    def __init__(self, client: KaggleClient) -> None:
        self._client = client

    def competitions_list(
        self,
        group: str | None = None,
        category: str | None = None,
        sort_by: str | None = None,
        page: int = 1,
        search: str | None = None,
    ) -> list[SimpleNamespace]:
        """A page of competitions; what Kaggle says about each are its attributes."""
        found = self._client.list_competitions(
            group=group, category=category, sortBy=sort_by, page=page, search=search
        )
        return [SimpleNamespace(**entry) for entry in found]

    def competition_download_files(
        self,
        competition: str,
        path: Path | str | None = None,
        quiet: bool = True,
        force: bool = False,
    ) -> None:
        """Fetch all files of a competition as ``<competition>.zip``, unless it is there."""
        archive = self._client.download_all(competition, _folder(path), force=force)
        _tell(archive, quiet)

    def competition_download_file(
        self,
        competition: str,
        file_name: str,
        path: Path | str | None = None,
        quiet: bool = False,
        force: bool = False,
    ) -> None:
        """Fetch one file of a competition, unless it is there."""
        file = self._client.download_file(competition, file_name, _folder(path), force=force)
        _tell(file, quiet)

    def competition_leaderboard_download(
        self, competition: str, path: Path | str | None = None, quiet: bool = True
    ) -> None:
        """Fetch the full leaderboard of a competition as ``<competition>.zip``."""
        folder = _folder(path)
        content = self._client.download_leaderboard(competition)
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / zip_name(competition)
        archive.write_bytes(content)
        _tell(archive, quiet)

    def get_config_value(self, name: str) -> str | None:
        """The user's name under ``username``; nothing else is configured."""
        if name != "username":
            return None
        try:
            return self._client.find_username()
        except KaggleAuthError:
            raise
        except DataSourceError as error:
            logger.warning("Kaggle does not tell whose token this is: %s", error)
            return None


def _folder(path: Path | str | None) -> Path:
    return Path.cwd() if path is None else Path(path)


def _tell(path: Path, quiet: bool) -> None:
    if not quiet:
        logger.info("Downloaded to %s", path)


def _official_api() -> Any:
    """The object of the package ``kaggle``, logged in; none where it is not installed."""
    # It looks for the login while it is imported, tells on stdout what it misses, where
    # programs expect results, and in some versions leaves the interpreter.
    try:
        with redirect_stdout(sys.stderr):
            api = getattr(import_module("kaggle"), "api", None)
            if api is not None:
                api.authenticate()
                api.competitions_list()
    except ImportError:
        return None
    except (Exception, SystemExit) as error:
        raise KaggleAuthError(
            "Kaggle authentication failed! The package kaggle cannot log in "
            f"({type(error).__name__}: {error})."
        ) from error
    return api
