"""Under which conditions runs took place: what one has to know to compare their results."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mlebench.processes.limits import machine_memory
from mlebench.sandbox.room import RoomLimits

Network = Literal["closed", "open"]


@dataclass(frozen=True)
class Hardware:
    """What a run had to compute with."""

    cpus: float
    memory_bytes: int
    gpus: int
    processor: str


@dataclass(frozen=True)
class Conditions:
    """What was allowed and given, in every report on a run.

    Attributes:
        sandbox: The kind of room.
        hours: How long a run might take.
        hardware: What it had to compute with.
        network: ``closed`` unless the room has no walls.
        model: The language model behind the agent, if any.
        budget_usd: What it might spend on that.
        edition: Of the competitions.
        description: Which text the agent read: ``original`` or ``obfuscated``.
        test_feedback: What the agent learned about its test score: nothing.
    """

    sandbox: str
    hours: float | None
    hardware: Hardware
    network: Network
    edition: str
    model: str | None = None
    budget_usd: float | None = None
    description: str = "original"
    test_feedback: Literal["none"] = "none"

    def to_dict(self) -> dict[str, Any]:
        """The conditions as they stand in JSON."""
        return asdict(self)


def hardware_of(limits: RoomLimits, *, is_elsewhere: bool = False) -> Hardware:
    """What a room with these limits has: on this machine, never more than that has itself."""
    there = machine_memory()
    memory = limits.memory or there
    return Hardware(
        cpus=limits.cpus or processors_here(),
        memory_bytes=memory if is_elsewhere else min(memory, there),
        gpus=limits.gpus,
        processor=_processor(),
    )


def processors_here() -> int:
    """How many processors of this machine we may use."""
    return len(os.sched_getaffinity(0))


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            names = [line.partition(":")[2].strip() for line in file if "model name" in line]
    except OSError:  # no Linux
        names = []
    return names[0] if names else platform.processor() or platform.machine()
