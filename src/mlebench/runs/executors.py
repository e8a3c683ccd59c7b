"""Where runs take place: the code of a run is the same, only the machine differs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from mlebench.errors import ConfigError
from mlebench.runs.attempt import Assignment, Attempt, attempt

LOOK_SECONDS = 0.5


class Executor(Protocol):
    """Something that can do several runs at a time.

    Attributes:
        slots: How many.
    """

    slots: int

    def run(
        self,
        assignment: Assignment,
        folder: Path,
        doors: Mapping[int, Path],
        stop: threading.Event,
        on_begin: Callable[[], None],
    ) -> Attempt | None:
        """Do a run, wait for its end, and leave everything in its folder on this machine.

        Args:
            assignment: What is to be done.
            folder: The run's own.
            doors: For each port the unix socket on this machine behind it.
            stop: Ends the run when set, or the wait for a place to do it.
            on_begin: Called once there are a place and the folder.

        Returns:
            How it ended; None if it was stopped before there was a place.

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
        self._gpus = [*gpus]
        self._count = len(gpus)
        self._returned = threading.Condition()

    def run(
        self,
        assignment: Assignment,
        folder: Path,
        doors: Mapping[int, Path],
        stop: threading.Event,
        on_begin: Callable[[], None],
    ) -> Attempt | None:
        """Do a run here."""
        with self._leased(assignment.limits.gpus, stop) as cards:
            if cards is None:
                return None
            environment = dict(assignment.environment)
            if cards or self._count:
                environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, cards))
            own = replace(assignment, environment=environment)
            return attempt(own, folder, doors, self._cache, stop, on_begin)

    @contextmanager
    def _leased(self, wanted: int, stop: threading.Event) -> Iterator[list[int] | None]:
        """Graphics cards for one run; waits until there are enough, or yields None if stopped."""
        wanted = self._count if wanted < 0 else wanted
        if wanted > self._count:
            raise ConfigError(f"A run wants {wanted} GPUs, and there are {self._count} to give.")
        with self._returned:
            while len(self._gpus) < wanted:
                if stop.is_set():
                    break
                self._returned.wait(LOOK_SECONDS)
            has_enough = len(self._gpus) >= wanted
            # All at once, or two runs could wait for each other's cards.
            cards = [self._gpus.pop(0) for _ in range(wanted)] if has_enough else []
        try:
            yield cards if has_enough else None
        finally:
            with self._returned:
                self._gpus += cards
                self._returned.notify_all()

    def close(self) -> None:
        """There is nothing to let go of."""
