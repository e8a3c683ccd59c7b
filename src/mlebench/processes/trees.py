"""Trees of processes: adopting the orphans of one, ending it, dying with one's parent."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.processes.pipes import readable

if TYPE_CHECKING:
    import psutil

logger = logging.getLogger(__name__)

MARK_VARIABLE = "MLEBENCH_PROCESS_TREE"
"""Set for a keeper and so for all below it, by which they are found if the keeper is lost."""

# A process that the kernel holds on to, as on a dead network drive, cannot be waited for.
MOST_SECONDS_TO_END = 10.0
PAUSE_SECONDS = 0.01

_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # the numbers of Linux' prctl


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, where the system can do that."""
    _control(_ADOPT_ORPHANS, 1)


def die_with(parent: int) -> None:
    """Be killed as soon as the parent dies, where the system can do that."""
    _control(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it was faster
        os._exit(1)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def descendants(pid: int, spare: Collection[int] = ()) -> list[int]:
    """Every process below one, without those to spare and what is below them."""
    found = [child for child in children(pid) if child not in spare]
    return found + [below for child in found for below in descendants(child)]


def children(pid: int) -> list[int]:
    """The processes that one has started, or has adopted."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except FileNotFoundError:
        if sys.platform == "linux":  # the process has ended, and asking for it takes long
            return []
        tasks = []
    except ProcessLookupError:
        return []
    found: list[int] = []
    for task in tasks:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            found += map(int, (task / "children").read_text().split())
    if tasks:
        return found
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children()]
    except psutil.NoSuchProcess:
        return []


def end_descendants(spare: Collection[int] = ()) -> None:
    """Kill every process below this one and clear up after it, except for those to spare."""
    deadline = time.monotonic() + MOST_SECONDS_TO_END
    while (left := descendants(os.getpid(), spare)) and time.monotonic() < deadline:
        _strike(left)
        for pid in left:
            _await_end(pid, deadline)
            with contextlib.suppress(ChildProcessError):  # it is not ours, or not yet
                os.waitpid(pid, os.WNOHANG)
    if left:
        logger.error("%d processes could not be ended: %s", len(left), left[:10])


def _strike(processes: Collection[int]) -> None:
    blows = (signal.SIGSTOP, signal.SIGKILL)  # stopped ones cannot start others
    for blow in blows if len(processes) > 1 else blows[1:]:
        for pid in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, blow)


def _await_end(pid: int, deadline: float) -> None:
    """Wait until a killed process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # no such call here, or no such process any more
        time.sleep(PAUSE_SECONDS)
        return
    try:
        readable([handle], deadline - time.monotonic())
    finally:
        os.close(handle)


def end_marked(mark: str, folder: Path) -> None:
    """Kill every process that bears a mark or works below a folder.

    The last resort when whoever watched them is gone, since it looks at all there are.
    """
    import psutil

    deadline = time.monotonic() + MOST_SECONDS_TO_END
    while time.monotonic() < deadline:
        left = [process.pid for process in psutil.process_iter() if _belongs(process, mark, folder)]
        if not left:
            return
        _strike(left)
        time.sleep(PAUSE_SECONDS)


def _belongs(process: psutil.Process, mark: str, folder: Path) -> bool:
    import psutil

    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        is_marked = process.environ().get(MARK_VARIABLE) == mark
        return is_marked or Path(process.cwd()).is_relative_to(folder)
    except psutil.Error:
        return False
