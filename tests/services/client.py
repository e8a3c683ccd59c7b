"""A room's side of a door, with whole requests and with raw bytes."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from mlebench.services.validation import Door

SECONDS = 120.0
BOUNDARY = "cut-here"
HEAD = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="s.csv"\r\n\r\n'
).encode()
TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()


@contextlib.contextmanager
def client(door: Door) -> Iterator[httpx.Client]:
    """Somebody who goes through a door."""
    transport = httpx.HTTPTransport(uds=str(door.path))
    with httpx.Client(transport=transport, base_url=door.address, timeout=SECONDS) as made:
        yield made


def post(door: Door, content: bytes | Path, **options: Any) -> httpx.Response:
    """The answer to a submission."""
    sent = content.read_bytes() if isinstance(content, Path) else content
    with client(door) as room:
        return room.post("/validate", files={"file": ("anything.csv", sent)}, **options)


def connect(door: Door) -> socket.socket:
    """A connection as it is."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(SECONDS)
    connection.connect(str(door.path))
    return connection


def form(content: bytes) -> bytes:
    """A body with a file."""
    return HEAD + content + TAIL


def head(length: int | str, *more: str) -> bytes:
    """The beginning of a request whose body has some length, or so it says."""
    lines = [
        "POST /validate HTTP/1.1",
        "Host: localhost",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
        f"Content-Length: {length}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def read_answer(connection: socket.socket) -> tuple[int, Any]:
    """The status and the JSON of an answer; 0 and None if the other side hangs up."""
    with connection.makefile("rb") as stream:
        first = stream.readline().split()
        if not first:
            return 0, None
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return int(first[1]), json.loads(stream.read(length))


def ask_raw(door: Door, *parts: bytes) -> tuple[int, Any]:
    """The answer to whatever bytes, after which nothing more is sent."""
    with connect(door) as connection:
        with contextlib.suppress(BrokenPipeError):  # the answer may be there already
            for part in parts:
                connection.sendall(part)
        return read_answer(connection)
