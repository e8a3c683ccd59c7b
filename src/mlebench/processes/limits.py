"""What a job may use."""

from __future__ import annotations

import math
from dataclasses import dataclass

GIGABYTE = 2**30


@dataclass(frozen=True)
class Limits:
    """What a job may use before it is stopped.

    Attributes:
        seconds: Time by the clock; infinite for none.
        memory: Bytes for each of its processes; asking for more is a `MemoryError`.
        file_size: Bytes of the longest file it may write; more is an `OSError`.
        processes: How many it may have at a time.
    """

    seconds: float = math.inf
    memory: int | None = None
    file_size: int | None = GIGABYTE
    processes: int = 200

    def apply(self) -> None:
        """Have the operating system enforce what it can, on this process and its children.

        Not the number of processes: the system counts all that the user has anywhere. The
        keeper counts those of the job.
        """
        import resource

        # Memory that a process writes to; its address space says little, since allocators
        # and libraries reserve much more than they use.
        for kind, limit in (
            (resource.RLIMIT_DATA, self.memory),
            (resource.RLIMIT_FSIZE, self.file_size),
            (resource.RLIMIT_CORE, 0),
        ):
            if limit is not None:
                _, highest = resource.getrlimit(kind)
                lowest = limit if highest == resource.RLIM_INFINITY else min(limit, highest)
                resource.setrlimit(kind, (lowest, lowest))


def machine_memory() -> int:
    """The bytes of memory that this machine, or the container around us, has."""
    import psutil

    return min(psutil.virtual_memory().total, _container_memory())


def _container_memory() -> int:
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read())
    except (OSError, ValueError):  # no container, or one without a limit
        return 2**63
