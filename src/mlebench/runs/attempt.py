"""One run, from an empty room to what the agent left: the same code on every machine."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.agents.definition import Agent
from mlebench.agents.environments import python_for
from mlebench.runs.group import RUN_LOG
from mlebench.runs.snapshots import Snapshot, watched
from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.collecting import Collected, collect
from mlebench.sandbox.layout import COLLECTED, SUBMISSION
from mlebench.sandbox.making import STOPPED_EARLY
from mlebench.sandbox.room import RoomEnd, RoomLimits, RoomPlan
from mlebench.sandbox.walking import remove_tree

logger = logging.getLogger(__name__)

ROOM = "room"
SNAPSHOTS = "snapshots"


@dataclass(frozen=True)
class Assignment:
    """What is to be done in one run, without any answer in it.

    Attributes:
        run_id: Nobody else's.
        agent: Who does it.
        data: The public data of the competition.
        sandbox: The kind of room.
        limits: What the room may use.
        environment: Variables for the room, secrets included.
        command: What is started.
        texts: Files beside the folders of the room.
        hidden: Files of Python packages that hold answers.
        container: Further keyword arguments for containers.
        is_retained: Whether a container is only stopped after its end.
    """

    run_id: str
    agent: Agent
    data: Path
    sandbox: str
    limits: RoomLimits
    environment: Mapping[str, str]
    command: tuple[str, ...]
    texts: Mapping[str, str]
    hidden: tuple[str, ...] = ()
    container: Mapping[str, Any] = field(default_factory=dict)
    is_retained: bool = False


@dataclass(frozen=True)
class Attempt:
    """How a run ended and what it left."""

    end: RoomEnd
    snapshots: tuple[Snapshot, ...]
    collected: Collected

    @property
    def had_a_chance(self) -> bool:
        """Whether the agent had begun before somebody wanted the end."""
        return (self.end.cause, self.end.message) != (STOPPED_EARLY.cause, STOPPED_EARLY.message)


def attempt(
    assignment: Assignment,
    folder: Path,
    doors: Mapping[int, Path],
    cache: Path,
    stop: threading.Event,
    on_begin: Callable[[], None] = lambda: None,
) -> Attempt:
    """Let an agent work in a room, and leave what it made in the folder of the run.

    Args:
        assignment: What is to be done.
        folder: The run's own, made anew.
        doors: For each port the unix socket on this machine behind it.
        cache: Where Python environments of agents are kept.
        stop: Ends the room when set.
        on_begin: Called once the folder is there and the room is about to be made.

    Raises:
        SandboxError: There was no room, for no fault of the agent.
    """
    sandbox = make_sandbox(assignment.sandbox, retain=assignment.is_retained)
    remove_tree(folder)  # of an attempt that was lost
    room = folder / ROOM
    room.mkdir(parents=True)
    on_begin()
    is_container = assignment.sandbox == "container"
    plan = RoomPlan(
        name=assignment.run_id,
        folder=room,
        data=assignment.data,
        agent=assignment.agent.folder,
        command=assignment.command,
        log=folder / RUN_LOG,
        environment=assignment.environment,
        texts=assignment.texts,
        doors=doors,
        python=None if is_container else python_for(assignment.agent, cache),
        image=assignment.agent.image or assignment.agent.name,
        privileged=assignment.agent.privileged,
        container=assignment.container,
        hidden=assignment.hidden,
        limits=assignment.limits,
    )
    with watched(room / SUBMISSION, folder / SNAPSHOTS) as snapshots:
        end = sandbox.run(plan, stop)
    with _recorded(f"The last snapshot of {assignment.run_id}"):
        snapshots.look()
    collected = collect(room, folder)
    for name in COLLECTED:
        (folder / name).mkdir(exist_ok=True)
    remove_tree(room)
    with (
        _recorded(f"The end of {assignment.run_id} in its log"),
        (folder / RUN_LOG).open("a", encoding="utf-8") as log,
    ):
        log.write(f"\n{_last_line(end)}{os.linesep}")
    return Attempt(end, tuple(snapshots.taken), collected)


def _last_line(end: RoomEnd) -> str:
    """The original's, of runs that ended by themselves; of others, what ended them."""
    if end.cause in ("finished", "agent_error"):
        return f"Run completed in {end.seconds:.2f} seconds."
    return f"Run ended after {end.seconds:.2f} seconds. {end.message}"


@contextmanager
def _recorded(what: str) -> Iterator[None]:
    """Log an error of the disk: without this, everything that matters of a run is there."""
    try:
        yield
    except OSError as error:
        logger.warning("%s could not be written: %s", what, error)
