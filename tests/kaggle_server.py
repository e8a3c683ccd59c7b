"""An imitation of the part of Kaggle's API that mlebench uses, over real sockets.

As with Kaggle, files lie with another host: the API answers downloads with a signed address
of the storage, which knows no logins. ``python -m tests.kaggle_server --archives FOLDER``
serves a folder of zips, each named after its competition, until it is interrupted.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.kaggle_storage import (
    LAST_MODIFIED,
    MIRROR,
    Failure,
    Handler,
    Storage,
    storage_handler,
    zip_of,
)

__all__ = ["Failure", "Kaggle", "Storage", "serve_kaggle", "serving", "zip_of", "zipped"]

USER, KEY, TOKEN = "someone", "secret-key", "secret-token"
REFRESH_TOKEN, RENEWED_TOKEN = "secret-refresh", "secret-renewed"
BASIC = "Basic " + base64.b64encode(f"{USER}:{KEY}".encode()).decode()
BEARER = f"Bearer {TOKEN}"
RENEWED = f"Bearer {RENEWED_TOKEN}"
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
DENIED = "Permission 'competitions.get' was denied"

# The older dialect: which method of the newer one a path stands for, and the fields in it.
REST = {
    r"competitions/list": "ListCompetitions",
    r"competitions/get/(?P<competitionName>[^/]+)": "GetCompetition",
    r"competitions/data/list/(?P<competitionName>[^/]+)": "ListDataFiles",
    r"competitions/data/download-all/(?P<competitionName>[^/]+)": "DownloadDataFiles",
    r"competitions/data/download/(?P<competitionName>[^/]+)/(?P<fileName>.+)": "DownloadDataFile",
    r"competitions/(?P<competitionName>[^/]+)/leaderboard/download": "DownloadLeaderboard",
    r"oauth2/introspect": "IntrospectToken",
    r"access-tokens/generate": "GenerateAccessToken",
}
WITHOUT_LOGIN = ("GenerateAccessToken", "IntrospectToken")


@dataclass
class Kaggle:
    """A running imitation: where it is, what it was asked by whom, and what it answers."""

    api: str
    storage: Storage
    leaderboard: str = LEADERBOARD
    paths: list[str] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    """The fields of each question, however they were sent."""
    logins: list[str | None] = field(default_factory=list)
    answer: tuple[int, bytes] | None = None
    """Status and body for whoever logs in, instead of the right ones."""
    failures: list[Failure] = field(default_factory=list)
    """What the next requests are answered."""
    speaks_rpc: bool = True
    speaks_rest: bool = True
    unknown_way: int = 404
    """How a dialect that it does not speak is refused."""
    nests_errors: bool = False
    """Errors of the newer dialect stand in an object of their own."""
    competitions: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """The files of each competition; any other competition has `FILES`."""
    archives: dict[str, Path] = field(default_factory=dict)
    """Zips on disk that are handed out as they are."""
    archive_name: str = "archive.zip"
    """What the storage calls them."""
    missing: set[str] = field(default_factory=set)
    """Competitions that do not exist."""
    private: set[str] = field(default_factory=set)
    """Competitions that others may see."""
    unaccepted: set[str] = field(default_factory=set)
    """Competitions whose rules are still to be accepted."""
    is_silent_on_rules: bool = False

    @property
    def storage_logins(self) -> list[str | None]:
        """What the storage was shown as a login; it must not be shown any."""
        return self.storage.logins

    @property
    def mirror(self) -> str:
        """A folder of zips that needs no login; has what `add_to_mirror` put there."""
        return self.storage.host + MIRROR.rstrip("/")

    def add_to_mirror(self, name: str, content: bytes | Path) -> None:
        """Put a file into the mirror."""
        self.storage.blobs[MIRROR + name] = content

    def files(self, competition_id: str) -> dict[str, bytes]:
        """The files of a competition."""
        return self.competitions.get(competition_id, FILES)

    def archive(self, competition_id: str) -> bytes | Path:
        """All files of a competition in one."""
        return self.archives.get(competition_id) or zip_of(self.files(competition_id))


@dataclass(frozen=True)
class _Reply:
    status: int
    body: Any = b""
    """Bytes, or what is sent as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)


def _refuse(status: int, message: str) -> _Reply:
    return _Reply(status, {"code": status, "message": message})


@contextmanager
def serve_kaggle(leaderboard: str = LEADERBOARD, port: int = 0) -> Iterator[Kaggle]:
    """Answer whoever logs in with the right key or token."""
    storage = Storage()

    class Api(Handler):
        def do_GET(self) -> None:
            self.answer({})

        def do_POST(self) -> None:
            self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def answer(self, body: dict[str, Any]) -> None:
            address = urlsplit(self.path)
            route = re.sub(r"^/(api/)?v1/", "", address.path)
            is_rpc = self.command == "POST" and "Service/" in route
            method, in_path = _method_of(route, is_rpc)
            asked = {**dict(parse_qsl(address.query)), **in_path, **body}
            kaggle.paths.append(self.path)
            kaggle.asked.append(asked)
            kaggle.logins.append(self.headers.get("Authorization"))
            reply = self.reply_to(method, asked, is_rpc)
            content = reply.body
            if not isinstance(content, bytes):
                if is_rpc and reply.status >= 400 and kaggle.nests_errors:
                    content = {"error": {**content, "status": "REFUSED"}}
                content = json.dumps(content).encode()
            self.reply(reply.status, content, reply.headers)

        def reply_to(self, method: str, asked: dict[str, Any], is_rpc: bool) -> _Reply:
            known = (BASIC, BEARER, RENEWED)
            if not (kaggle.speaks_rpc if is_rpc else kaggle.speaks_rest):
                return _Reply(kaggle.unknown_way, b"<html>No such page</html>")
            if kaggle.logins[-1] not in known and method not in WITHOUT_LOGIN:
                return _refuse(401, "Unauthenticated")
            if kaggle.failures:
                failure = kaggle.failures.pop(0)
                return _Reply(failure.status, failure.body, failure.headers)
            if kaggle.answer is not None:
                return _Reply(*kaggle.answer)
            if asked.get("competitionName") in kaggle.missing:
                return _refuse(404, "Not found")
            if asked.get("competitionName") in kaggle.private:
                return _refuse(403, DENIED)
            answers = _ANSWERS.get(method)
            return answers(kaggle, asked, is_rpc) if answers else _Reply(404, b"Not found")

    with ExitStack() as running:
        storage.host = running.enter_context(serving(storage_handler(storage)))
        running.callback(storage.end.set)
        api = running.enter_context(serving(Api, port))
        kaggle = Kaggle(f"{api}/api/v1", storage, leaderboard)
        yield kaggle


def _method_of(route: str, is_rpc: bool) -> tuple[str, dict[str, str]]:
    if is_rpc:
        return route.rpartition("/")[2], {}
    for pattern, method in REST.items():
        if match := re.fullmatch(pattern, route):
            return method, {name: unquote(value) for name, value in match.groupdict().items()}
    return "", {}


# -- what is answered ------------------------------------------------------------------------


def _competition(kaggle: Kaggle, name: str) -> dict[str, Any]:
    told = {"ref": f"https://www.kaggle.com/competitions/{name}", "title": name.title()}
    if kaggle.is_silent_on_rules:
        return told
    return told | {"userHasEntered": name not in kaggle.unaccepted}


def _page(key: str, entries: list[Any], asked: Mapping[str, Any], default_size: int) -> Any:
    start = int(asked.get("pageToken") or 0)
    end = start + int(asked.get("pageSize") or default_size)
    return {key: entries[start:end], "nextPageToken": str(end) if end < len(entries) else ""}


def _list_competitions(kaggle: Kaggle, asked: dict[str, Any], is_rpc: bool) -> _Reply:
    names = sorted({*kaggle.competitions, *kaggle.archives})
    found = [_competition(kaggle, name) for name in names if asked.get("search", "") in name]
    return _Reply(200, _page("competitions", found, asked, 20) if is_rpc else found)


def _get_competition(kaggle: Kaggle, asked: dict[str, Any], _: bool) -> _Reply:
    return _Reply(200, _competition(kaggle, asked["competitionName"]))


def _list_files(kaggle: Kaggle, asked: dict[str, Any], _: bool) -> _Reply:
    files = kaggle.files(asked["competitionName"]).items()
    entries = [
        {"name": name, "totalBytes": len(content), "creationDate": "2024-05-01T10:00:00Z"}
        for name, content in files
    ]
    return _Reply(200, _page("files", entries, asked, 20))


def _handed_out(kaggle: Kaggle, competition_id: str, name: str, blob: bytes | Path) -> _Reply:
    if competition_id in kaggle.unaccepted:
        return _refuse(403, RULES)
    path = f"/{competition_id}/{name}"
    kaggle.storage.blobs[unquote(path)] = blob
    return _Reply(302, headers={"Location": kaggle.storage.sign(path.replace("#", "%23"))})


def _download_all(kaggle: Kaggle, asked: dict[str, Any], _: bool) -> _Reply:
    name = asked["competitionName"]
    return _handed_out(kaggle, name, kaggle.archive_name, kaggle.archive(name))


def _download_file(kaggle: Kaggle, asked: dict[str, Any], _: bool) -> _Reply:
    competition_id, name = asked["competitionName"], asked["fileName"]
    content = kaggle.files(competition_id).get(name)
    if content is None:
        return _refuse(404, "Not found")
    if len(content) < LARGE_BYTES:
        return _handed_out(kaggle, competition_id, name, content)
    inside = zip_of({name.rpartition("/")[2]: content})
    return _handed_out(kaggle, competition_id, f"{name}.zip", inside)


def _leaderboard(kaggle: Kaggle, _: dict[str, Any], __: bool) -> _Reply:
    return _Reply(200, zipped(kaggle.leaderboard), {"Last-Modified": LAST_MODIFIED})


def _introspect(_: Kaggle, asked: dict[str, Any], __: bool) -> _Reply:
    is_known = asked.get("token") in (TOKEN, RENEWED_TOKEN)
    return _Reply(200, {"active": True, "username": USER} if is_known else {"active": False})


def _generate_token(_: Kaggle, asked: dict[str, Any], __: bool) -> _Reply:
    if asked.get("refreshToken") != REFRESH_TOKEN:
        return _refuse(400, "Invalid refresh token")
    return _Reply(200, {"token": RENEWED_TOKEN, "expiresIn": 3600, "userName": USER})


_ANSWERS: dict[str, Callable[[Kaggle, dict[str, Any], bool], _Reply]] = {
    "ListCompetitions": _list_competitions,
    "GetCompetition": _get_competition,
    "ListDataFiles": _list_files,
    "DownloadDataFiles": _download_all,
    "DownloadDataFile": _download_file,
    "DownloadLeaderboard": _leaderboard,
    "IntrospectToken": _introspect,
    "GenerateAccessToken": _generate_token,
}


@contextmanager
def serving(handler: type[Handler], port: int = 0) -> Iterator[str]:
    """A server of its own, at an address of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
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


def main() -> None:
    parser = argparse.ArgumentParser(description="An imitation of Kaggle on this machine.")
    parser.add_argument("--archives", type=Path, required=True, help="a folder of <id>.zip")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--bytes-per-second", type=float)
    options = parser.parse_args()
    with serve_kaggle(port=options.port) as kaggle:
        kaggle.archives = {path.stem: path for path in options.archives.glob("*.zip")}
        kaggle.storage.bytes_per_second = options.bytes_per_second
        print(kaggle.api, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
