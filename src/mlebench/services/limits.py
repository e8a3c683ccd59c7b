"""What those who ask the validation service may use of the host."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from mlebench.errors import ConfigError
from mlebench.grading.batch import DEFAULT_MEMORY_SHARE
from mlebench.processes import Limits
from mlebench.processes.limits import machine_memory

OPTIONAL = ("memory", "checks")
ENDLESS = ("calls_per_minute", "check_seconds")


@dataclass(frozen=True)
class ServiceLimits:
    """What a validation service takes on, at each door and at all of them together.

    Attributes:
        upload_bytes: The longest file that is taken.
        kept_bytes: How much all files that are being checked may have together.
        uploads: How many calls a door serves at a time; the others wait.
        calls_per_minute: How many calls a door serves in the long run, and how many at once
            after a pause; infinite for no limit.
        waiting: How many calls may wait at all doors together.
        turn_seconds: How long one waits for its turn before it is sent away.
        pause_seconds: How long somebody may send nothing amid an upload.
        upload_seconds: How long an upload may take.
        idle_seconds: How long a connection may be open without a request.
        check_seconds: How long a check may take; infinite for no limit.
        memory: Bytes for a checking process; by default its share of three quarters of the
            machine's.
        connections: How many a door has open at a time.
        checks: How many files of one door are checked at a time; by default one less than of
            all doors together, so that nobody's slow checks keep all others waiting.
    """

    upload_bytes: int = 2 * 10**9
    kept_bytes: int = 8 * 10**9
    uploads: int = 4
    calls_per_minute: float = 120
    waiting: int = 256
    turn_seconds: float = 60
    pause_seconds: float = 30
    upload_seconds: float = 600
    idle_seconds: float = 10
    check_seconds: float = 300
    memory: int | None = None
    connections: int = 64
    checks: int | None = None

    def __post_init__(self) -> None:
        for name, value in ((field.name, getattr(self, field.name)) for field in fields(self)):
            if value is None and name in OPTIONAL:
                continue
            if not value > 0 or (math.isinf(value) and name not in ENDLESS):
                raise ConfigError(f"The limit {name} must be more than 0 and finite, not {value}.")

    def of_a_process(self, workers: int) -> Limits:
        """The limits of each of some checking processes."""
        memory = self.memory or int(machine_memory() * DEFAULT_MEMORY_SHARE / workers)
        return Limits(seconds=self.check_seconds, memory=memory)
