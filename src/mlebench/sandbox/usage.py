"""What the processes of a room use, as the host's kernel tells it."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlebench.processes.trees import children
from mlebench.sandbox.walking import walk

BLOCK = 512  # bytes of a file system's block, as `stat` counts them
KILOBYTE = 1024  # as /proc counts memory


def processes_below(root: int, most: int) -> list[int]:
    """The processes below one; not many more than ``most``, however many there are."""
    found: list[int] = []
    waiting = children(root)
    while waiting and len(found) <= most:
        pid = waiting.pop()
        found.append(pid)
        waiting += children(pid)
    return found


def threads_of(processes: Iterable[int]) -> int:
    """How many threads processes have, together."""
    total = 0
    for pid in processes:
        with contextlib.suppress(OSError):  # it has ended
            total += os.stat(f"/proc/{pid}/task").st_nlink - 2  # noqa: PTH116 (often)
    return total


@dataclass(frozen=True)
class Memory:
    """Bytes of memory, without pages of files, which the system takes back when it needs them.

    Attributes:
        own: Of processes by themselves.
        shared: Mapped by several, or meant to be; files in memory are among it once mapped.
    """

    own: int
    shared: int

    def together_with(self, in_files: int) -> int:
        """All in all, with files in memory, of which nobody knows how much is mapped."""
        return self.own + max(self.shared, in_files)


def memory_at_most(processes: Iterable[int]) -> Memory:
    """What processes hold, quickly; what they share is counted for each."""
    return _summed(_figures(pid, "status", b"RssAnon", b"RssShmem") for pid in processes)


def memory_of(processes: Iterable[int]) -> Memory:
    """The same, with what is shared divided among those who share it; that takes longer."""
    return _summed(_figures(pid, "smaps_rollup", b"Pss_Anon", b"Pss_Shmem") for pid in processes)


def _summed(parts: Iterable[tuple[int, int]]) -> Memory:
    own, shared = zip(*parts, strict=True) if (parts := list(parts)) else ((), ())
    return Memory(sum(own), sum(shared))


def _figures(pid: int, file: str, own: bytes, shared: bytes) -> tuple[int, int]:
    """Two lines of a file on a process, in bytes; nothing if it has ended.

    A process whose first thread has ended lives on in the others, and only they tell of it.
    """
    for thread in _threads(pid):
        try:
            lines = Path(f"/proc/{pid}/task/{thread}/{file}").read_bytes().splitlines()
        except OSError:
            continue
        found = {name: rest.split() for name, _, rest in (line.partition(b":") for line in lines)}
        if own in found and shared in found:  # else it is dead but not buried
            return int(found[own][0]) * KILOBYTE, int(found[shared][0]) * KILOBYTE
    return 0, 0


def _threads(pid: int) -> Iterator[int]:
    """The threads of a process, its first one first; the others are looked for if need be."""
    yield pid
    try:
        names = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 (often)
    except OSError:  # it has ended
        return
    yield from (int(name) for name in names if int(name) != pid)


@dataclass(frozen=True)
class HiddenFiles:
    """Files without a name, which only those who have them open can see.

    Attributes:
        memory: Bytes of those that are in memory.
        disk: Bytes of those on the disk in question.
    """

    memory: int
    disk: int


def hidden_files(processes: Iterable[int], disk: int, elsewhere: int | None) -> HiddenFiles:
    """What processes hold in files that have been deleted, or never had a name.

    Each thread is asked: one may have taken handles that the others do not have.

    Args:
        processes: Whose files are looked at.
        disk: The device that bytes on disk are counted for.
        elsewhere: A device whose bytes are counted anyway.
    """
    seen: dict[tuple[int, int], int] = {}
    folders = (f"/proc/{pid}/task/{thread}/fd" for pid in processes for thread in _threads(pid))
    for folder in folders:
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            for entry in os.scandir(folder):
                with contextlib.suppress(OSError):
                    found = entry.stat()
                    if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                        seen[found.st_dev, found.st_ino] = found.st_blocks * BLOCK
    # What is on no device with a number of its own is in memory; other disks cannot be written.
    return HiddenFiles(
        memory=sum(
            size
            for (device, _), size in seen.items()
            if os.major(device) == 0 and device not in {disk, elsewhere}
        ),
        disk=sum(size for (device, _), size in seen.items() if device == disk),
    )


@dataclass(frozen=True)
class FileSystem:
    """A file system of a room's own, in memory.

    Attributes:
        device: Its number.
        used: Its bytes.
    """

    device: int
    used: int


def file_system(place: Path) -> FileSystem | None:
    """The file system at a place; None if it is gone."""
    try:
        found = os.statvfs(place)
        return FileSystem(place.stat().st_dev, (found.f_blocks - found.f_bfree) * found.f_frsize)
    except OSError:
        return None


def bytes_on_disk(folder: Path, done: threading.Event | None = None) -> int:
    """Bytes that all files below a folder take; files with several names count once.

    What lies deeper than anybody nests folders is not seen; the floor of free space holds there.

    Args:
        folder: The folder.
        done: Once it is set, nobody wants to know any more.
    """
    linked: set[tuple[int, int]] = set()
    total = 0
    for entry in walk(folder):
        if done and done.is_set():
            break
        found = entry.found
        if found.st_nlink > 1 and not entry.is_folder:
            if (found.st_dev, found.st_ino) in linked:
                continue
            linked.add((found.st_dev, found.st_ino))
        total += found.st_blocks * BLOCK
    return total


def files_on_disk(folder: Path) -> int:
    """How many files and folders there are below a folder."""
    return sum(1 for _ in walk(folder))
