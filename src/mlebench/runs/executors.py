"""Where runs take place: the code of a run is the same, only the machine differs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from mlebench.errors import ConfigError
from mlebench.runs.attempt import Assignment, Attempt, attempt


class Executor(Protocol):
    """Something that can do several runs at a time.

    Attributes:
        slots: How many.
    """

    slots: int

    def run(
        self, assignment: Assignment, folder: Path, doors: Mapping[int, Path], stop: threading.Event
    ) -> Attempt:
        """Do a run, wait for its end, and leave everything in its folder on this machine.

        Raises:
            SandboxError: It was lost, for no fault of the agent.
        """

    def close(self) -> None:
        """Let go of machines and processes."""


class LocalExecutor:
    """Runs on this machine; each gets graphics cards that no other one has meanwhile."""

    def __init__(self, slots: int, cache: Path, gpus: tuple[int, ...] = ()) -> None:
        if slots < 1:
            raise ConfigError(f"There must be at least one worker, not {slots}.")
        self.slots = slots
        self._cache = cache
        self._gpus: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._count = len(gpus)
        self._leasing = threading.Lock()
        for gpu in gpus:
            self._gpus.put(gpu)

    def run(
        self, assignment: Assignment, folder: Path, doors: Mapping[int, Path], stop: threading.Event
    ) -> Attempt:
        """Do a run here."""
        with self._leased(assignment.limits.gpus) as cards:
            environment = dict(assignment.environment)
            if cards or self._count:
                environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, cards))
            own = replace(assignment, environment=environment)
            return attempt(own, folder, doors, self._cache, stop)

    @contextmanager
    def _leased(self, wanted: int) -> Iterator[list[int]]:
        """Graphics cards for one run; waits until there are enough."""
        wanted = self._count if wanted < 0 else wanted
        if wanted > self._count:
            raise ConfigError(f"A run wants {wanted} GPUs, and there are {self._count} to give.")
        with self._leasing:  # one at a time, or two could wait for each other's cards
            cards = [self._gpus.get() for _ in range(wanted)]
        try:
            yield cards
        finally:
            for card in cards:
                self._gpus.put(card)

    def close(self) -> None:
        """There is nothing to let go of."""
