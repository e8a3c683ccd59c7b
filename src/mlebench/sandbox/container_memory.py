"""Whether the kernel has ended processes of a container for want of memory.

The engine tells that only at the end, and some only of the first process.
"""

from __future__ import annotations

from pathlib import Path

CONTROL_GROUPS = Path("/sys/fs/cgroup")


def memory_kills(process: int) -> int:
    """How many processes of a process' control group were killed; 0 if that cannot be told."""
    try:
        lines = Path(f"/proc/{process}/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has ended
        return 0
    for line in lines:
        _, kinds, place = line.split(":", 2)
        if kinds == "":  # the groups of today
            count = _count(CONTROL_GROUPS / place.lstrip("/") / "memory.events")
        elif "memory" in kinds.split(","):
            count = _count(CONTROL_GROUPS / "memory" / place.lstrip("/") / "memory.oom_control")
        else:
            continue
        if count:
            return count
    return 0


def machine_memory_kills() -> int:
    """How many processes of this machine were killed so far; 0 if that cannot be told."""
    return _count(Path("/proc/vmstat"))


def _count(file: Path) -> int:
    try:
        words = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:  # no such group, or no right to look
        return 0
    return sum(int(value) for name, value in words if name == "oom_kill")
