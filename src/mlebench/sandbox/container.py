"""Rooms that are containers, made by Docker or by Podman's service in its place.

The image is that of the agent, as the original builds it, or any that has Python. The room has
no network; its doors are sockets bound into it. Inside, the agent is a user without powers.
"""

from __future__ import annotations

import logging
import os
import shlex
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import SandboxError, shortened
from mlebench.printable import printable
from mlebench.sandbox import layout
from mlebench.sandbox.container_engine import connected, engine_errors
from mlebench.sandbox.container_folders import (
    TEMPORARY_INSIDE,
    RoomFolders,
    clear_folders,
    entry_arguments,
    made_folders,
)
from mlebench.sandbox.container_handover import hand_over
from mlebench.sandbox.container_options import (
    FOLDER_LABEL,
    PYTHON_FINDER,
    RUN_LABEL,
    container_options,
)
from mlebench.sandbox.container_output import taken_output
from mlebench.sandbox.container_watch import RunningContainer, end_container
from mlebench.sandbox.images import found_image
from mlebench.sandbox.making import variables
from mlebench.sandbox.room import RoomEnd, RoomPlan

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container
    from docker.models.images import Image

logger = logging.getLogger(__name__)

REMOVALS = 3
PAUSE_SECONDS = 1.0


class ContainerSandbox:
    """Containers, one for each room.

    Attributes:
        kind: The word for it.
    """

    kind = "container"

    def __init__(self, engine: str | None = None, *, retain: bool = False) -> None:
        """Use an engine of this machine.

        Args:
            engine: Where it answers; looked for in the usual places if not given.
            retain: Whether containers are only stopped after their end, for a look inside.
        """
        self._engine = engine
        self._retain = retain

    def why_unusable(self) -> str | None:
        """Why this machine cannot have such rooms, and what would help; None if it can."""
        try:
            with connected(self._engine) as client, engine_errors("The engine does not answer"):
                client.ping()
        except SandboxError as error:
            return str(error)
        return None

    def run(self, plan: RoomPlan, stop: threading.Event) -> RoomEnd:
        """Make a container, start the agent's command in it, and wait for its end.

        Raises:
            SandboxError: The room could not be made or was lost, for no fault of the agent.
            ConfigError: The user's container configuration names what rooms decide.
        """
        options = container_options(plan)
        if plan.image is None:
            raise SandboxError(f"{plan.name} has no image to make a container from.")
        with ExitStack() as stack:
            client = stack.enter_context(connected(self._engine))
            image = found_image(client, plan.image)
            folders = stack.enter_context(made_folders(plan, _environment(plan, image)))
            if os.geteuid() != 0:
                # Or what the agent's user made could neither be collected nor removed.
                stack.callback(hand_over, client, folders)
            container = stack.enter_context(self._made(client, folders, options))
            with taken_output(container, plan) as output:
                with engine_errors(f"The container of {plan.name} cannot be started"):
                    container.start()
                end = RunningContainer(client, container, plan, output).until_end(stop)
            if folders.lack_rights:
                raise SandboxError(
                    f"Agents in containers are another user, who may not read {plan.data}. Let "
                    f"others read it: chmod -R o+rX {shlex.quote(str(plan.data))}"
                )
            if not folders.was_entered and end.cause in {"finished", "agent_error"}:
                said = printable(output.said.decode(errors="replace").strip())
                raise SandboxError(
                    f"The image {plan.image} cannot be used as a room: {shortened(said)}"
                )
            return end

    def clear_up(self, names: Iterable[str]) -> None:
        """Remove containers of runs whose makers were killed, and what they left in folders."""
        names = set(names)
        if not names:
            return
        with connected(self._engine) as client:
            with engine_errors("Containers that were left cannot be looked for"):
                found = client.containers.list(all=True, filters={"label": RUN_LABEL})
            for container in found:
                if container.labels.get(RUN_LABEL) in names:
                    _remove(container)
                    clear_folders(Path(container.labels[FOLDER_LABEL]))

    @contextmanager
    def _made(
        self, client: DockerClient, folders: RoomFolders, options: dict[str, object]
    ) -> Iterator[Container]:
        """A container that has not been started; removed afterwards, whatever happens."""
        plan = folders.plan
        self.clear_up([plan.name])  # of an earlier attempt
        mounts = [*folders.mounts(), *options.pop("mounts", [])]  # type: ignore[misc]
        with engine_errors(f"The container of {plan.name} cannot be made"):
            container = client.containers.create(
                str(plan.image),
                entrypoint=["/bin/sh", "-c", PYTHON_FINDER, "sh"],
                command=entry_arguments(folders),
                working_dir="/",
                mounts=mounts,
                **options,  # type: ignore[arg-type]
            )
        try:
            _warn_of_ignored(container, options)
            yield container
        finally:
            if self._retain:
                end_container(container, plan.name)
            else:
                _remove(container)


def _environment(plan: RoomPlan, image: Image) -> dict[str, str]:
    """All variables of the agent's command: what the image says is only second to the plan."""
    lines: list[str] = image.attrs["Config"].get("Env") or []
    found = {
        **variables(replace(plan, python=None), layout.HOME, TEMPORARY_INSIDE),
        **dict(line.split("=", 1) for line in lines if "=" in line),
        **layout.places(),
    }
    if layout.VALIDATION_PORT in plan.doors:
        found[layout.VALIDATION_URL_VARIABLE] = f"http://localhost:{layout.VALIDATION_PORT}"
    return found | dict(plan.environment)


def _warn_of_ignored(container: Container, options: dict[str, object]) -> None:
    """Say so if the engine did not do what it was told, as Podman's does with runtimes."""
    wanted = options.get("runtime")
    with engine_errors("The container just made is lost"):
        container.reload()
    if wanted and container.attrs["HostConfig"].get("Runtime") != wanted:
        logger.warning(
            "The container engine ignores the runtime %s and uses its own; "
            "the walls of the room may be thinner than wanted.", wanted,
        )  # fmt: skip


def _remove(container: Container) -> None:
    """Remove a container with all its processes.

    Raises:
        SandboxError: The engine does not manage, even when asked again.
    """
    import docker.errors

    for attempt in range(1, REMOVALS + 1):
        try:
            with engine_errors(f"The container {container.name} cannot be removed"):
                try:
                    container.remove(force=True, v=True)
                except docker.errors.NotFound:
                    return
            return
        except SandboxError:
            if attempt == REMOVALS:
                raise
            time.sleep(PAUSE_SECONDS)
