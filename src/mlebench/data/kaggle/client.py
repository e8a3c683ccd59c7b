"""The part of Kaggle's API that downloads need."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mlebench.data.kaggle.connection import Connection, decoded
from mlebench.data.kaggle.endpoints import (
    DOWNLOAD_ALL,
    DOWNLOAD_FILE,
    DOWNLOAD_LEADERBOARD,
    GET_COMPETITION,
    INTROSPECT_TOKEN,
    LIST_COMPETITIONS,
    Endpoint,
)
from mlebench.data.kaggle.refusals import refusal, refused_login
from mlebench.data.layout import zip_name
from mlebench.data.patience import Patience
from mlebench.data.receiving import Arrival, Report, no_arrival, no_check, no_report, zip_damage
from mlebench.data.transfer import Link, download
from mlebench.errors import DataSourceError

if TYPE_CHECKING:
    import httpx

NO_SUCH_TOKEN = (400, 401, 403, 404)

logger = logging.getLogger(__name__)


class KaggleClient:
    """Talks to Kaggle with the user's login; several threads may share one.

    Args:
        api: Where Kaggle's API is; by default as the environment says.
        patience: How often and how long to try.
    """

    def __init__(self, api: str | None = None, *, patience: Patience | None = None) -> None:
        self._patience = patience or Patience()
        self._connection = Connection(api, self._patience)

    def check_login(self) -> str | None:
        """Show Kaggle the login, and tell whose it is.

        Raises:
            KaggleAuthError: There is none, or Kaggle refuses it.
        """
        login = self._connection.login()
        if login.is_key:
            self.list_competitions()
            return login.username
        answer = self._connection.ask(INTROSPECT_TOKEN, login, token=login.secret)
        if answer.status_code in NO_SUCH_TOKEN:
            raise refused_login(login)
        if answer.is_error:
            raise refusal(answer, login, {})
        told = decoded(answer, dict)
        if not (told.get("active") and told.get("username")):
            raise refused_login(login)
        return str(told["username"])

    def find_username(self) -> str | None:
        """Whose login this is; a token is shown to Kaggle to learn it."""
        login = self._connection.login()
        if login.username:
            return login.username
        told = decoded(self._ask(INTROSPECT_TOKEN, token=login.secret), dict)
        name: str | None = told.get("username") if told.get("active") else None
        return name

    def list_competitions(self, **query: Any) -> list[dict[str, Any]]:
        """Competitions as Kaggle describes them, one page of them."""
        answer = self._ask(LIST_COMPETITIONS, **query)
        told = decoded(answer, object)
        found = told.get("competitions", []) if isinstance(told, dict) else decoded(answer, list)
        return [entry for entry in found if isinstance(entry, dict)]

    def rules_accepted(self, competition_id: str) -> bool | None:
        """Whether the user has accepted the rules of a competition; None if Kaggle is silent.

        Raises:
            DataSourceError: Kaggle does not know the competition.
        """
        told = decoded(self._ask(GET_COMPETITION, competitionName=competition_id), dict)
        entered = told.get("userHasEntered")
        return None if entered is None else bool(entered)

    def download_leaderboard(self, competition_id: str) -> bytes:
        """The zip with the full leaderboard of a competition."""
        answer = self._ask(DOWNLOAD_LEADERBOARD, competitionName=competition_id)
        if answer.next_request is None:
            return answer.content
        link = _link(answer)
        with TemporaryDirectory() as folder:
            archive = Path(folder) / "leaderboard.zip"
            return download(lambda: link, archive, patience=self._patience).read_bytes()

    def download_all(
        self,
        competition_id: str,
        folder: Path,
        *,
        force: bool = False,
        on_bytes: Report = no_report,
        on_whole: Arrival = no_arrival,
    ) -> Path:
        """All files of a competition in one zip, which is named after the competition.

        Whatever the storage calls it: a zip is what Kaggle promises, and nothing else is kept.

        Args:
            competition_id: The competition.
            folder: Where the zip goes.
            force: Fetch it even if it is there already.
            on_bytes: Is told now and then how many bytes there are, of how many.
            on_whole: Is told where the whole file lies before it gets its name, and this name.

        Raises:
            KaggleAuthError: There is no login, or Kaggle refuses it.
            RulesNotAcceptedError: The rules have to be accepted first.
            DataSourceError: The zip cannot be had, or arrived damaged twice.
        """
        target = folder / zip_name(competition_id)
        if target.is_file() and not force:
            return _present(target)
        ask = partial(self._find_link, DOWNLOAD_ALL, competitionName=competition_id)
        return self._fetch(ask(), ask, target, force, on_bytes, on_whole)

    def download_file(
        self,
        competition_id: str,
        name: str,
        folder: Path,
        *,
        force: bool = False,
        on_bytes: Report = no_report,
    ) -> Path:
        """One file of a competition; Kaggle sends large ones as ``<name>.zip``.

        Args:
            competition_id: The competition.
            name: The file, with the folders it lies in.
            folder: Where it goes, without these folders.
            force: Fetch it even if it is there already.
            on_bytes: Is told now and then how many bytes there are, of how many.

        Raises:
            KaggleAuthError: There is no login, or Kaggle refuses it.
            RulesNotAcceptedError: The rules have to be accepted first.
            DataSourceError: The file cannot be had, or arrived damaged twice.
        """
        ask = partial(self._find_link, DOWNLOAD_FILE, competitionName=competition_id, fileName=name)
        link = ask()
        return self._fetch(link, ask, folder / link.file_name, force, on_bytes)

    def _fetch(
        self,
        link: Link,
        ask: Callable[[], Link],
        target: Path,
        force: bool,
        on_bytes: Report,
        on_whole: Arrival = no_arrival,
    ) -> Path:
        if target.is_file() and not force:
            return _present(target)
        links = chain([link], iter(ask, None))
        return download(
            lambda: next(links),
            target,
            on_bytes=on_bytes,
            on_whole=on_whole,
            check=zip_damage if target.suffix == ".zip" else no_check,
            patience=self._patience,
        )

    def _find_link(self, endpoint: Endpoint, **fields: Any) -> Link:
        """Where the storage has a file just now; it is asked for it without the login."""
        return _link(self._ask(endpoint, **fields))

    def _ask(self, endpoint: Endpoint, **fields: Any) -> httpx.Response:
        login = self._connection.login()
        answer = self._connection.ask(endpoint, login, **fields)
        if answer.is_error:
            raise refusal(answer, login, fields)
        return answer


def _link(answer: httpx.Response) -> Link:
    if answer.next_request is None:
        raise DataSourceError("Kaggle answers without an address of the files. Try again later.")
    return Link(str(answer.next_request.url), "Kaggle's storage")


def _present(path: Path) -> Path:
    logger.info("%s is there already.", path)
    return path
