"""What a container's room needs on the host: folders that the agent's user can write to.

What is not collected is gone after the room.
"""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from mlebench.errors import SandboxError
from mlebench.sandbox import container_entry, door, layout
from mlebench.sandbox.making import TEMPORARY, hard_limits, room_folder, write_texts
from mlebench.sandbox.room import RoomPlan
from mlebench.sandbox.system_calls import MACHINES, filter_program
from mlebench.sandbox.walking import remove_tree

if TYPE_CHECKING:
    from docker.types import Mount

logger = logging.getLogger(__name__)

GIVEN = "given"
"""The folder, beside the agent's, of what a room gets from us."""

INSIDE = PurePosixPath("/run/mlebench")
STATE, TEXTS, CONFIG, FILTERS = "state", "texts", "room.json", "filters"
ENTRY_SCRIPT, DOOR_SCRIPT = "entry.py", "door.py"
LIFELINE = "lifeline"
"""A pipe that we hold open: a container, unlike a process, does not end with who started it."""
SECONDS_MORE = 60.0
"""How much longer than its time a container lasts if nobody ends it."""
LONGEST_SECONDS = 10 * 365 * 86400.0  # clocks do not count further
DOCKERFILE = "Dockerfile"
TEMPORARY_INSIDE = "/tmp"  # noqa: S108 (the room's)
EVERYTHING, READ_AND_WRITE, OWNERS_ONLY_TO_WRITE, ONLY_TO_READ = 0o777, 0o666, 0o755, 0o444


@dataclass(frozen=True)
class RoomFolders:
    """The folders of one room.

    Attributes:
        plan: What they were made for.
    """

    plan: RoomPlan

    @property
    def given(self) -> Path:
        """The one of what the room gets from us."""
        return self.plan.folder / GIVEN

    @property
    def has_own_agent(self) -> bool:
        """Whether the image holds the agent, as images do that are built from its folder."""
        return (self.plan.agent / DOCKERFILE).is_file()

    @property
    def have_lifeline(self) -> bool:
        """Whether there is a pipe by which the room knows that we are there."""
        return (self.given / LIFELINE).exists()

    @property
    def was_entered(self) -> bool:
        """Whether the first process came as far as handing over to the agent's user."""
        return (self.given / STATE / container_entry.SUCCESS).exists()

    @property
    def lack_rights(self) -> bool:
        """Whether the first process found that the agent's user may not read the data."""
        return (self.given / STATE / container_entry.UNREADABLE).exists()

    def mounts(self) -> list[Mount]:
        """What is bound into the container, and where."""
        from docker.types import Mount

        def bound(source: Path, target: PurePosixPath, *, writable: bool = False) -> Mount:
            # A mount, unlike a volume, is refused if there is nothing to bind.
            return Mount(str(target), str(source.absolute()), "bind", read_only=not writable)

        home, plan = layout.HOME, self.plan
        found = [bound(plan.data, home / layout.DATA)]
        found += [
            bound(plan.folder / name, home / name, writable=True) for name in layout.COLLECTED
        ]
        if not self.has_own_agent:
            found.append(bound(plan.folder / layout.AGENT, home / layout.AGENT, writable=True))
        found += [bound(self.given / TEXTS / name, home / name) for name in plan.texts]
        lifeline = [LIFELINE] if self.have_lifeline else []
        found += [
            bound(self.given / name, INSIDE / name)
            for name in (ENTRY_SCRIPT, DOOR_SCRIPT, CONFIG, FILTERS, *lifeline)
        ]
        if not any(str(place) == TEMPORARY_INSIDE for place in plan.container.get("tmpfs") or ()):
            # So that what is written there counts, even in files without a name.
            found.append(
                bound(plan.folder / TEMPORARY, PurePosixPath(TEMPORARY_INSIDE), writable=True)
            )
        found.append(bound(self.given / STATE, INSIDE / STATE, writable=True))
        found += [bound(socket, door_inside(port)) for port, socket in plan.doors.items()]
        return found


@contextmanager
def made_folders(plan: RoomPlan, environment: Mapping[str, str]) -> Iterator[RoomFolders]:
    """Make the folders of a room; afterwards only the collected ones are left.

    Args:
        plan: Of the room.
        environment: All variables of the agent's command.

    Raises:
        SandboxError: They cannot be made.
    """
    folders = RoomFolders(plan)
    with room_folder(plan), ExitStack() as held:
        try:
            _open(plan)
            folders.given.mkdir()
            held.enter_context(_held_lifeline(folders))
            _give(folders, environment)
        except OSError as error:
            raise SandboxError(f"The folders of {plan.name} cannot be made: {error}") from error
        try:
            yield folders
        finally:
            _close(plan.folder)


@contextmanager
def _held_lifeline(folders: RoomFolders) -> Iterator[None]:
    """Make the pipe by which a room knows that we are there, and hold it open."""
    path = folders.given / LIFELINE
    try:
        os.mkfifo(path)
        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:  # some file systems have none
        logger.warning("Should we be killed, %s goes on until its time is over, since there can be "
                       "no pipe at %s: %s", folders.plan.name, path, error)  # fmt: skip
        path.unlink(missing_ok=True)
        yield
        return
    try:
        path.chmod(ONLY_TO_READ)  # nobody else holds it open
        yield
    finally:
        os.close(handle)


def clear_folders(folder: Path) -> None:
    """Remove what a room whose maker was killed left beside the collected folders."""
    if folder.is_dir():
        for name in (GIVEN, layout.AGENT, TEMPORARY):
            remove_tree(folder / name)
        _close(folder)


def door_inside(port: int) -> PurePosixPath:
    """Where the socket behind a port is in the room."""
    return INSIDE / f"{port}.sock"


def entry_arguments(folders: RoomFolders) -> list[str]:
    """What the image's Python is started with as the first process."""
    opened = [str(layout.HOME / layout.AGENT)] if folders.has_own_agent else []
    return [
        str(INSIDE / ENTRY_SCRIPT),
        "enter",
        str(INSIDE / STATE),
        str(layout.HOME / layout.DATA),
        str(INSIDE / FILTERS),
        *opened,
        "--",
        str(INSIDE / DOOR_SCRIPT),
        str(INSIDE / CONFIG),
    ]


def _open(plan: RoomPlan) -> None:
    """Let the agent's user, whoever that is, write where the agent is to write."""
    for name in layout.COLLECTED:
        (plan.folder / name).chmod(EVERYTHING)
    container_entry.open_to_all(str(plan.folder / layout.AGENT))
    for socket in plan.doors.values():
        socket.chmod(READ_AND_WRITE)  # nobody else gets through the folder around it


def _close(folder: Path) -> None:
    for name in layout.COLLECTED:
        if (folder / name).is_dir():
            (folder / name).chmod(OWNERS_ONLY_TO_WRITE)


def _give(folders: RoomFolders, environment: Mapping[str, str]) -> None:
    """Write what the room reads."""
    given = folders.given
    for folder in (given / STATE, given / TEXTS, given / FILTERS):
        folder.mkdir()
    if not folders.plan.privileged:
        _give_filters(given / FILTERS)
    write_texts(folders.plan, given / TEXTS)
    for module, name in ((container_entry, ENTRY_SCRIPT), (door, DOOR_SCRIPT)):
        shutil.copyfile(str(module.__file__), given / name)
    config = json.dumps(_door_config(folders, environment))
    (given / CONFIG).write_text(config, encoding="utf-8")
    for name in (ENTRY_SCRIPT, DOOR_SCRIPT, CONFIG):
        (given / name).chmod(0o644)


def _give_filters(folder: Path) -> None:
    """Write a filter of system calls for each machine: an engine may be on another one than we."""
    for machine in MACHINES:
        # Of all memory of a container the kernel keeps count.
        program = filter_program(machine, is_memory_counted=True)
        if program is not None:
            (folder / machine).write_bytes(program)


def _door_config(folders: RoomFolders, environment: Mapping[str, str]) -> dict[str, object]:
    """What the first process is told, in the words of `door`."""
    plan = folders.plan
    seconds = plan.limits.seconds
    return {
        "doors": {str(port): str(door_inside(port)) for port in plan.doors},
        "command": list(plan.command),
        "folder": str(layout.HOME / layout.AGENT),
        "environment": dict(environment),
        "limits": hard_limits(plan.limits),
        "processors": None,
        "status": None,
        "lifeline": str(INSIDE / LIFELINE) if folders.have_lifeline else None,
        "seconds": None if math.isinf(seconds) else min(seconds + SECONDS_MORE, LONGEST_SECONDS),
    }
