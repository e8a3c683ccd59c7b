"""Giving what an agent wrote in a container to whoever runs us."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from mlebench.sandbox import layout
from mlebench.sandbox.container_engine import engine_errors
from mlebench.sandbox.container_folders import ENTRY_SCRIPT, INSIDE, RoomFolders
from mlebench.sandbox.container_options import PYTHON_FINDER, RUN_LABEL
from mlebench.sandbox.making import TEMPORARY

if TYPE_CHECKING:
    from docker import DockerClient

SECONDS = 600
ROOT = PurePosixPath("/handed-over")
POWERS = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]


def hand_over(client: DockerClient, folders: RoomFolders) -> None:
    """Make us the owner of everything in a room's folders, by a container that has the right.

    On the host the files belong to the agent's user, whom an ordinary user has no rights over.

    Raises:
        SandboxError: It cannot be done.
    """
    from docker.types import Mount

    plan = folders.plan
    targets = [plan.folder / name for name in (*layout.COLLECTED, layout.AGENT, TEMPORARY)]
    mounts = [Mount(str(ROOT / path.name), str(path.absolute()), "bind") for path in targets]
    script = INSIDE / ENTRY_SCRIPT
    mounts.append(
        Mount(str(script), str((folders.given / ENTRY_SCRIPT).absolute()), "bind", read_only=True)
    )
    with engine_errors(f"What {plan.name} wrote cannot be handed over"):
        container = client.containers.create(
            str(plan.image),
            entrypoint=["/bin/sh", "-c", PYTHON_FINDER, "sh"],
            command=[str(script), "hand-over", *(str(ROOT / path.name) for path in targets)],
            mounts=mounts,
            user="0:0",
            network_mode="none",
            cap_drop=["ALL"],
            cap_add=POWERS,
            security_opt=["no-new-privileges"],
            labels={RUN_LABEL: plan.name},
            use_config_proxy=False,
        )
        try:
            container.start()
            container.wait(timeout=SECONDS)
        finally:
            container.remove(force=True, v=True)
