"""The home machine's port for its nodes: doors, data, results, and the wish to stop.

A connection begins with a line of a run's token and what it is about, such as ``door 5000``.
Without a token that has been admitted nothing is answered.
"""

from __future__ import annotations

import contextlib
import hmac
import logging
import secrets
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.errors import SandboxError
from mlebench.runs.cluster.packing import receive_folder, send_folder

logger = logging.getLogger(__name__)

LONGEST_LINE = 200
YES, NO = b"1", b"0"
CHUNK = 1 << 16
CONNECT_SECONDS = 20.0
PATIENCE_SECONDS = 600.0
"""How long a connection may be silent before it is taken for lost."""
FIRST_LINE_SECONDS = 10.0
"""How long somebody may take to say who they are."""
MOST_STRANGERS = 256
"""Connections at a time that have not said it yet; further ones are closed at once."""


@dataclass(frozen=True)
class Admitted:
    """What a run may ask for.

    Attributes:
        doors: For each port the unix socket at home behind it.
        folders: What may be fetched, by name.
        target: Where what is delivered goes.
        stop: Whether the run is to end.
        is_known: Whether a node has asked for something, so that the run has a place.
    """

    doors: Mapping[int, Path]
    folders: Mapping[str, Path]
    target: Path
    stop: threading.Event = field(default_factory=threading.Event)
    is_known: threading.Event = field(default_factory=threading.Event)


class Relay:
    """Serves nodes from threads of its own until it is left."""

    def __init__(self, host: str) -> None:
        self._admitted: dict[str, Admitted] = {}
        self._strangers = threading.BoundedSemaphore(MOST_STRANGERS)
        relay = self

        class Handler(socketserver.StreamRequestHandler):
            timeout = FIRST_LINE_SECONDS

            def handle(self) -> None:
                relay._answer(self)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            request_queue_size = 128

            def verify_request(self, request: object, client_address: object) -> bool:
                return relay._strangers.acquire(blocking=False)

            def process_request(self, request: Any, client_address: Any) -> None:
                try:
                    super().process_request(request, client_address)
                except BaseException:  # no thread to be had, so that nobody else gives it back
                    relay._strangers.release()
                    raise

            def handle_error(self, request: object, client_address: object) -> None:
                logger.debug("A node's connection failed", exc_info=True)

        self._server = Server((host, 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="relay", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Serve nobody any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @contextmanager
    def admitted(self, run: Admitted) -> Iterator[str]:
        """Let a run in; yields its token."""
        token = secrets.token_hex(32)
        self._admitted[token] = run
        try:
            yield token
        finally:
            del self._admitted[token]

    def _answer(self, handler: socketserver.StreamRequestHandler) -> None:
        try:
            line = _first_line(handler.connection).split()
        finally:
            self._strangers.release()
        run = self._find(line[0]) if line else None
        if run is None or len(line) < 2:
            return
        run.is_known.set()
        handler.connection.settimeout(PATIENCE_SECONDS)
        what, *names = line[1:]
        answers: dict[str, Callable[[], None]] = {
            "door": lambda: _join(handler, run.doors[int(names[0])]),
            "fetch": lambda: send_folder(run.folders[names[0]], handler.wfile),
            "deliver": lambda: _receive(handler, run.target),
            "stop": lambda: _say(handler, run.stop.is_set()),
        }
        with contextlib.suppress(KeyError, ValueError, IndexError):  # no such thing for this run
            answers[what]()

    def _find(self, token: str) -> Admitted | None:
        known = list(self._admitted.items())
        return next((run for own, run in known if hmac.compare_digest(own, token)), None)


def _first_line(connection: socket.socket) -> str:
    """What somebody says first; nothing if that is too long or takes too long.

    It is read byte by byte, because what follows is for others, and against one deadline, so
    that nobody stays by saying a little now and then.
    """
    deadline = time.monotonic() + FIRST_LINE_SECONDS
    line = b""
    while len(line) < LONGEST_LINE and (left := deadline - time.monotonic()) > 0:
        connection.settimeout(left)
        sign = connection.recv(1)
        if sign in (b"", b"\n"):
            return line.decode(errors="replace")
        line += sign
    return ""


def _receive(handler: socketserver.StreamRequestHandler, target: Path) -> None:
    receive_folder(handler.rfile, target)
    _say(handler, True)


def _say(handler: socketserver.StreamRequestHandler, yes: bool) -> None:
    handler.wfile.write(YES if yes else NO)


def _join(handler: socketserver.StreamRequestHandler, door: Path) -> None:
    with socket.socket(socket.AF_UNIX) as service:
        service.connect(str(door))
        pump(handler.connection, service)


def pump(one: socket.socket, other: socket.socket) -> None:
    """Pass on what two sockets say to each other, until both have nothing more to say."""
    back = threading.Thread(target=_pass_on, args=(other, one), daemon=True)
    back.start()
    _pass_on(one, other)
    back.join(PATIENCE_SECONDS)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side is gone, and so is this conversation
        while chunk := source.recv(CHUNK):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@dataclass(frozen=True)
class Home:
    """How a node reaches home, on behalf of one run."""

    host: str
    port: int
    token: str

    @contextmanager
    def asked(self, what: str) -> Iterator[socket.socket]:
        """A connection that is about something."""
        try:
            connection = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        except OSError as error:
            raise SandboxError(
                f"The machine that the run belongs to, {self.host}, cannot be reached: {error}."
            ) from error
        with connection:
            connection.settimeout(PATIENCE_SECONDS)
            connection.sendall(f"{self.token} {what}\n".encode())
            yield connection

    def fetch(self, name: str, folder: Path) -> None:
        """Bring a folder from home."""
        with self.asked(f"fetch {name}") as connection, connection.makefile("rb") as stream:
            receive_folder(stream, folder, may_have_links=True)

    def deliver(self, folder: Path) -> None:
        """Bring a folder home, whole."""
        with self.asked("deliver") as connection:
            with connection.makefile("wb") as stream:
                send_folder(folder, stream)
            connection.shutdown(socket.SHUT_WR)
            if connection.recv(1) != YES:
                raise SandboxError("What the run has left did not get home.")

    def wants_stop(self) -> bool:
        """Whether the run is to end."""
        with self.asked("stop") as connection:
            return connection.recv(1) == YES

    def pass_on(self, port: int, visitor: socket.socket) -> None:
        """Pass a visitor of a door on to the service behind it."""
        with self.asked(f"door {port}") as connection:
            pump(visitor, connection)
