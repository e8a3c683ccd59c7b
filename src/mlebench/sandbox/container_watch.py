"""Watching over a container until it ends or has to be ended."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import SandboxError
from mlebench.sandbox.container_engine import engine_errors
from mlebench.sandbox.container_memory import machine_memory_kills, memory_kills
from mlebench.sandbox.container_output import Output
from mlebench.sandbox.making import room_end
from mlebench.sandbox.room import RoomEnd, RoomPlan
from mlebench.sandbox.usage import bytes_on_disk
from mlebench.sandbox.watching import SHARE_OF_TIME, Verdict, Watched, watch

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

ASK_SECONDS = 1.0
# An engine that is being restarted is back after a while, with its containers.
MOST_FAILURES = 5
EXIT_SECONDS = 30
REMOVAL_SECONDS, REMOVAL_PAUSE_SECONDS = 3.0, 0.1
KILLED = 128 + signal.SIGKILL
GONE, NOT_RUNNING, PODMANS_NOT_RUNNING = 404, 409, 500


OUT_OF_MEMORY = Verdict("out_of_memory", "It used all the memory it was given.")


class _ContainerGoneError(Exception):
    """The engine answers, and knows nothing of the container any more."""


@dataclass
class Rhythm:
    """When something is to be done again that takes more or less time each time."""

    due_at: float = 0.0

    def is_due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() >= self.due_at

    def done(self, began_at: float) -> None:
        """It was done just now, and took the time since then."""
        now = time.monotonic()
        self.due_at = now + max(ASK_SECONDS, (now - began_at) / SHARE_OF_TIME)


@dataclass
class RunningContainer:
    """One that has been started, with what is known of it so far."""

    client: DockerClient
    container: Container
    plan: RoomPlan
    output: Output
    began_at: float = field(default_factory=time.monotonic)
    _verdict: Verdict | None = None
    _root: int | None = None
    _kills_before: int = field(default_factory=machine_memory_kills)
    _failures: int = 0
    _asking: Rhythm = field(default_factory=Rhythm)
    _measuring: Rhythm = field(default_factory=Rhythm)

    def until_end(self, stop: threading.Event) -> RoomEnd:
        """Wait until the container has ended, or end it.

        Raises:
            SandboxError: The engine is lost.
        """
        limits = replace(self.plan.limits, memory=None)  # the kernel holds it to that
        try:
            self._root = self._first_process()
            verdict = watch(Watched(self._wait, self.plan.folder, self._root), limits, stop)
            verdict = verdict or self._verdict
            if verdict is None:
                return self._ended_by_itself()
            end_container(self.container, self.plan.name)
        except _ContainerGoneError:  # somebody cleared up
            verdict = None
        return room_end(verdict, None, self._seconds())

    def _seconds(self) -> float:
        return time.monotonic() - self.began_at

    def _wait(self, seconds: float) -> bool:
        """Wait some seconds for the end, by its own doing or for what only the engine knows."""
        self.output.ended.wait(seconds)
        if self._verdict is not None:
            return True
        # Asked at once when it prints no more, otherwise now and then.
        if (self._asking.is_due() or self.output.ended.is_set()) and not self._is_running():
            return True
        if self.output.ended.is_set():
            time.sleep(seconds)  # it prints no more, and still runs
        self._verdict = self._killed_for_memory() or self._measure()
        return self._verdict is not None

    def _is_running(self) -> bool:
        began_at = time.monotonic()
        try:
            is_running = bool(self._state()["Running"])
            self._failures = 0
        except _ContainerGoneError:
            raise
        except SandboxError:
            self._failures += 1
            if self._failures > MOST_FAILURES:
                raise
            time.sleep(ASK_SECONDS)
            is_running = True
        self._asking.done(began_at)
        return is_running

    def _state(self) -> dict[str, Any]:
        import docker.errors

        with engine_errors(f"The container of {self.plan.name} is lost"):
            try:
                self.container.reload()
            except docker.errors.NotFound as error:
                raise _ContainerGoneError from error
        found: dict[str, Any] = self.container.attrs["State"]
        return found

    def _first_process(self) -> int | None:
        """The number of its first process, if it is one of this machine's."""
        number = int(self._state().get("Pid") or 0)
        try:
            groups = Path(f"/proc/{number}/cgroup").read_text(encoding="utf-8")
        except OSError:  # it has ended, or is on another machine
            return None
        return number if str(self.container.id) in groups else None

    def _measure(self) -> Verdict | None:
        """Whether it wrote too much, also over the files of its image, which only it can see."""
        allowed = self.plan.limits.disk
        if allowed is None or not self._measuring.is_due():
            return None
        began_at = time.monotonic()
        written = self._bytes_over_image()
        if written:
            written += bytes_on_disk(self.plan.folder)
        self._measuring.done(began_at)
        if written <= allowed:
            return None
        return Verdict("disk_full", f"It wrote {written:,} bytes and was given {allowed:,}.")

    def _bytes_over_image(self) -> int:
        try:
            with engine_errors("Its size is not known"):
                found = self.client.api.containers(
                    all=True, size=True, filters={"id": self.container.id}
                )
        except SandboxError:  # whether the engine is lost is asked elsewhere
            return 0
        return sum(int(entry.get("SizeRw") or 0) for entry in found)

    def _killed_for_memory(self) -> Verdict | None:
        """Whether a limit of the plan's, which is one for the whole room, has been reached."""
        if self.plan.limits.memory is None or self._root is None or not memory_kills(self._root):
            return None
        return OUT_OF_MEMORY

    def _was_killed_for_memory(self, code: int) -> bool:
        """Whether an end by force was most likely the kernel's.

        Not every engine notices, and the control group that would tell is gone with the room.
        """
        has_limit = self.plan.limits.memory or self.plan.container.get("mem_limit")
        is_on_this_machine = self._root is not None
        kills = machine_memory_kills() - self._kills_before
        return bool(code == KILLED and has_limit and is_on_this_machine and kills)

    def _ended_by_itself(self) -> RoomEnd:
        seconds = self._seconds()
        with engine_errors(f"How {self.plan.name} ended is not known"):
            # Only after waiting is the code settled.
            code = int(self.container.wait(timeout=EXIT_SECONDS)["StatusCode"])
        state = self._state_unless_removed(code)
        if code and (state.get("OOMKilled") or self._was_killed_for_memory(code)):
            return room_end(OUT_OF_MEMORY, None, seconds)
        return room_end(None, code, seconds)

    def _state_unless_removed(self, code: int) -> dict[str, Any]:
        """What the engine knows in the end, unless somebody removes the container meanwhile.

        Engines make codes up for containers that are gone, and whoever removes one by force
        kills it a moment before.
        """
        patience = time.monotonic() + (REMOVAL_SECONDS if code == KILLED else 0.0)
        state = self._state()
        while time.monotonic() < patience:
            time.sleep(REMOVAL_PAUSE_SECONDS)
            state = self._state()
        return state


def end_container(container: Container, name: str) -> None:
    """Kill all processes of a container, which may have ended already.

    Raises:
        SandboxError: The engine is lost.
    """
    import docker.errors

    with engine_errors(f"The container of {name} cannot be ended"):
        try:
            container.kill()
        except docker.errors.APIError as error:
            if error.status_code not in {GONE, NOT_RUNNING, PODMANS_NOT_RUNNING}:
                raise
            _wait_until_ended(container, error)
        container.wait(timeout=EXIT_SECONDS)


def _wait_until_ended(container: Container, error: Exception) -> None:
    """Wait for a container that ends by itself just now, which cannot be killed any more."""
    patience = time.monotonic() + REMOVAL_SECONDS
    container.reload()
    while container.attrs["State"]["Running"]:
        if time.monotonic() >= patience:
            raise error
        time.sleep(REMOVAL_PAUSE_SECONDS)
        container.reload()
