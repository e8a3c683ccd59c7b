"""Servers that send too much, too little or nonsense: an error that says so, and nothing else."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data.kaggle import KaggleClient
from mlebench.data.mirror import fetch_from_mirror
from mlebench.data.patience import Patience
from mlebench.data.transfer import Link
from mlebench.errors import DataSourceError
from tests.kaggle_server import TOKEN, serving, zip_of
from tests.kaggle_storage import Handler

pytest.importorskip("httpx")

ID = "a-task"
ARCHIVE = zip_of({"train.csv": random.Random(0).randbytes(300_000)})
PACKED = {"Content-Encoding": "gzip"}
CUT = 100_000
MEGABYTE = b"\0" * (1 << 20)

Answer = Callable[[Handler], None]


Fetch = Callable[[Answer], object]


@pytest.fixture
def fetch(patience: Patience, tmp_path: Path) -> Fetch:
    """Download the archive from a mirror that answers like this."""

    def fetch(answer: Answer) -> Path:
        with serving(answering(answer)) as url:
            return fetch_from_mirror(url, ID, tmp_path, patience=patience)

    return fetch


@pytest.fixture
def ask(patience: Patience, monkeypatch: pytest.MonkeyPatch) -> Fetch:
    """Ask a Kaggle that answers like this."""
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)

    def ask(answer: Answer) -> object:
        with serving(answering(answer)) as url:
            return KaggleClient(url, patience=patience).list_competitions()

    return ask


@pytest.fixture(params=["mirror", "kaggle"])
def turn_to(request: pytest.FixtureRequest, fetch: Fetch, ask: Fetch) -> Fetch:
    """One of the two."""
    return fetch if request.param == "mirror" else ask


def answering(answer: Answer) -> type[Handler]:
    class Hostile(Handler):
        def do_GET(self) -> None:
            answer(self)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            answer(self)

    return Hostile


class TestTooMuch:
    """Nobody's memory or disk is filled."""

    @pytest.mark.parametrize("status", [302, 400, 404, 500])
    def test_an_endless_refusal(self, status: int, fetch: Fetch, tmp_path: Path) -> None:
        def answer(handler: Handler) -> None:
            handler.start(status, {"Location": "/again"} if status == 302 else {})
            while True:
                handler.wfile.write(MEGABYTE)

        with pytest.raises(DataSourceError, match="mirror"):
            fetch(answer)
        assert not list(tmp_path.iterdir())

    def test_a_refusal_that_unpacks_to_a_lot(self, turn_to: Fetch) -> None:
        bomb = gzip.compress(MEGABYTE * 64)
        tracemalloc.start()
        try:
            with pytest.raises(DataSourceError, match="403"):
                turn_to(lambda handler: handler.reply(403, bomb, PACKED))
            assert tracemalloc.get_traced_memory()[1] < 16 * len(MEGABYTE)
        finally:
            tracemalloc.stop()

    def test_a_packed_refusal_is_read(self, turn_to: Fetch) -> None:
        with pytest.raises(DataSourceError, match=r"\(404: Gone fishing\)"):
            turn_to(lambda handler: handler.reply(404, gzip.compress(b"Gone fishing"), PACKED))

    def test_more_than_the_rest_of_a_file(self, fetch: Fetch, tmp_path: Path) -> None:
        def answer(handler: Handler) -> None:
            start = begin_file(handler, cut_after=CUT)
            while start:
                handler.wfile.write(ARCHIVE[start:] + MEGABYTE)
                start = len(ARCHIVE)

        fetch(answer)
        assert (tmp_path / f"{ID}.zip").read_bytes() == ARCHIVE


def begin_file(handler: Handler, cut_after: int, slice_bytes: int | None = None) -> int:
    """Send the beginning of the archive and hang up, or announce the part that is wanted."""
    wanted = handler.headers.get("Range")
    headers = {"ETag": '"a"'}
    if wanted is None:
        handler.start(200, headers | {"Content-Length": str(len(ARCHIVE))})
        handler.wfile.write(ARCHIVE[:cut_after])
        return 0
    start = int(wanted.removeprefix("bytes=").removesuffix("-"))
    end = min(len(ARCHIVE), start + (slice_bytes or len(ARCHIVE)))
    handler.start(206, headers | {"Content-Range": f"bytes {start}-{end - 1}/{len(ARCHIVE)}"})
    return start


class TestSlices:
    """A server may answer a range with less than was asked for."""

    def test_all_of_them_are_asked_for(
        self, fetch: Fetch, waits: list[float], tmp_path: Path
    ) -> None:
        starts: list[int] = []

        def answer(handler: Handler) -> None:
            start = begin_file(handler, CUT, CUT)
            starts.append(start)
            handler.wfile.write(ARCHIVE[start : start + CUT] if start else b"")

        fetch(answer)
        assert (tmp_path / f"{ID}.zip").read_bytes() == ARCHIVE
        assert starts == [0, CUT, 2 * CUT, 3 * CUT]
        assert len(waits) == 1

    def test_empty_ones_come_to_an_end(self, fetch: Fetch) -> None:
        with pytest.raises(DataSourceError, match="twice: it has 100,000 bytes instead of"):
            fetch(lambda handler: begin_file(handler, CUT) and None)


class TestNonsense:
    """What cannot be understood is told, and never a traceback."""

    @pytest.mark.parametrize(
        "body", [b"[" * 200_000, b'{"error":' * 900 + b"1" + b"}" * 900, b'{"error":' * 50_000]
    )
    @pytest.mark.parametrize("status", [400, 404, 429, 500])
    def test_deep_answers(self, status: int, body: bytes, turn_to: Fetch) -> None:
        with pytest.raises(DataSourceError, match=str(status)):
            turn_to(lambda handler: handler.reply(status, body))

    def test_deep_answers_that_say_yes(self, ask: Fetch) -> None:
        with pytest.raises(DataSourceError, match="not JSON"):
            ask(lambda handler: handler.reply(200, b"[" * 200_000))

    @pytest.mark.parametrize("charset", ["base64", "idna", "undefined", "utf-16", "rot13", "none"])
    def test_charsets(self, charset: str, turn_to: Fetch) -> None:
        kind = {"Content-Type": f"text/plain; charset={charset}"}
        with pytest.raises(DataSourceError, match=r"\(404: hel.lo\)"):
            turn_to(lambda handler: handler.reply(404, b"hel\xfflo", kind))

    def test_waits(self, turn_to: Fetch, waits: list[float]) -> None:
        later = {"Retry-After": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}
        with pytest.raises(DataSourceError, match=r"503.*tried 4 times"):
            turn_to(lambda handler: handler.reply(503, b"", later))
        assert len(waits) == 3

    def test_lengths(self, turn_to: Fetch) -> None:
        with pytest.raises(DataSourceError):
            turn_to(lambda handler: handler.start(200, {"Content-Length": "1" * 5000}))

    @pytest.mark.parametrize("name", ["%00", "a.zip%00", "..", ""])
    def test_names(self, name: str) -> None:
        with pytest.raises(DataSourceError, match="no name that can be used"):
            assert Link(f"http://host/{name}", "The storage").file_name

    @pytest.mark.parametrize("location", ["http://[::1", "http://exa mple:99999999/\x01"])
    def test_redirects(self, location: str, turn_to: Fetch, waits: list[float]) -> None:
        with pytest.raises(DataSourceError, match="leads on to an address that is none"):
            turn_to(lambda handler: handler.reply(302, b"", {"Location": location}))
        assert waits == []

    def test_redirects_to_other_places_than_the_web(self, fetch: Fetch) -> None:
        with pytest.raises(DataSourceError, match="an address that is none"):
            fetch(lambda handler: handler.reply(302, b"", {"Location": "file:///etc/passwd"}))

    def test_a_file_that_is_compressed_on_the_way(self, fetch: Fetch, tmp_path: Path) -> None:
        with pytest.raises(DataSourceError, match="compressed with gzip, perhaps by the server"):
            fetch(lambda handler: handler.reply(200, gzip.compress(ARCHIVE), PACKED))
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("is_kept", [False, True])
    def test_marks_that_cannot_be_sent_back(
        self, is_kept: bool, fetch: Fetch, tmp_path: Path
    ) -> None:
        if is_kept:
            (tmp_path / f"{ID}.zip.part").write_bytes(ARCHIVE[:CUT])
            (tmp_path / f"{ID}.zip.part.json").write_text('{"validator": "\\"aé\\""}')
        cuts = [CUT]

        def answer(handler: Handler) -> None:
            length = str(len(ARCHIVE))
            handler.start(200, {"ETag": '"a\xff\xe9"', "Content-Length": length})
            handler.wfile.write(ARCHIVE[: cuts.pop() if cuts else None])

        fetch(answer)
        assert (tmp_path / f"{ID}.zip").read_bytes() == ARCHIVE
