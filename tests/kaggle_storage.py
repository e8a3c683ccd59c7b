"""The storage behind the imitation of Kaggle: files by signed addresses, whole or in ranges.

It can misbehave in all the ways in which downloads go wrong.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import parse_qs, unquote, urlsplit

PIECE_BYTES = 1 << 16
EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The link has expired.</Message></Error>"
DENIED = b"<Error><Code>AccessDenied</Code></Error>"
LAST_MODIFIED = formatdate(1_700_000_000, usegmt=True)
MIRROR = "/mirror/"
"""What lies below needs no signature."""


@dataclass(frozen=True)
class Failure:
    """An answer that is given instead of the right one, once."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Storage:
    """What the storage has, what it was asked, and how it misbehaves."""

    host: str = ""
    blobs: dict[str, bytes | Path] = field(default_factory=dict)
    """Content by path."""
    logins: list[str | None] = field(default_factory=list)
    """What it was shown as a login; it must not be shown any."""
    ranges: list[str | None] = field(default_factory=list)
    """Which range each request asked for."""
    hosts: list[str | None] = field(default_factory=list)
    """Under which name each request found it."""
    failures: list[Failure] = field(default_factory=list)
    """What the next requests are answered."""
    cut_after: int | None = None
    """After how many bytes of an answer it hangs up."""
    cuts: int | None = None
    """How often; always, if nothing is said."""
    stall_after: int | None = None
    """After how many bytes of an answer it falls silent."""
    stalls: int | None = None
    uses_per_link: int | None = None
    """How many requests a signed address is good for."""
    version: int = 1
    """Stands in the ETag."""
    is_restless: bool = False
    """Each answer has another version."""
    etag: Literal["strong", "weak", "none"] = "strong"
    has_md5: bool = True
    has_ranges: bool = True
    length_off_by: int = 0
    """How far the stated length of whole files is off."""
    damage: Literal["truncated", "corrupted"] | None = None
    damages: int | None = None
    """How many answers are damaged; all, if nothing is said."""
    is_moved: bool = False
    """Signed addresses lead on to another host."""
    bytes_per_second: float | None = None
    signatures: dict[str, int] = field(default_factory=dict)
    end: threading.Event = field(default_factory=threading.Event)

    def sign(self, path: str) -> str:
        """A new address of a file."""
        signature = f"{len(self.signatures):08x}"
        self.signatures[signature] = 0
        return f"{self.host}{path}?X-Goog-Expires=60&X-Goog-Signature={signature}"

    def happens(self, counter: Literal["cuts", "stalls", "damages"]) -> bool:
        """Whether a misbehaviour is still due; counts it."""
        left: int | None = getattr(self, counter)
        if left is None:
            return True
        setattr(self, counter, max(0, left - 1))
        return left > 0


@lru_cache
def _md5_of_file(path: Path, _stamp: int) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").digest()


def md5_of(blob: bytes | Path) -> str:
    """The sum of some content as the storage tells it."""
    if isinstance(blob, Path):
        return base64.b64encode(_md5_of_file(blob, blob.stat().st_mtime_ns)).decode()
    return base64.b64encode(hashlib.md5(blob).digest()).decode()


class Handler(BaseHTTPRequestHandler):
    """Plain answers of a given length, without a word on the terminal."""

    def reply(
        self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.start(status, {"Content-Length": str(len(body)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(body)

    def start(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            """Whoever asked was killed or lost patience."""

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""


def storage_handler(storage: Storage) -> type[Handler]:
    """What answers requests for files."""

    class Files(Handler):
        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            storage.logins.append(self.headers.get("Authorization"))
            storage.ranges.append(self.headers.get("Range"))
            storage.hosts.append((self.headers.get("Host") or "").partition(":")[0])
            address = urlsplit(self.path)
            blob = storage.blobs.get(unquote(address.path))
            if storage.failures:
                failure = storage.failures.pop(0)
                self.reply(failure.status, failure.body, failure.headers)
            elif self.is_allowed(address.path, address.query):
                if blob is None:
                    self.reply(404, b"<Error><Code>NoSuchKey</Code></Error>")
                elif storage.is_moved and storage.hosts[-1] != "localhost":
                    elsewhere = storage.host.replace("127.0.0.1", "localhost")
                    self.reply(302, headers={"Location": elsewhere + self.path})
                else:
                    self.hand_out(blob)

        def is_allowed(self, path: str, query: str) -> bool:
            if path.startswith(MIRROR):
                return True
            (signature,) = parse_qs(query).get("X-Goog-Signature", [""])
            if signature not in storage.signatures:
                self.reply(403, DENIED)
                return False
            storage.signatures[signature] += 1
            limit = storage.uses_per_link
            if limit is not None and storage.signatures[signature] > limit:
                self.reply(400, EXPIRED)
                return False
            return True

        def hand_out(self, blob: bytes | Path) -> None:
            size = len(blob) if isinstance(blob, bytes) else blob.stat().st_size
            damage = storage.damage if storage.damage and storage.happens("damages") else None
            if damage == "truncated":
                size //= 2
            storage.version += storage.is_restless
            etag = f'"{storage.version}-{size}"'
            headers = {"Accept-Ranges": "bytes", "Content-Type": "application/zip"}
            if storage.etag != "none":
                headers |= {"ETag": etag if storage.etag == "strong" else f"W/{etag}"}
                headers |= {"Last-Modified": LAST_MODIFIED}
            if storage.has_md5:
                headers |= {"x-goog-hash": f"crc32c=AAAAAA==,md5={md5_of(blob)}"}
            start = self.first_byte(headers)
            if start is None:
                self.start(200, headers | {"Content-Length": str(size + storage.length_off_by)})
            elif start < size:
                place = f"bytes {start}-{size - 1}/{size}"
                length = str(size - start)
                self.start(206, headers | {"Content-Range": place, "Content-Length": length})
            else:
                self.reply(416, headers={"Content-Range": f"bytes */{size}"})
                return
            if self.command == "GET":
                with io.BytesIO(blob) if isinstance(blob, bytes) else blob.open("rb") as file:
                    self.send(file, start or 0, size, damage == "corrupted")

        def first_byte(self, headers: Mapping[str, str]) -> int | None:
            """Where the answer begins, if a part is asked for and fits what is there."""
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            condition = self.headers.get("If-Range")
            known = (headers.get("ETag"), headers.get("Last-Modified"))
            fits = condition is None or condition in known
            return int(asked[1]) if asked and fits and storage.has_ranges else None

        def send(self, file: BinaryIO, start: int, size: int, is_corrupted: bool) -> None:
            file.seek(start)
            due = {}
            if storage.stall_after is not None and storage.happens("stalls"):
                due["stalls"] = storage.stall_after
            if storage.cut_after is not None and storage.happens("cuts"):
                due["cuts"] = storage.cut_after
            sent, left = 0, min([size - start, *due.values()])
            while sent < left:
                piece = bytearray(file.read(min(PIECE_BYTES, left - sent)))
                if is_corrupted and sent == 0:
                    piece[len(piece) // 2] ^= 0xFF
                self.wfile.write(piece)
                sent += len(piece)
                if storage.bytes_per_second:
                    time.sleep(len(piece) / storage.bytes_per_second)
            if "stalls" in due and left < size - start:
                self.wfile.flush()
                storage.end.wait(60)

    return Files


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
