"""Finding the processes that a test has started, among those of all other tests."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

VARIABLE = "MLEBENCH_TEST_PROCESSES"


class Watch:
    """Knows the processes started since by a value in their environment, or by their folder."""

    def __init__(self, folder: Path | None) -> None:
        self.value = uuid.uuid4().hex
        self.folder = folder

    def left(self) -> list[psutil.Process]:
        """Those still there, and dead ones of ours that nobody has buried."""
        return [process for process in psutil.process_iter() if self._is_left(process)]

    def left_after(self, seconds: float) -> list[psutil.Process]:
        """Those still there after some seconds of patience."""
        deadline = time.monotonic() + seconds
        while (left := self.left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def _is_left(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return process.ppid() == os.getpid()
            is_within = self.folder and Path(process.cwd()).is_relative_to(self.folder)
            return bool(is_within) or process.environ().get(VARIABLE) == self.value
        except psutil.Error:
            return False


@contextmanager
def watched(folder: Path | None = None) -> Iterator[Watch]:
    """Watch the processes that are started in here, or work below a folder."""
    watch = Watch(folder)
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = watch.value
    try:
        yield watch
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
