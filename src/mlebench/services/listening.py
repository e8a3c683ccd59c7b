"""Connections at a door: parsed by uvicorn, bounded in number and patience by us.

Not uvicorn's server: it is made for one address in a process, and we have one for each room.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial

from starlette.applications import Starlette
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mlebench.errors import CallRefusedError
from mlebench.services.calls import refusal_answer, refused_call
from mlebench.services.limits import ServiceLimits
from mlebench.services.places import BACKLOG

logger = logging.getLogger(__name__)

LONGEST_REQUEST_HEAD = 1 << 16
GRACE_SECONDS = 2.0
REASONS = {400: "Bad Request", 503: "Service Unavailable"}

GARBLED = refused_call(
    400, "garbled_request", "This is no HTTP request.", error="The request cannot be understood."
)
FULL = refused_call(
    503,
    "too_many_connections",
    "Too many connections are open.",
    error="The service is busy.",
    retry_after=5,
)


class Connection(H11Protocol):
    """A connection that is told in JSON what is wrong with it."""

    def __init__(self, config: Config, state: ServerState, most: int) -> None:
        super().__init__(config, state, {})
        self.logger = logger
        self.access_log = False
        self._most = most
        self._is_surplus = False
        self.waits_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there are not too many."""
        self._is_surplus = len(self.connections) >= self._most
        if self._is_surplus:
            transport.write(_plain_answer(FULL))
            transport.close()
            return
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Take what is sent."""
        if not self._is_surplus:
            super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Clear up."""
        if not self._is_surplus:
            super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, unless an answer to what came before is on its way."""
        if self.is_the_clients_turn or not self.cycle.response_started:
            self.transport.write(_plain_answer(GARBLED))
        self.transport.close()

    @property
    def is_the_clients_turn(self) -> bool:
        """Whether there is no request that we are at work on."""
        return self.cycle is None or self.cycle.response_complete


class Listener:
    """The open end of a door, in the event loop."""

    def __init__(
        self, app: Starlette, limits: ServiceLimits, conclude: Callable[[], Awaitable[None]]
    ) -> None:
        """Make an open end; `conclude` is called after the last call has ended."""
        # What uvicorn warns of is what a room sends, which is no news; its errors are ours.
        logger.setLevel(logging.ERROR)
        self._limits = limits
        self._conclude = conclude
        self._state = ServerState()
        config = Config(
            app,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=LONGEST_REQUEST_HEAD,
        )
        config.load()
        self._connect = partial(Connection, config, self._state, limits.connections)
        self._server: asyncio.Server | None = None

    async def start(self, place: socket.socket) -> None:
        """Begin to listen at a bound socket."""
        loop = asyncio.get_running_loop()
        is_unix = place.family == socket.AF_UNIX
        create = loop.create_unix_server if is_unix else loop.create_server
        self._server = await create(self._connect, sock=place, backlog=BACKLOG)

    def sweep(self) -> None:
        """Hang up on those who have been connected for long without asking anything."""
        now = time.monotonic()
        for connection in self._connections():
            if not connection.is_the_clients_turn:
                connection.waits_since = None
            elif connection.waits_since is None:
                connection.waits_since = now
            elif now - connection.waits_since > self._limits.idle_seconds:
                connection.transport.abort()

    async def stop(self) -> None:
        """Stop listening; calls get a moment to end."""
        if self._server:
            self._server.close()
        for connection in self._connections():
            connection.shutdown()
        if tasks := list(self._state.tasks):
            _, late = await asyncio.wait(tasks, timeout=GRACE_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=GRACE_SECONDS)
        for connection in self._connections():
            connection.transport.close()
        await self._conclude()

    def _connections(self) -> list[Connection]:
        return [known for known in self._state.connections if isinstance(known, Connection)]


def _plain_answer(refused: CallRefusedError) -> bytes:
    """An answer to somebody with whom no request was agreed upon."""
    answer = refusal_answer(refused)
    body = json.dumps(answer.body).encode()
    headers = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **answer.headers,
    }
    lines = [f"HTTP/1.1 {answer.status} {REASONS[answer.status]}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
