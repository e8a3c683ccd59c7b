"""``mlebench serve``: one line with the address, calls in the log, a clean end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from mlebench.registry import Registry
from mlebench.services.places import bind_tcp
from tests.command import run
from tests.leftovers import watched
from tests.services.conftest import wait_until


@contextmanager
def serving(registry: Registry, tmp_path: Path, *options: str) -> Iterator[tuple[str, Path]]:
    """The line that a server prints, and its log; it ends as by Ctrl-C."""
    log = tmp_path / "log"
    command = [sys.executable, "-m", "mlebench", "serve", "spaceship-titanic", *options]
    command += ["--data-dir", str(registry.get_data_dir())]
    with watched() as watch, log.open("w") as written:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True)
        try:
            assert server.stdout
            yield server.stdout.readline(), log
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0
            assert server.stdout.read() == ""
        finally:
            server.kill()
            server.communicate()
        assert watch.left_after(20) == []


def test_a_port(registry: Registry, tmp_path: Path) -> None:
    sample = registry.get_competition("spaceship-titanic").sample_submission
    with serving(registry, tmp_path, "--port", "0", "--max-upload-size", "1kB") as (line, log):
        assert line.startswith("Checking submissions to spaceship-titanic at http://127.0.0.1:")
        url = line.split()[-1]
        files = {"file": sample.read_bytes()}
        assert httpx.post(url, files=files, timeout=120).json()["is_valid"]
        refused = httpx.post(url, files={"file": b"x" * 1001}, timeout=120)
        assert refused.status_code == 413
        said = wait_until(log.read_text, lambda text: "too_large" in text)
    assert "200 valid: " in said
    assert "413 no verdict (too_large)" in said
    assert "Traceback" not in said


def test_a_unix_socket(registry: Registry, tmp_path: Path) -> None:
    place = tmp_path / "door.sock"
    assert len(str(place)) < 108
    with serving(registry, tmp_path, "--unix", str(place)) as (line, _):
        assert line.endswith(f"http://localhost/validate through {place}\n")
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(place))) as room:
            assert room.get("http://localhost/health").json() == {"status": "running"}
    assert not place.exists()


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("leaf-classification --port 0", 3, "is not prepared"),
        ("no-such-competition", 2, "There is no competition"),
        ("spaceship-titanic --host 203.0.113.1 --port 0", 2, "Nobody can listen"),
        ("spaceship-titanic --unix /no/such/folder/door", 2, "There can be no socket"),
        ("spaceship-titanic --port 100000", 2, "100000"),
        ("spaceship-titanic --max-upload-size much", 2, "is no size"),
    ],
)
def test_what_cannot_be_served_is_told_before_anybody_listens(
    options: str,
    code: int,
    says: str,
    registry: Registry,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = f"mlebench serve {options} --data-dir {registry.get_data_dir()}"
    left = run(words, monkeypatch, capfd)
    assert (left.code, left.stdout) == (code, "")
    assert says in left.stderr


def test_the_port_is_also_told_by_the_environment(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with bind_tcp("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("GRADING_SERVER_PORT", str(port))
        words = f"mlebench serve spaceship-titanic --data-dir {registry.get_data_dir()}"
        left = run(words, monkeypatch, capfd)
    assert left.code == 2
    assert f"port {port}: Address already in use" in left.stderr
