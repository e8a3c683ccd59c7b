"""What goes into a room, what it may use, and how it ended."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

GIGABYTE = 10**9
MOST_BYTES = 10**15
"""More than any machine has: whoever asks for it has mistaken the unit."""

Cause = Literal[
    "finished",
    "agent_error",
    "time_limit",
    "out_of_memory",
    "too_many_processes",
    "disk_full",
    "stopped",
    "infrastructure",
]
"""Why a room ended: by itself with exit code 0 or another one, by a limit, by the user, by us."""


@dataclass(frozen=True)
class RoomLimits:
    """What everything in a room together may use before it is ended.

    Attributes:
        seconds: Time by the clock; infinite for none.
        memory: Bytes of memory.
        cpus: How many processors' worth of time, as far as the kind can hold it to that.
        gpus: How many graphics cards it is given; -1 for all.
        processes: How many there may be at a time, threads not counted.
        disk: Bytes of what it writes.
        printed: Bytes of what it prints that are kept; the rest is read and dropped.
    """

    seconds: float = math.inf
    memory: int | None = None
    cpus: float | None = None
    gpus: int = 0
    processes: int = 1000
    disk: int | None = 100 * GIGABYTE
    printed: int = GIGABYTE


def why_impossible(name: str, value: float) -> str | None:
    """Why a limit cannot be what somebody asks for, in sentences; None if it can."""
    if name == "seconds":
        fits, allowed = value > 0, "a time above 0, or inf for no end"
    elif name == "gpus":
        fits, allowed = value >= -1, "0 or more, or -1 for all"
    elif name in ("memory", "disk"):
        fits, allowed = 0 < value <= MOST_BYTES, f"from 1 to {MOST_BYTES:,} bytes"
    else:
        fits, allowed = 0 < value < math.inf, "a number above 0"
    return None if fits else f"cannot be {value:g}. It must be {allowed}."


@dataclass(frozen=True)
class PythonHome:
    """A Python that is given to a room, read-only, in the place where it lies on the host.

    Attributes:
        executables: The folder that ``python`` is found in; first on the room's path.
        folders: All that it takes to run it.
    """

    executables: Path
    folders: tuple[Path, ...]


@dataclass(frozen=True)
class RoomPlan:
    """What a room is made of.

    Attributes:
        name: Of the run; nobody else's.
        folder: A folder of the host's that exists and is the room's own: the content of
            `layout.COLLECTED` appears in folders of these names in it while the agent works.
        data: The public data; read-only in the room.
        agent: The agent's program. The room gets a copy, since agents write beside it.
        command: What to start, in the folder of the agent.
        environment: Further variables; a room has none of the host's own.
        texts: Files that lie beside the folders, by name; those ending in .sh can be run.
        doors: For each port on the room's localhost the unix socket on the host behind it.
        log: The file of the host's that gets what is printed.
        python: The Python that the agent needs, where the kind has none of its own.
        image: The container image, where the kind needs one.
        privileged: Whether a container gets all rights of the host; other kinds refuse.
        container: Further keyword arguments for whoever makes the container.
        hidden: Files of Python packages that the room's Python must lack, because they hold
            answers; kinds with walls see to it.
        limits: What it may use.
    """

    name: str
    folder: Path
    data: Path
    agent: Path
    command: tuple[str, ...]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    doors: Mapping[int, Path] = field(default_factory=dict)
    python: PythonHome | None = None
    image: str | None = None
    privileged: bool = False
    container: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    limits: RoomLimits = field(default_factory=RoomLimits)


@dataclass(frozen=True)
class RoomEnd:
    """How a room ended.

    Attributes:
        cause: In one word.
        message: In a sentence.
        exit_code: That of the agent's command, if it ended by itself.
        seconds: How long the command ran.
    """

    cause: Cause
    message: str
    exit_code: int | None
    seconds: float


class Sandbox(Protocol):
    """A kind of rooms."""

    kind: str

    def why_unusable(self) -> str | None:
        """Why this machine cannot have such rooms, and what would help; None if it can."""

    def run(self, plan: RoomPlan, stop: threading.Event) -> RoomEnd:
        """Make a room, start the agent's command in it, and wait for its end.

        Afterwards no process of the room is left, and nothing but the collected folders is in
        the plan's folder. Once ``stop`` is set, the room is ended within seconds.

        Raises:
            SandboxError: The room could not be made, for no fault of the agent.
        """

    def clear_up(self, names: Iterable[str]) -> None:
        """Remove what is left of rooms of these names, whose makers were killed."""
