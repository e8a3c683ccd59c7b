"""Hostile agents in rooms with walls: nothing is achieved, and the end has the right name."""

from __future__ import annotations

import ctypes
import math
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlebench.sandbox.collecting import CollectLimits, collect, read_submission_safely
from mlebench.sandbox.room import RoomEnd, RoomLimits, Sandbox
from tests.sandbox.attacks import ATTACKS, LEFT_BEHIND, Attack
from tests.sandbox.rooms import SECONDS, Place

SECRET = "the answers of the host"
HOST_KEY = "HOST_KEY_sk-1234567890"


class Host:
    """What there is to be attacked."""

    def __init__(
        self,
        sandbox: Sandbox,
        place: Place,
        outside: Path,
        port: int,
        process: int,
        abstract: str,
    ) -> None:
        self.sandbox = sandbox
        self.place = place
        other_run = place.folder / "other-run" / "submission"
        other_run.mkdir(parents=True)
        (place.folder / "private").mkdir()
        self.secrets = [
            outside,
            Path.home() / "secret.txt",
            place.folder / "secret.txt",
            place.folder / "private" / "answers.csv",
            other_run / "submission.csv",
        ]
        for secret in self.secrets:
            secret.write_text(SECRET)
        self.environment = {
            "SECRETS": ":".join(map(str, self.secrets)),
            "HOST_PORT": str(port),
            "HOST_PID": str(process),
            "ABSTRACT": abstract,
            "KEYRINGS": " ".join(map(str, _keyrings())),
        }

    def attack(self, attack: Attack) -> RoomEnd:
        limits = replace(RoomLimits(seconds=SECONDS), **attack.limits)
        if self.sandbox.kind == "container":  # which takes its time to start
            limits = replace(limits, seconds=max(limits.seconds, CONTAINER_SECONDS))
        return self.place.run(
            self.sandbox, attack.program, environment=self.environment, limits=limits
        )


def _keyrings() -> list[int]:
    """The numbers of the rings of keys that belong to users, where the kernel lists them."""
    try:
        lines = Path("/proc/keys").read_text().splitlines()
    except OSError:
        return []
    return [int(line.split()[0], 16) for line in lines if "_uid" in line]


def _keep_key(name: str) -> None:
    """Have the kernel keep a key for this session, where it does such things."""
    add_key = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    ctypes.CDLL(None).syscall(add_key, b"user", name.encode(), SECRET.encode(), len(SECRET), -3)


@pytest.fixture
def host(walled_sandbox: Sandbox, place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("OPENAI_API_KEY", HOST_KEY)
    outside = Path("/tmp") / f"mlebench-test-secret-{os.getpid()}"
    abstract = f"mlebench-test-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as service,
        socket.socket(socket.AF_UNIX) as listener,
        subprocess.Popen(["sleep", "1000"]) as process,
    ):
        _keep_key(abstract)
        listener.bind("\0" + abstract)
        listener.listen()
        try:
            port = service.getsockname()[1]
            yield Host(walled_sandbox, place, outside, port, process.pid, abstract)
            assert process.poll() is None, "a process of the host was killed"
        finally:
            process.kill()
            outside.unlink(missing_ok=True)


CONTAINER_SECONDS = 8.0
# An engine lets no more threads begin, so that nothing is left to be ended but by the clock.
IN_CONTAINERS: dict[str, dict[str, Any]] = {
    "thread-bomb": {"cause": "time_limit", "limits": {"processes": 20, "seconds": 8.0}},
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(name: str, host: Host) -> None:
    attack = ATTACKS[name]
    if host.sandbox.kind == "container":
        attack = replace(attack, **IN_CONTAINERS.get(name, {}))
    if host.sandbox.kind == "container" and name == "new-namespaces":
        pytest.skip("Podman lets agents be root of a world of their own; see test_container.py")
    if host.sandbox.kind == "container" and attack.is_up_to_engines:
        pytest.skip("engines hide lists of keys or not, and the kernel counts memory")
    before = {path: path.stat() for path in host.place.data.rglob("*")}
    end = host.attack(attack)
    printed = host.place.printed
    assert end.cause == attack.cause, (end, printed[-3000:])
    assert "ACHIEVED" not in printed, [x for x in printed.splitlines() if "ACHIEVED" in x]
    assert SECRET not in printed
    assert HOST_KEY not in printed
    assert "TRIED" in printed or not attack.says_tried, printed[-3000:]
    assert len(printed) <= attack.limits.get("printed", math.inf) + 100
    assert all(secret.read_text() == SECRET for secret in host.secrets)
    after = {path: path.stat() for path in host.place.data.rglob("*")}
    unchanged = ("st_mode", "st_size", "st_mtime_ns", "st_nlink", "st_ino")
    for path, found in before.items():
        assert all(getattr(found, part) == getattr(after[path], part) for part in unchanged)


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_submission_that_is_none(name: str, host: Host, tmp_path: Path) -> None:
    script = "name = '/home/submission/submission.csv'\n" + LEFT_BEHIND[name]
    limits: dict[str, Any] = {"disk": 20 * 10**12}
    end = host.attack(Attack(script, limits=limits))
    assert end.cause == "finished", host.place.printed
    assert read_submission_safely(host.place.room / "submission", 10**9) is None
    collected = collect(host.place.room, tmp_path / "kept")
    kept = tmp_path / "kept/submission/submission.csv"
    assert not kept.is_file()
    assert not kept.is_symlink()
    assert collected.files == 0
    if name != "folder":
        assert [path for path, _ in collected.left_out] == ["submission/submission.csv"]


def test_hard_link_of_data(host: Host) -> None:
    script = (
        "attempt('link', os.link, '/home/data/train.csv', '/home/submission/submission.csv')\n"
        "attempt('text', os.link, '/home/instructions.txt', '/home/code/text')\n"
        "attempt('library', os.link, '/usr/bin/env', '/tmp/env')"
    )
    assert host.attack(Attack(script)).cause == "finished"
    assert "ACHIEVED" not in host.place.printed
    assert (host.place.data / "train.csv").stat().st_nlink == 1


def test_deleting_and_closing_the_own_folders(host: Host, tmp_path: Path) -> None:
    script = (
        "import shutil\n"
        "for name in ('submission', 'logs', 'code', 'agent'):\n"
        "    attempt(name, os.rmdir, '/home/' + name)\n"
        "    attempt(name, os.rename, '/home/' + name, '/home/x')\n"
        "    shutil.rmtree('/home/' + name, ignore_errors=True)\n"
        "os.mkdir('/home/code/closed'); open('/home/code/closed/x', 'w').write('x')\n"
        "open('/home/logs/x', 'w').write('x')\n"
        "for path in ('/home/logs/x', '/home/code/closed/x', '/home/code/closed', '/home/agent',\n"
        "             '/home/submission', '/home/logs', '/home/code', '/tmp'):\n"
        "    try: os.chmod(path, 0)\n"
        "    except PermissionError: pass\n"
    )
    assert host.attack(Attack(script)).cause == "finished", host.place.printed
    assert "ACHIEVED" not in host.place.printed
    collected = collect(host.place.room, tmp_path / "kept", CollectLimits())
    assert (collected.files, collected.left_out) == (2, [])
    assert (tmp_path / "kept/code/closed/x").read_text() == "x"


def test_swapping_folders_leads_nobody_out(host: Host) -> None:
    """While it works, an agent swaps folders for links; whoever looks reads its own files only."""
    script = (
        "secret = os.path.dirname(os.environ['SECRETS'].split(':')[2])\n"
        "end = time.monotonic() + 2\n"
        "name = '/home/submission/submission.csv'\n"
        "target = os.environ['SECRETS'].split(':')[2]\n"
        "while time.monotonic() < end:\n"
        "    open('/tmp/new', 'w').write('own')\n"
        "    subprocess.run(['mv', '-f', '/tmp/new', name])\n"
        "    os.symlink(target, '/home/submission/link')\n"
        "    os.rename('/home/submission/link', name)\n"
    )
    read: set[bytes | None] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            read.add(read_submission_safely(host.place.room / "submission", 10**6))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        end = host.attack(Attack(script))
    finally:
        done.set()
        thread.join()
    assert end.cause == "finished", host.place.printed
    assert read <= {None, b"own", b""}
