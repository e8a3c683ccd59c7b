"""Our HTTP clients: with time limits, and with logs and messages that give no secrets away."""

from __future__ import annotations

import json
import logging
import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mlebench.data.patience import Patience, asked_to_wait
from mlebench.errors import DataSourceError, UnavailableError

if TYPE_CHECKING:
    import ssl

    import httpx

TOO_MANY_REQUESTS = 429
LONGEST_QUOTE = 200
# Their loggers show whole addresses and headers of answers.
TALKATIVE = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")
_QUERY = re.compile(r"\?[^\s\"'<>)]+")
_USER = re.compile(r"//[^/\s\"'@]+@")


def new_client(patience: Patience, *, follow_redirects: bool) -> httpx.Client:
    """A client for several threads that never waits for ever.

    Raises:
        DataSourceError: The library for it is not installed.
    """
    try:
        import httpx
    except ImportError as error:
        raise DataSourceError("Downloading needs httpx: pip install 'mlebench[kaggle]'") from error
    _hush()
    limits = httpx.Timeout(patience.read_seconds, connect=patience.connect_seconds)
    return httpx.Client(
        timeout=limits, follow_redirects=follow_redirects, verify=_trusted_certificates()
    )


def interruption(whose: str, error: httpx.TransportError, patience: Patience) -> UnavailableError:
    """What is told of a request that got no answer, or half of one."""
    import httpx

    if isinstance(error, httpx.ConnectTimeout):
        return UnavailableError(
            f"{whose} cannot be reached: no connection within {patience.connect_seconds:g} seconds."
        )
    if isinstance(error, httpx.TimeoutException):
        return UnavailableError(f"{whose} sent nothing for {patience.read_seconds:g} seconds.")
    if isinstance(error, httpx.ConnectError):
        return UnavailableError(f"{whose} cannot be reached: {public(str(error))}.")
    return UnavailableError(f"The connection to {whose} broke off: {public(str(error))}.")


def turned_away(whose: str, answer: httpx.Response) -> UnavailableError | None:
    """What is told of an answer that says not now; None for every other one."""
    if answer.status_code != TOO_MANY_REQUESTS and not answer.is_server_error:
        return None
    what = "has been asked too often" if answer.status_code == TOO_MANY_REQUESTS else "has trouble"
    return UnavailableError(
        f"{whose} {what} ({answer.status_code}: {words_of(answer)}).", asked_to_wait(answer.headers)
    )


def words_of(answer: httpx.Response) -> str:
    """What an answer says for people, be it JSON of either shape, HTML or plain text."""
    text = answer.text.strip()
    try:
        told = json.loads(text)
    except ValueError:
        told = re.sub(r"<[^>]*>", " ", text)
    words = " ".join(public(_message(told) or text).split())
    return words[:LONGEST_QUOTE] or answer.reason_phrase or "no reason given"


def _message(told: Any) -> str:
    if isinstance(told, dict):
        return _message(told.get("error") or told.get("message") or "")
    return told if isinstance(told, str) else ""


def public(text: str) -> str:
    """A text without what may be secret in the addresses it quotes."""
    return _USER.sub("//", _QUERY.sub("?…", text))


def host_of(url: str) -> str:
    """The host of an address, for messages."""
    return urlsplit(url).hostname or "the server"


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """Read once, since that takes longer than many a request."""
    import httpx

    return httpx.create_ssl_context()


@cache
def _hush() -> None:
    for name in TALKATIVE:
        logging.getLogger(name).addFilter(_make_public)


def _make_public(record: logging.LogRecord) -> bool:
    """Let a record pass without secrets; each single request is a detail."""
    record.msg, record.args = public(record.getMessage()), ()
    return record.levelno > logging.INFO or logging.getLogger().isEnabledFor(logging.DEBUG)
