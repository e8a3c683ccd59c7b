"""The forwarders of a door, which pass connections on."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import pytest

from mlebench.sandbox.door import MOST_CONNECTIONS, Forwarder

SECONDS = 60.0


def test_only_so_many_connections_are_passed_on_at_a_time(tmp_path: Path) -> None:
    """The others wait until one is over."""
    with contextlib.ExitStack() as opened, socket.socket(socket.AF_UNIX) as service:
        service.settimeout(SECONDS)
        service.bind(str(tmp_path / "service"))
        service.listen(200)
        door = Forwarder(0, str(tmp_path / "service"))
        opened.callback(door.close)
        door.start()

        def call() -> socket.socket:
            return opened.enter_context(socket.create_connection(("127.0.0.1", door.port)))

        callers = [call() for _ in range(MOST_CONNECTIONS)]
        served = [opened.enter_context(service.accept()[0]) for _ in callers]
        late = call()
        service.settimeout(0.5)
        with pytest.raises(TimeoutError):
            service.accept()
        service.settimeout(SECONDS)
        for connection in (*callers, *served):
            connection.close()
        late.sendall(b"hello")
        with service.accept()[0] as connection:
            connection.settimeout(SECONDS)
            assert connection.recv(5) == b"hello"
