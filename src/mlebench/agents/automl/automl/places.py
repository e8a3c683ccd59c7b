"""Where things are in the room, and what the room allows."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CGROUP_MEMORY = Path("/sys/fs/cgroup/memory.max")
USUAL_SECONDS = 600.0
USUAL_MEMORY = 4 * 1024**3
TINY = 1e-3


@dataclass(frozen=True)
class Places:
    """What the agent was given.

    Attributes:
        data: The public data.
        submission: Where the submission goes.
        logs: Where the journal goes.
        scratch: Where features are kept between steps.
        seed: Which attempt this is.
        seconds: How long it may take.
        memory: How many bytes it may use.
        cores: How many processors it may use.
        validation_url: The service that says whether a submission is valid.
    """

    data: Path
    submission: Path
    logs: Path
    scratch: Path
    seed: int
    seconds: float
    memory: int
    cores: int
    validation_url: str | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Places:
        """Take what the room says, and what is usual where it says nothing."""
        submission = Path(environment.get("SUBMISSION_DIR", "/home/submission"))
        logs = Path(environment.get("LOGS_DIR", "/home/logs"))
        return cls(
            data=Path(environment.get("DATA_DIR", "/home/data")),
            submission=submission / "submission.csv",
            logs=logs,
            scratch=_scratch(Path(environment.get("AGENT_DIR", ".")), (logs, submission)),
            seed=int(_number(environment, "SEED", 0, least=0)),
            seconds=_number(environment, "TIME_LIMIT_SECS", USUAL_SECONDS, least=TINY),
            memory=_memory(environment),
            cores=_cores(environment),
            validation_url=environment.get("MLEBENCH_VALIDATION_URL"),
        )


def _scratch(own: Path, others: Sequence[Path]) -> Path:
    """A folder of the agent's own; a hidden one elsewhere if it may not write there."""
    if os.access(own, os.W_OK):
        return own / "scratch"
    hidden = f".automl-{os.getpid()}"
    try:
        return Path(tempfile.gettempdir()) / hidden
    except FileNotFoundError:  # nothing temporary can be written anywhere
        return next((one for one in others if os.access(one, os.W_OK)), own) / hidden


def _number(environment: Mapping[str, str], name: str, usual: float, *, least: float) -> float:
    """A number that the room tells; what is usual where it tells none that makes sense."""
    try:
        told = float(environment.get(name, usual))
    except ValueError:
        return usual
    return told if math.isfinite(told) and told >= least else usual


def _memory(environment: Mapping[str, str]) -> int:
    """The limit that is told or set, else what the machine has to spare."""
    if told := _number(environment, "MEMORY_LIMIT_BYTES", 0, least=1):
        return int(told)
    try:
        return int(CGROUP_MEMORY.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such group, or one without a limit
        pages = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return max(USUAL_MEMORY, pages // 2)


def _cores(environment: Mapping[str, str]) -> int:
    available = len(os.sched_getaffinity(0))
    told = _number(environment, "CPU_LIMIT", available, least=TINY)
    return max(1, min(available, int(told)))
