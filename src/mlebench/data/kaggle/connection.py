"""Asking Kaggle: with the user's login, in a dialect that the host speaks, again if need be."""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from mlebench.data.kaggle.endpoints import GENERATE_TOKEN, Endpoint, Request, as_rest, as_rpc
from mlebench.data.kaggle.login import Login, find_login
from mlebench.data.kaggle.refusals import refused_login
from mlebench.data.patience import Attempts, Patience
from mlebench.data.web import (
    MOST_OF_A_REFUSAL,
    MOST_OF_AN_ANSWER,
    interruption,
    new_client,
    public,
    read_up_to,
    turned_away,
    words_of,
)
from mlebench.errors import DataSourceError, UnavailableError

if TYPE_CHECKING:
    import httpx

API_VARIABLE = "MLEBENCH_KAGGLE_API"
DEFAULT_API = "https://www.kaggle.com/api/v1"
DEFAULT_RPC = "https://api.kaggle.com/v1"
UNKNOWN_WAY = (404, 405)
DEFAULT_LIFE_SECONDS = 12 * 3600

T = TypeVar("T")


class Connection:
    """One way to Kaggle for all threads; connections are reused."""

    def __init__(self, api: str | None, patience: Patience) -> None:
        self.api = (api or os.environ.get(API_VARIABLE) or DEFAULT_API).rstrip("/")
        self._rpc_api = DEFAULT_RPC if self.api == DEFAULT_API else self.api
        self._patience = patience
        self._lock = threading.RLock()
        self._client: httpx.Client | None = None
        self._renewed: dict[str, Login] = {}
        self._is_rpc: bool | None = None
        """Whether the host speaks the newer dialect; unknown before the first answer."""

    def login(self) -> Login:
        """The user's login as it is now, renewed if it has expired."""
        login = find_login()
        if login.refresh_token is None or not login.is_expired:
            return login
        with self._lock:
            renewed = self._renewed.get(login.refresh_token)
            if renewed is None or renewed.is_expired:
                renewed = self._renewed[login.refresh_token] = self._renew(login)
        return renewed

    def ask(self, endpoint: Endpoint, login: Login | None, **fields: Any) -> httpx.Response:
        """The answer to a question, whatever it is except not now.

        Args:
            endpoint: The question.
            login: Who asks.
            fields: What belongs to it; None stands for nothing.

        Raises:
            UnavailableError: Kaggle does not answer, or not now, however often it is asked.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        attempts = Attempts(self._patience)
        while True:
            try:
                answer = self._ask_once(endpoint, login, given)
                if trouble := turned_away("Kaggle", answer):
                    raise trouble
                return answer
            except UnavailableError as error:
                attempts.wait_after(error)

    def _ask_once(
        self, endpoint: Endpoint, login: Login | None, fields: dict[str, Any]
    ) -> httpx.Response:
        """Ask in the newer dialect, and in the older one where a host does not know that."""
        if self._is_rpc is not False:
            answer = self._send(self._rpc_api, as_rpc(endpoint, fields), login)
            if answer.status_code not in UNKNOWN_WAY or self._is_rpc:
                if not answer.is_error:
                    self._is_rpc = True
                return answer
        answer = self._send(self.api, as_rest(endpoint, fields), login)
        if not answer.is_error:
            self._is_rpc = False
        return answer

    def _send(self, api: str, request: Request, login: Login | None) -> httpx.Response:
        client = self._http()  # first of all, since it tells whoever lacks the library

        import httpx

        headers = {"Accept-Encoding": "gzip"}
        if login:
            headers["Authorization"] = login.authorization
        try:
            with client.stream(
                request.verb,
                f"{api}/{request.path}",
                params=request.query,
                json=request.body,
                headers=headers,
            ) as answer:
                most = MOST_OF_A_REFUSAL if answer.is_error else MOST_OF_AN_ANSWER
                return read_up_to(answer, most)
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeError) as error:
            raise DataSourceError(
                f"Kaggle cannot be asked at {public(api)}: {error} Look at {API_VARIABLE}."
            ) from error
        except httpx.TransportError as error:
            trouble = interruption("Kaggle", error, self._patience)
            if isinstance(error, httpx.ConnectError):
                # Nobody wants to wait to hear that this machine is offline.
                advice = f"{trouble} Is this machine online?"
                raise UnavailableError(advice, is_final=True) from error
            raise trouble from error
        except httpx.HTTPError as error:
            raise DataSourceError(f"Kaggle's answer is damaged: {public(str(error))}") from error

    def _http(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = new_client(self._patience)
                weakref.finalize(self, self._client.close)
            return self._client

    def _renew(self, login: Login) -> Login:
        """The same login with a new token, which is kept in memory only."""
        answer = self.ask(GENERATE_TOKEN, None, refreshToken=login.refresh_token)
        told = {} if answer.is_error else decoded(answer, dict)
        if not told.get("token"):
            raise refused_login(login)
        life = timedelta(seconds=float(told.get("expiresIn") or DEFAULT_LIFE_SECONDS))
        return replace(
            login,
            secret=str(told["token"]),
            username=told.get("userName") or login.username,
            expires=datetime.now(UTC) + life,
        )


def decoded(answer: httpx.Response, of_type: type[T]) -> T:
    """What an answer says to programs.

    Raises:
        DataSourceError: It is something else than it should be, such as a page for people.
    """
    try:
        told = answer.json()
    except (ValueError, RecursionError) as error:
        raise DataSourceError(f"Kaggle's answer is not JSON: {words_of(answer)}") from error
    if not isinstance(told, of_type):
        raise DataSourceError(f"Kaggle's answer is not what was asked for: {words_of(answer)}")
    return told
