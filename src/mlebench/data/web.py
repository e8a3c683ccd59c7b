"""Our HTTP clients: with time limits, and with logs and messages that give no secrets away."""

from __future__ import annotations

import json
import logging
import re
import zlib
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
MOST_OF_A_REFUSAL = 1 << 16
MOST_OF_AN_ANSWER = 1 << 26
UNPACKED = ("gzip", "x-gzip", "deflate")
SENT_AS = (b"content-encoding", b"content-length", b"transfer-encoding")
# Their loggers show whole addresses and headers of answers.
TALKATIVE = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")
_QUERY = re.compile(r"\?[^\s\"'<>)]+")
# A password may hold an @ or a quote; a path, a query and a fragment are none.
_USER = re.compile(r"//[^/\s?#]+@")


def new_client(patience: Patience) -> httpx.Client:
    """A client for several threads that never waits for ever, and goes where it is told to only.

    Raises:
        DataSourceError: The library for it is not installed.
    """
    try:
        import httpx
    except ImportError as error:
        raise DataSourceError("Downloading needs httpx: pip install 'mlebench[kaggle]'") from error
    _hush()
    limits = httpx.Timeout(patience.read_seconds, connect=patience.connect_seconds)
    return httpx.Client(timeout=limits, verify=_trusted_certificates())


def read_up_to(answer: httpx.Response, most: int) -> httpx.Response:
    """An answer with its body, cut where that is longer than anybody wants to know.

    It is taken as UTF-8: the charset that a server states may be anything that Python knows.
    """
    import httpx

    body = bytearray()
    for chunk in answer.iter_raw():
        body += chunk
        if len(body) >= most:
            break
    content = _unpacked(bytes(body[:most]), answer.headers.get("Content-Encoding", ""), most)
    headers = [(name, value) for name, value in answer.headers.raw if name.lower() not in SENT_AS]
    read = httpx.Response(
        answer.status_code, headers=headers, content=content, extensions=answer.extensions
    )
    read.encoding = "utf-8"
    read.next_request = answer.next_request
    return read


def _unpacked(body: bytes, encoding: str, most: int) -> bytes:
    """What was compressed on the way, up to a limit: a few bytes can stand for a full memory."""
    if encoding.lower() not in UNPACKED:
        return body
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, most)
    except zlib.error:
        return b""


def interruption(whose: str, error: httpx.TransportError, patience: Patience) -> UnavailableError:
    """What is told of a request that got no answer, or half of one."""
    import httpx

    if isinstance(error.__context__, httpx.InvalidURL):
        told = f"{whose} leads on to an address that is none: {public(str(error.__context__))}"
        return UnavailableError(told, is_final=True)
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
    text = answer.text[:MOST_OF_A_REFUSAL].strip()
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = re.sub(r"<[^>]*>", " ", text)
    words = " ".join(public(_message(told) or text).split())
    return words[:LONGEST_QUOTE] or answer.reason_phrase or "no reason given"


def _message(told: Any) -> str:
    while isinstance(told, dict):
        told = told.get("error") or told.get("message") or ""
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
