"""Rooms made of Linux namespaces by bubblewrap: no daemon, no image, no rights of root."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from mlebench.errors import SandboxError
from mlebench.processes.trees import children
from mlebench.sandbox import door, making
from mlebench.sandbox.bwrap_walls import (
    DOOR_CONFIG,
    DOOR_SCRIPT,
    ROOM_VARIABLE,
    SHARED_MEMORY,
    Features,
    walls,
)
from mlebench.sandbox.layout import AGENT, HOME, VALIDATION_PORT, VALIDATION_URL_VARIABLE
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.processors import inherited_processors, some_processors
from mlebench.sandbox.room import RoomEnd, RoomPlan
from mlebench.sandbox.started import StartedProcess
from mlebench.sandbox.system_calls import filter_handle
from mlebench.sandbox.watching import THREADS_PER_PROCESS, Watched, watch

PROGRAM = "bwrap"
PROBE_SECONDS = 20.0
GIVEN = "given"
"""The folder, beside the agent's, of what a room gets read-only."""


class BwrapSandbox:
    """Rooms in which nothing of the host can be seen but programs, and nothing reached but doors.

    Everything in a room ends with its first process, and that with bubblewrap's own outside,
    which ends with whoever started it.
    """

    kind = "bwrap"

    def why_unusable(self) -> str | None:
        """Why this machine cannot have such rooms, and what would help; None if it can."""
        found = _find()
        return found if isinstance(found, str) else None

    def run(self, plan: RoomPlan, stop: threading.Event) -> RoomEnd:
        """Make a room, start the agent's command in it, and wait for its end.

        Raises:
            SandboxError: The room could not be made, for no fault of the agent.
        """
        making.refuse_container_wishes(plan, self.kind)
        with making.room_folder(plan), some_processors(plan.limits.cpus) as processors:
            end = self._run(plan, stop, processors)
        if end is None:
            raise SandboxError(
                f"No room could be made for {plan.name}: {making.last_lines(plan.log)}"
            )
        return end

    def _run(
        self, plan: RoomPlan, stop: threading.Event, processors: list[int] | None
    ) -> RoomEnd | None:
        """How a room ended; None if it did not come about."""
        found = _find()
        if isinstance(found, str):
            raise SandboxError(found)
        program, features = found

        with (
            PrintedLog(plan.log, plan.limits.printed) as printed,
            _started(plan, program, features, processors, printed) as process,
        ):
            if not process.has_started(stop):
                is_stopped = stop.is_set()
                return making.room_end(making.STOPPED_EARLY, None, 0) if is_stopped else None
            (plan.folder / GIVEN / DOOR_CONFIG).unlink()  # it has been read, and may hold keys
            started = time.monotonic()
            root = next(iter(children(process.pid)), None)  # none if all is over already
            room = Watched(
                process.wait,
                plan.folder,
                root,
                None if root is None else Path(f"/proc/{root}/root{SHARED_MEMORY}"),
            )
            verdict = watch(room, plan.limits, stop)
            process.end()
            seconds = time.monotonic() - started
            return making.room_end(verdict, process.agent_code(), seconds)

    def clear_up(self, names: Iterable[str]) -> None:
        """End the rooms of these names, should they have outlived those who made them."""
        import psutil

        wanted = {f"{ROOM_VARIABLE} {name}" for name in names}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):  # it has ended, or is somebody else's
                words = process.cmdline()
                pairs = {" ".join(pair) for pair in itertools.pairwise(words)}
                if pairs & wanted and Path(words[0]).name == PROGRAM:
                    _end(process.pid)


def _started(
    plan: RoomPlan,
    program: str,
    features: Features,
    processors: list[int] | None,
    printed: PrintedLog,
) -> StartedProcess:
    """Start a room, on its processors and behind the filter of system calls."""
    with (
        filter_handle(keeps_processors=processors is not None) as calls,
        inherited_processors(processors),
    ):

        def command(status: int) -> list[str]:
            given = _give(plan, status)
            return [program, *_filtered(calls), *walls(plan, given, features)]

        handles = [] if calls is None else [calls]
        return StartedProcess(command, printed, {}, Path("/"), _end, handles)


def _filtered(calls: int | None) -> list[str]:
    """The options for the filter that is read from a handle, if there is one."""
    return [] if calls is None else ["--seccomp", str(calls)]


def _end(pid: int) -> None:
    """End bubblewrap by the first process inside: the kernel takes all others along at once."""
    for process in children(pid) or [pid]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _give(plan: RoomPlan, status: int) -> Path:
    """Write what a room gets read-only, and what its first process has to do."""
    given = plan.folder / GIVEN
    texts = given / "texts"
    texts.mkdir(parents=True)
    making.write_texts(plan, texts)
    variables = making.variables(plan, HOME, "/tmp")  # noqa: S108 (the room's own)
    if VALIDATION_PORT in plan.doors:
        variables.setdefault(VALIDATION_URL_VARIABLE, f"http://localhost:{VALIDATION_PORT}")
    config = {
        "doors": {str(port): f"/run/mlebench/{port}.sock" for port in plan.doors},
        "command": plan.command,
        "folder": str(HOME / AGENT),
        "environment": variables,
        "limits": making.hard_limits(plan.limits)
        | {"NPROC": THREADS_PER_PROCESS * plan.limits.processes},
        "processors": None,  # it is started on them, and the filter refuses to change that
        "status": status,
    }
    file = given / DOOR_CONFIG
    file.touch(mode=0o600)  # an agent's variables may hold keys
    file.write_text(json.dumps(config), encoding="utf-8")
    shutil.copyfile(door.__file__, given / DOOR_SCRIPT)
    return given


def _find() -> tuple[str, Features] | str:
    """The program and what it can do, or why this machine cannot have rooms."""
    if sys.platform != "linux":
        return "Rooms of the kind bwrap need Linux; use the kind container."
    program = shutil.which(PROGRAM)
    if program is None:
        return (
            "The program bwrap is missing; install it with `apt install bubblewrap` or "
            "`dnf install bubblewrap`."
        )
    found = _probe(program)
    return found if isinstance(found, str) else (program, found)


@functools.cache
def _probe(program: str) -> Features | str:
    """What a bubblewrap can do on this machine, or why it cannot make rooms."""
    try:
        shown = subprocess.run(  # noqa: S603 (a fixed command)
            [program, "--help"], capture_output=True, timeout=PROBE_SECONDS, check=False, text=True
        )
        options = shown.stdout + shown.stderr
        reason = ""
        for disables in (True, False):
            if disables and "--disable-userns" not in options:
                continue
            features = Features(can_disable=disables, has_sizes="--size" in options)
            with filter_handle() as calls:
                tried = subprocess.run(  # noqa: S603 (a fixed command)
                    [program, *_filtered(calls), *features.namespaces, "--ro-bind", "/", "/",
                     "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev",
                     "true"],
                    capture_output=True, timeout=PROBE_SECONDS, check=False, text=True,
                    pass_fds=[] if calls is None else [calls],
                )  # fmt: skip
            if tried.returncode == 0:
                return features
            reason = tried.stderr.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    return (
        f"bwrap cannot make rooms here ({reason}). It needs user namespaces: as root, try "
        "`sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0`"
        "; in a container, they have to be allowed from outside. Else use the kind container."
    )
