"""Rooms without walls: the agent is an ordinary process of the user's, with limits."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from mlebench.errors import SandboxError
from mlebench.processes.isolation import import_path
from mlebench.processes.trees import MARK_VARIABLE, end_marked
from mlebench.sandbox import making
from mlebench.sandbox.door import Forwarder
from mlebench.sandbox.layout import AGENT, DATA, VALIDATION_PORT, VALIDATION_URL_VARIABLE
from mlebench.sandbox.printed import PrintedLog
from mlebench.sandbox.processors import some_processors
from mlebench.sandbox.room import RoomEnd, RoomPlan
from mlebench.sandbox.started import StartedProcess
from mlebench.sandbox.watching import Verdict, Watched, watch

CONFIG = "room.json"
WITHOUT_WALLS = (
    "Rooms of the kind process have no walls: the agent can read and change whatever this user "
    "can, answers included, and has the network. Use them for agents you trust, and for no "
    "published result."
)
START = """
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from mlebench.sandbox.keeping import main
main()
"""


class ProcessSandbox:
    """Rooms that are nothing but a folder, where there is nothing better.

    The places are below the plan's folder and named by environment variables. Time, memory,
    processes and disk are limited as elsewhere, and no process is left; but nothing keeps an
    agent from what it has no business with.
    """

    kind = "process"

    def why_unusable(self) -> str | None:
        """Why this machine cannot have such rooms; None if it can."""
        if sys.platform == "win32":
            return "Rooms need Linux or macOS."
        return None

    def run(self, plan: RoomPlan, stop: threading.Event) -> RoomEnd:
        """Make a room, start the agent's command in it, and wait for its end.

        Raises:
            SandboxError: The room could not be made, for no fault of the agent.
        """
        making.refuse_container_wishes(plan, self.kind)
        plan = replace(plan, folder=plan.folder.resolve())
        with (
            making.room_folder(plan),
            some_processors(plan.limits.cpus) as processors,
            _doors(plan) as ports,
        ):
            (plan.folder / DATA).symlink_to(plan.data.resolve())
            return self._run(_with_ports(plan, ports), stop, processors)

    def _run(self, plan: RoomPlan, stop: threading.Event, processors: list[int] | None) -> RoomEnd:
        making.write_texts(plan, plan.folder)
        mark = _mark(plan.name)

        def command(status: int) -> list[str]:
            config = _configure(plan, status, processors, mark)
            return [sys.executable, "-I", "-c", START, json.dumps(import_path()), str(config)]

        with PrintedLog(plan.log, plan.limits.printed) as printed:
            printed.say(WITHOUT_WALLS)
            environment = {MARK_VARIABLE: mark, "PATH": making.SYSTEM_PATH}
            started = time.monotonic()
            with StartedProcess(command, printed, environment, plan.folder) as process:
                verdict: Verdict | None = making.STOPPED_EARLY
                if process.has_started(stop):
                    with suppress(OSError):  # no walls; the agent may have been there
                        (plan.folder / CONFIG).unlink()  # it has been read, and may hold keys
                    started = time.monotonic()
                    room = Watched(process.wait, plan.folder, process.pid)
                    verdict = watch(room, plan.limits, stop)
                elif not stop.is_set():
                    raise SandboxError(f"The keeper of {plan.name} did not start; see {plan.log}.")
                process.end()
                seconds = time.monotonic() - started
                if not process.was_orderly:  # then nobody else has looked for the others
                    end_marked(mark, plan.folder)
                return making.room_end(verdict, process.agent_code(), seconds)

    def clear_up(self, names: Iterable[str]) -> None:
        """End the processes of rooms of these names, should they have outlived their makers."""
        for name in names:
            end_marked(_mark(name), Path("/nonexistent", name))


def _mark(name: str) -> str:
    return f"room {name}"


@contextmanager
def _doors(plan: RoomPlan) -> Iterator[dict[int, int]]:
    """Open a plan's doors on free ports of this machine; which one for which."""
    with ExitStack() as opened:
        ports: dict[int, int] = {}
        for port, path in plan.doors.items():
            forwarder = Forwarder(0, str(path))
            opened.callback(forwarder.close)
            forwarder.start()
            ports[port] = forwarder.port
        yield ports


def _with_ports(plan: RoomPlan, ports: Mapping[int, int]) -> RoomPlan:
    """A plan whose texts, variables and command name the ports that doors really have."""

    def moved(text: str) -> str:
        return re.sub(
            r"\b(localhost|127\.0\.0\.1):(\d+)",
            lambda found: f"{found[1]}:{ports.get(int(found[2]), found[2])}",
            text,
        )

    environment = {name: moved(value) for name, value in plan.environment.items()}
    if VALIDATION_PORT in ports:
        environment[VALIDATION_URL_VARIABLE] = f"http://localhost:{ports[VALIDATION_PORT]}"
    return replace(
        plan,
        environment=environment,
        texts={name: moved(text) for name, text in plan.texts.items()},
        command=tuple(map(moved, plan.command)),
    )


def _configure(plan: RoomPlan, status: int, processors: list[int] | None, mark: str) -> Path:
    """Write what the room's keeper has to do."""
    home = PurePosixPath(plan.folder)
    variables = making.variables(plan, home, str(plan.folder / making.TEMPORARY))
    config = {
        "command": plan.command,
        "folder": str(plan.folder / AGENT),
        "environment": {**variables, MARK_VARIABLE: mark},
        "limits": making.hard_limits(plan.limits),
        "processors": processors,
        "status": status,
    }
    file = plan.folder / CONFIG
    file.touch(mode=0o600)
    file.write_text(json.dumps(config), encoding="utf-8")
    return file
