"""When the first process of a room leaves although its agent goes on."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from mlebench.sandbox import door
from tests.sandbox.rooms import PYTHON, SECONDS


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "lifeline"
    os.mkfifo(path)
    return path


def code_of(folder: Path, *command: str, **config: Any) -> int:
    """The exit code of a door; its agent can go on for as long as the door does, and no longer."""
    usual = {
        "doors": {},
        "command": command,
        "folder": "/",
        "environment": {"PATH": os.environ["PATH"]},
        "limits": {},
        "processors": None,
        "status": None,
    }
    file = folder / "door.json"
    file.write_text(json.dumps(usual | config))
    words = [PYTHON, "-I", "-S", str(door.__file__), str(file)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        try:
            return process.wait(SECONDS)
        finally:
            process.kill()


def test_time_is_over_though_nobody_ends_the_room(tmp_path: Path) -> None:
    assert code_of(tmp_path, "cat", seconds=0.1) == 1


def test_host_is_gone(pipe: Path) -> None:
    codes: queue.Queue[int] = queue.Queue()
    host = os.open(pipe, os.O_RDWR)
    try:
        handle = door._lifeline(str(pipe))
        assert handle is not None
        leave: Any = codes.put
        thread = threading.Thread(target=door._leave_with_host, args=(handle, leave))
        thread.start()
    finally:
        os.close(host)
    assert codes.get(timeout=SECONDS) == 1
    thread.join()
    os.close(handle)


@pytest.mark.parametrize("is_there", [True, False])
def test_pipe_that_nobody_holds_says_nothing(tmp_path: Path, pipe: Path, is_there: bool) -> None:
    place = pipe if is_there else tmp_path / "none"
    assert code_of(tmp_path, "sh", "-c", "exit 7", lifeline=str(place)) == 7
