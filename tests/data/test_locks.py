"""Locks: one holder at a time, bounded waiting, and no trace of whoever died."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mlebench.data import locks
from mlebench.data.locks import exclusive, is_held
from mlebench.errors import BusyError, ConfigError

HOLD = """
import os, sys
from pathlib import Path
from mlebench.data.locks import exclusive

with exclusive(Path(sys.argv[1]), 0):
    is_parent = sys.argv[2] == "with a child" and os.fork() != 0
    if not is_parent:
        print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".lock"


def test_nothing_is_left_of_a_lock(path: Path) -> None:
    with exclusive(path) as held:
        assert held
        assert str(os.getpid()) in path.read_text()
    assert not path.exists()


def test_the_folder_may_be_removed_before_one_s_turn(path: Path) -> None:
    folder = path.parent / "data"
    folder.mkdir()
    with exclusive(folder / ".lock", 0):
        (folder / ".lock").unlink()
        folder.rmdir()
        with exclusive(folder / ".lock", 0) as held:
            assert held
            assert folder.is_dir()


def test_a_lock_is_released_after_an_error(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(path):
        raise ZeroDivisionError
    with exclusive(path, 0):
        pass


def test_there_is_one_holder_at_a_time(path: Path) -> None:
    busy = pytest.raises(BusyError, match="MLEBENCH_LOCK_TIMEOUT")
    with exclusive(path), busy, exclusive(path, 0.05):
        pytest.fail("two holders")


def test_many_threads_take_turns(path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with exclusive(path):
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1)
    assert not path.exists()


@pytest.mark.parametrize("company", ["alone", "with a child"])
def test_a_lock_ends_with_its_holder(company: str, path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), company],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.kill()
    process.wait()
    assert path.exists()
    with exclusive(path, 0) as held:  # although the child is still alive
        assert held
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout.read() == ""
    process.stdout.close()


def test_a_child_that_leaves_does_not_take_the_lock_away(path: Path) -> None:
    script = HOLD.replace(
        "    sys.stdin.read()",
        "    sys.stdin.read(1) if is_parent else None\n    if is_parent: os.wait()",
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script + "\nprint('left', flush=True)", str(path), "with a child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["held\n", "left\n"]
    with pytest.raises(BusyError), exclusive(path, 0):
        pytest.fail("two holders")
    assert process.communicate("go on")[0] == "left\n"
    assert not path.exists()


def test_waiting_time_can_be_set(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLEBENCH_LOCK_TIMEOUT", "0.05")
    with exclusive(path), pytest.raises(BusyError, match=r"within 0\.05 seconds"), exclusive(path):
        pass
    for stated in ("soon", "nan"):
        monkeypatch.setenv("MLEBENCH_LOCK_TIMEOUT", stated)
        with pytest.raises(ConfigError, match=f"must be seconds, not '{stated}'"), exclusive(path):
            pass


def test_a_file_system_without_locks_is_worked_on_without(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with exclusive(path) as held:
        assert not held
    assert "cannot be locked" in caplog.text
    assert not path.exists()
    assert locks._held == set()


IMPORT = """
import os
import sys

sys.modules["fcntl"] = None  # importing it fails, as where there is none
os.register_at_fork = lambda **hooks: print(*(hook.__module__ for hook in hooks.values()))
import mlebench.data.locks
import mlebench.data.prepare
"""


def test_nothing_happens_at_import() -> None:
    told = subprocess.run(
        [sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True
    )
    assert "mlebench" not in told.stdout


def test_looking_at_a_lock_tells_whether_it_is_held_and_leaves_nothing(path: Path) -> None:
    assert is_held(path) is False
    with exclusive(path):
        assert is_held(path) is True
    assert not path.exists()
    path.write_text("process 1 on a machine that was switched off")
    assert is_held(path) is False
    assert path.exists()


def test_where_there_are_no_locks_nobody_knows_whether_one_is_held(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert is_held(path) is None
    assert is_held(path.parent / "none" / "lock") is None


def test_somebody_who_only_looks_is_not_taken_for_a_holder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.touch()
    looking = os.open(path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    monkeypatch.setattr(locks.time, "sleep", lambda _: os.close(looking))
    with exclusive(path, timeout=0) as held:
        assert held
