"""The home machine's port: strangers cost little, however many there are."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.runs.cluster import relay as relays
from mlebench.runs.cluster.relay import Admitted, Home, Relay


@pytest.fixture
def relay(monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    monkeypatch.setattr(relays, "FIRST_LINE_SECONDS", 1.0)
    monkeypatch.setattr(relays, "MOST_STRANGERS", 8)
    relay = Relay("127.0.0.1")
    yield relay
    relay.close()


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(10)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_strangers_beyond_the_limit_are_sent_away_and_the_rest_after_a_while(
    relay: Relay, tmp_path: Path
) -> None:
    before = threading.active_count()
    with contextlib.ExitStack() as open_:
        silent = [
            open_.enter_context(socket.create_connection(("127.0.0.1", relay.port)))
            for _ in range(50)
        ]
        assert all(is_closed(connection) for connection in silent[8:])
        assert threading.active_count() <= before + 8
        assert all(is_closed(connection) for connection in silent[:8])
    with relay.admitted(Admitted({}, {}, tmp_path)) as token:
        assert not Home("127.0.0.1", relay.port, token).wants_stop()


def test_a_stranger_who_speaks_slowly_does_not_stay(relay: Relay) -> None:
    started = time.monotonic()
    stranger = socket.create_connection(("127.0.0.1", relay.port))
    with stranger, contextlib.suppress(OSError):
        while time.monotonic() < started + 10:
            stranger.sendall(b"a")
            time.sleep(0.2)
    assert time.monotonic() - started < 5


def test_whoever_is_admitted_does_not_count(relay: Relay, tmp_path: Path) -> None:
    with relay.admitted(Admitted({}, {}, tmp_path)) as token, contextlib.ExitStack() as open_:
        home = Home("127.0.0.1", relay.port, token)
        for _ in range(20):
            open_.enter_context(home.asked("deliver"))
            time.sleep(0.02)
        time.sleep(1.5)
        assert not home.wants_stop()
