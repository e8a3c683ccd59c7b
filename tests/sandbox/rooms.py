"""Making rooms for tests: a plan around an agent that is one Python script."""

from __future__ import annotations

import http.server
import os
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.room import RoomEnd, RoomLimits, RoomPlan, Sandbox

REASON = BwrapSandbox().why_unusable()
needs_bwrap = pytest.mark.skipif(REASON is not None, reason=str(REASON))

MEGABYTE = 10**6
# Generous, since other tests run at the same time; nothing here waits that long.
SECONDS = 120.0
SCRIPT = "agent.py"


@dataclass
class Place:
    """A folder with all that a room needs."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("room", "data", "agent", "doors"):
            (self.folder / name).mkdir(parents=True)
        (self.data / "train.csv").write_text("id,label\n1,0\n")
        (self.agent / "helper.py").write_text("VALUE = 42\n")

    @property
    def room(self) -> Path:
        return self.folder / "room"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def agent(self) -> Path:
        return self.folder / "agent"

    @property
    def printed(self) -> str:
        return (self.folder / "log.txt").read_bytes().decode(errors="backslashreplace")

    def plan(self, script: str, **changes: Any) -> RoomPlan:
        (self.agent / SCRIPT).write_text(script)
        plan = RoomPlan(
            name=f"test-{os.getpid()}-{self.folder.name}",
            folder=self.room,
            data=self.data,
            agent=self.agent,
            command=("python3", SCRIPT),
            log=self.folder / "log.txt",
            texts={"instructions.txt": "Win.\n", "validate_submission.sh": "#!/bin/sh\necho ok\n"},
            limits=RoomLimits(seconds=SECONDS),
        )
        return replace(plan, **changes)

    def run(self, sandbox: Sandbox, script: str, **changes: Any) -> RoomEnd:
        return sandbox.run(self.plan(script, **changes), threading.Event())

    def run_until(self, sandbox: Sandbox, script: str, sign: Path, **changes: Any) -> RoomEnd:
        """Run, and stop as soon as a file of the agent's appears."""
        stop = threading.Event()
        done = threading.Event()

        def look() -> None:
            while not sign.exists() and not done.wait(0.05):
                pass
            stop.set()

        thread = threading.Thread(target=look)
        thread.start()
        try:
            return sandbox.run(self.plan(script, **changes), stop)
        finally:
            done.set()
            thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(f"you asked for {self.path}".encode())

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"]))[::-1])

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "room"

    def log_message(self, *_: Any) -> None:
        pass


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def service(path: Path) -> Iterator[Path]:
    """An HTTP service behind a unix socket: GET tells the path, POST turns the body around."""
    with _Server(str(path), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield path
        finally:
            server.shutdown()
            thread.join()


def running(marker: str) -> list[int]:
    """The processes of this machine that have a word on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if marker.encode() in words and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


PYTHON = sys.executable
