"""The watch and the log, without rooms."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mlebench.sandbox import watching
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.room import RoomLimits
from mlebench.sandbox.usage import bytes_on_disk, hidden_files, memory_at_most, memory_of
from mlebench.sandbox.watching import Watched, watch


def never(seconds: float) -> bool:
    time.sleep(min(seconds, 0.01))
    return False


@pytest.mark.parametrize(("own", "cause"), [(10, "disk_full"), (0, "infrastructure")])
def test_room_ends_before_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, cause: str
) -> None:
    """Whoever filled it is to blame."""
    free = iter([watching.LEAST_FREE_DISK + 5, *[watching.LEAST_FREE_DISK - 5] * 10])
    monkeypatch.setattr(watching, "_free", lambda _: next(free))
    monkeypatch.setattr(watching, "bytes_on_disk", lambda *_: own)
    verdict = watch(Watched(never, tmp_path), RoomLimits(), threading.Event())
    assert verdict is not None
    assert verdict.cause == cause


def test_a_disk_that_takes_long_to_measure_delays_no_other_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = []

    def measure(_: Path, done: threading.Event) -> int:
        if measured:
            assert done.wait(60), "the watch waits for the disk"
        measured.append(1)
        return 0

    monkeypatch.setattr(watching, "bytes_on_disk", measure)
    verdict = watch(Watched(never, tmp_path), RoomLimits(seconds=0.5), threading.Event())
    assert verdict is not None
    assert verdict.cause == "time_limit"


def test_a_look_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = iter([0])
    monkeypatch.setattr(watching, "bytes_on_disk", lambda *_: next(measured))
    with pytest.raises(StopIteration):
        watch(Watched(never, tmp_path), RoomLimits(seconds=60), threading.Event())


@pytest.mark.parametrize(("own", "cause"), [(20, "disk_full"), (0, "infrastructure")])
def test_whoever_made_all_the_files_that_a_disk_has_place_for_is_to_blame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, cause: str
) -> None:
    left = [30]

    def told(_: object) -> os.statvfs_result:
        sizes = [4096, 1, 10**12, 10**12, 10**12, 10**6, left[0], left[0], 0, 255]
        return os.statvfs_result(sizes)

    def use_up(_: float) -> bool:
        for number in range(own):
            (tmp_path / str(number)).touch()
        left[0] = 0
        return False

    monkeypatch.setattr(os, "statvfs", told)
    verdict = watch(Watched(use_up, tmp_path), RoomLimits(), threading.Event())
    assert verdict is not None
    assert verdict.cause == cause


def test_end_that_came_first_counts(tmp_path: Path) -> None:
    answers = iter([False, True])
    room = Watched(lambda _: next(answers), tmp_path)
    assert watch(room, RoomLimits(seconds=0), threading.Event()) is None


def test_bytes_on_disk_are_those_of_the_own_files(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "large").write_bytes(b"x" * 1_000_000)
    (tmp_path / "room/link").symlink_to(tmp_path)
    (tmp_path / "room/file").write_bytes(b"x" * 500_000)
    (tmp_path / "room/same").hardlink_to(tmp_path / "room/file")
    (tmp_path / "room/sparse").touch()
    os.truncate(tmp_path / "room/sparse", 10**12)
    assert 400_000 < bytes_on_disk(tmp_path / "room") < 900_000


# A thread with handles of its own holds memory and a file without a name; the first one ends.
HOLDER = """
import ctypes, os, sys, threading
libc = ctypes.CDLL(None)
ready = threading.Event()
def hold():
    assert libc.unshare(0x400) == 0  # CLONE_FILES
    held = b"x" * 50_000_000
    file = open(sys.argv[1], "wb")
    os.unlink(sys.argv[1])
    file.write(held[:20_000_000])
    file.flush()
    ready.set()
    sys.stdin.read()
threading.Thread(target=hold).start()
ready.wait()
os.write(1, b"held\\n")
if sys.argv[2] == "end":
    libc.syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs threads of Linux")
@pytest.mark.parametrize("first_thread", ["end", "stay"])
def test_what_any_thread_holds_counts(tmp_path: Path, first_thread: str) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "hidden"), first_thread]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        if first_thread == "end":
            status = Path(f"/proc/{process.pid}/status")
            while "VmRSS" in status.read_text():
                time.sleep(0.01)
        for measure in (memory_at_most, memory_of):
            assert measure([process.pid]).own >= 50_000_000
        disk = tmp_path.stat().st_dev
        found = hidden_files([process.pid], disk, None)
        process.communicate()
    assert found.disk + found.memory >= 20_000_000


def test_log_does_not_wait_for_whoever_holds_the_pipe(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "log.txt"
    with PrintedLog(log, 100) as printed:
        held = os.dup(printed.handle)
        os.write(held, b"said\n")
        started = time.monotonic()
    assert time.monotonic() - started < 10
    os.close(held)
    assert log.read_bytes() == b"said\n"


def test_log_does_not_wait_for_whoever_prints_on(tmp_path: Path) -> None:
    done = threading.Event()

    def print_on(handle: int) -> None:
        while not done.is_set():
            try:
                os.write(handle, b"x" * 1000)
            except BrokenPipeError:
                return

    with PrintedLog(tmp_path / "log.txt", 10) as printed:
        held = os.dup(printed.handle)
        thread = threading.Thread(target=print_on, args=(held,))
        thread.start()
        deadline = time.monotonic() + 60
        while (tmp_path / "log.txt").stat().st_size < 10 and time.monotonic() < deadline:
            time.sleep(0.01)
    done.set()
    thread.join()
    os.close(held)
    kept = (tmp_path / "log.txt").read_text()
    assert kept.startswith("x" * 10 + "\n[")
    assert kept.count("dropped") == 1


def test_log_that_cannot_be_written_stops_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    with PrintedLog(tmp_path / "full", 10**6) as printed:
        for _ in range(100):
            os.write(printed.handle, b"x" * 10_000)
    assert "cannot be written any more" in caplog.text
