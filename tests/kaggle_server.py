"""An imitation of the part of Kaggle's API that mlebench uses, over real sockets.

As with Kaggle, files lie with another host: the API answers downloads with a signed address
of the storage, which knows no logins.
"""

from __future__ import annotations

import base64
import io
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

USER, KEY, TOKEN = "someone", "secret-key", "secret-token"
BASIC = "Basic " + base64.b64encode(f"{USER}:{KEY}".encode()).decode()
BEARER = f"Bearer {TOKEN}"
SIGNATURE = "X-Goog-Signature=c0ffee"
LEADERBOARD = (
    "\ufeffRank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
    "1,11,Ada,2024-05-01 00:00:00,0.9,3,ada\n"
    '2,12,"Babbage, Charles",2024-05-01 00:00:00,0.8,2,charles\n'
    "3,13,Curie,2024-05-01 00:00:00,0.5,1,marie\n"
    "4,14,Dirac,2024-05-01 00:00:00,,1,paul\n"
)
FILES = {
    "sample_submission.csv": b"id,label\n1,0\n",
    "train/big #1.csv": b"id,label\n" + b"1,0\n" * 500,
}
LARGE_BYTES = 1000
"""Single files from this size on are handed out zipped."""
RULES = "You must accept this competition's rules before you'll be able to download files."


@dataclass
class Kaggle:
    """A running imitation: where it is, what it was asked by whom, and what it answers."""

    api: str
    paths: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    answer: tuple[int, bytes] | None = None
    """Status and body for whoever logs in, instead of the right ones."""
    competitions: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The files of each competition; any other competition has `FILES`."""
    unaccepted: set[str] = field(default_factory=set)
    """Competitions whose rules are still to be accepted."""
    storage_logins: list[str | None] = field(default_factory=list)
    """What the storage was shown as a login; it must not be shown any."""
    cut_after: int | None = None
    """After how many bytes the storage hangs up."""

    def files(self, competition_id: str) -> dict[str, bytes]:
        """The files of a competition."""
        return self.competitions.get(competition_id, FILES)


class _Handler(BaseHTTPRequestHandler):
    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


@contextmanager
def serve_kaggle(leaderboard: str = LEADERBOARD) -> Iterator[Kaggle]:
    """Answer whoever logs in with the right key or token."""

    class Api(_Handler):
        def do_GET(self) -> None:
            kaggle.paths.append(self.path)
            kaggle.logins.append(self.headers.get("Authorization"))
            route = urlsplit(self.path).path.removeprefix("/api/v1/")
            if kaggle.logins[-1] not in (BASIC, BEARER):
                self.reply(401, b"Unauthenticated")
            elif kaggle.answer is not None:
                self.reply(*kaggle.answer)
            elif route.endswith("/leaderboard/download"):
                self.reply(200, zipped(leaderboard))
            elif route == "competitions/list":
                self.reply(200, json.dumps(self.list_competitions()).encode())
            elif route.startswith("competitions/data/download"):
                self.hand_out(*route.split("/")[2:])
            else:
                self.reply(404, b"Not found")

        def do_POST(self) -> None:
            kaggle.paths.append(self.path)
            kaggle.logins.append(self.headers.get("Authorization"))
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = {"active": True, "username": USER}
            answer = known if asked == {"token": TOKEN} else {"active": False}
            self.reply(*(kaggle.answer or (200, json.dumps(answer).encode())))

        def list_competitions(self) -> list[dict[str, Any]]:
            search = parse_qs(urlsplit(self.path).query).get("search", [""])[0]
            return [
                {
                    "ref": f"https://www.kaggle.com/competitions/{name}",
                    "title": name.title(),
                    "userHasEntered": name not in kaggle.unaccepted,
                }
                for name in sorted(kaggle.competitions)
                if search in name
            ]

        def hand_out(self, what: str, competition_id: str, name: str = "") -> None:
            files = kaggle.files(competition_id)
            if competition_id in kaggle.unaccepted:
                body = json.dumps({"code": 403, "message": RULES})
                self.reply(403, body.encode())
            elif what == "download-all":
                self.reply(302, Location=f"{storage}/{competition_id}/archive.zip?{SIGNATURE}")
            elif unquote(name) in files:
                is_large = len(files[unquote(name)]) >= LARGE_BYTES
                address = quote(unquote(name)) + (".zip" if is_large else "")
                self.reply(302, Location=f"{storage}/{competition_id}/{address}?{SIGNATURE}")
            else:
                self.reply(404, b'{"code": 404, "message": "Not found"}')

    class Storage(_Handler):
        def do_GET(self) -> None:
            kaggle.storage_logins.append(self.headers.get("Authorization"))
            address = urlsplit(self.path)
            if address.query != SIGNATURE:
                self.reply(403, b"<Error><Code>AccessDenied</Code></Error>")
                return
            competition_id, _, name = unquote(address.path).lstrip("/").partition("/")
            body = self.content(kaggle.files(competition_id), name)
            if kaggle.cut_after is None:
                self.reply(200, body)
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: kaggle.cut_after])

        def content(self, files: Mapping[str, bytes], name: str) -> bytes:
            if name == "archive.zip":
                return zip_of(files)
            if name in files:
                return files[name]
            inside = name.removesuffix(".zip")
            return zip_of({inside.rpartition("/")[2]: files[inside]})

    with ExitStack() as running:
        storage = running.enter_context(_serving(Storage))
        kaggle = Kaggle(f"{running.enter_context(_serving(Api))}/api/v1")
        yield kaggle


@contextmanager
def _serving(handler: type[_Handler]) -> Iterator[str]:
    """A server of its own, at an address of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def zipped(leaderboard: str) -> bytes:
    """The archive in which Kaggle hands out a leaderboard."""
    return zip_of({"publicleaderboard.csv": leaderboard.encode()})


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
