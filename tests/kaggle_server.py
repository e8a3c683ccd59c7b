"""An imitation of the part of Kaggle's API that mlebench uses, over real sockets."""

from __future__ import annotations

import base64
import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USER, KEY, TOKEN = "someone", "secret-key", "secret-token"
BASIC = "Basic " + base64.b64encode(f"{USER}:{KEY}".encode()).decode()
BEARER = f"Bearer {TOKEN}"
LEADERBOARD = (
    "\ufeffRank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
    "1,11,Ada,2024-05-01 00:00:00,0.9,3,ada\n"
    '2,12,"Babbage, Charles",2024-05-01 00:00:00,0.8,2,charles\n'
    "3,13,Curie,2024-05-01 00:00:00,0.5,1,marie\n"
    "4,14,Dirac,2024-05-01 00:00:00,,1,paul\n"
)


@dataclass
class Kaggle:
    """A running imitation: where it is, what it was asked by whom, and what it answers."""

    api: str
    paths: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    answer: tuple[int, bytes] | None = None
    """Status and body for whoever logs in, instead of the right ones."""


@contextmanager
def serve_kaggle(leaderboard: str = LEADERBOARD) -> Iterator[Kaggle]:
    """Answer leaderboard downloads for whoever logs in with the right key or token."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kaggle.paths.append(self.path)
            kaggle.logins.append(self.headers.get("Authorization"))
            if kaggle.logins[-1] not in (BASIC, BEARER):
                self._answer(401, b"Unauthenticated")
            elif kaggle.answer is not None:
                self._answer(*kaggle.answer)
            elif self.path.endswith("/leaderboard/download"):
                self._answer(200, zipped(leaderboard))
            elif self.path.startswith("/api/v1/competitions/list"):
                self._answer(200, b"[]")
            else:
                self._answer(404, b"Not found")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kaggle = Kaggle(f"http://127.0.0.1:{server.server_port}/api/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield kaggle
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def zipped(leaderboard: str) -> bytes:
    """The archive in which Kaggle hands out a leaderboard."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("publicleaderboard.csv", leaderboard)
    return buffer.getvalue()
