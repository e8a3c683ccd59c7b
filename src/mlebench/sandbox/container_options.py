"""How a container is made from a plan: limits, rights, and the user's own wishes."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Any

from mlebench.errors import ConfigError, SandboxError
from mlebench.sandbox.room import RoomPlan

if TYPE_CHECKING:
    from docker.types import DeviceRequest

RUN_LABEL, FOLDER_LABEL = "mlebench.run", "mlebench.folder"
PRIVILEGED_VARIABLE = "I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS"
ACCEPTED = {"true", "1", "t"}
# The engine counts threads as well, and a process that computes has a few of them; what holds
# the number of processes is whoever watches, and this is the wall behind.
THREADS_A_PROCESS = 8
USUAL_SHARED_MEMORY = "4G"  # as the original has it
# What it takes to become another user, and to open an image's own folders to that one. The
# agent's user has none of them.
POWERS_OF_ENTRY = ["SETUID", "SETGID", "DAC_OVERRIDE", "FOWNER"]
OWN_KEYS = {
    "auto_remove", "command", "detach", "entrypoint", "environment", "image", "init", "ipc_mode",
    "labels", "links", "log_config", "name", "network", "network_disabled", "network_mode",
    "networking_config", "pid_mode", "ports", "privileged", "publish_all_ports", "restart_policy",
    "stdin_open", "tty", "user", "userns_mode", "uts_mode", "working_dir",
}  # fmt: skip
"""What makes a room a room, and so is nobody's wish."""

# Run by the image's shell: agents' images have Python under one of these names.
PYTHON_FINDER = """
for python in python3 python /opt/conda/bin/python; do
    if command -v "$python" >/dev/null 2>&1; then exec "$python" -I -S "$@"; fi
done
echo "The image has no Python, which opens the doors of a room." >&2
exit 1
"""


def container_name(run: str) -> str:
    """A name for the container of a run, different for different runs."""
    readable = re.sub(r"[^a-zA-Z0-9_.-]", "-", run)[:60]
    return f"mlebench-{readable}-{hashlib.sha256(run.encode()).hexdigest()[:8]}"


def container_options(plan: RoomPlan) -> dict[str, Any]:
    """The keyword arguments of a container but for its image, command and mounts.

    Limits that the user's own configuration names win over those of the plan.

    Raises:
        ConfigError: It names what belongs to the room itself.
        SandboxError: The agent wants rights that nobody has accepted.
    """
    wishes = {key: value for key, value in plan.container.items() if value is not None}
    if taken := sorted(OWN_KEYS & wishes.keys()):
        raise ConfigError(
            f"The container configuration of {plan.name} cannot set {', '.join(taken)}: "
            "rooms decide that themselves. Leave it out."
        )
    gpus = wishes.pop("gpus", plan.limits.gpus)
    options: dict[str, Any] = {
        **_limits(plan),
        **_rights(plan, wishes),
        "name": container_name(plan.name),
        "labels": {RUN_LABEL: plan.name, FOLDER_LABEL: str(plan.folder.absolute())},
        "user": "0:0",
        "network_mode": "none",
        "log_config": {"Type": "none"},  # printed without end, a log would fill the engine's disk
        "use_config_proxy": False,  # no addresses of the host's
        "ipc_mode": "private",
        **wishes,
    }
    if "mem_limit" in options:
        options.setdefault("memswap_limit", options["mem_limit"])
    if "nano_cpus" in options:
        options["nano_cpus"] = int(options["nano_cpus"])  # JSON has it as 4e9
    if gpus:
        options.setdefault("device_requests", []).append(_graphics_cards(gpus))
    return options


def _limits(plan: RoomPlan) -> dict[str, Any]:
    limits = plan.limits
    found: dict[str, Any] = {"pids_limit": limits.processes * THREADS_A_PROCESS}
    # Processes that compute share their data there; it counts as memory.
    found["shm_size"] = USUAL_SHARED_MEMORY if limits.memory is None else limits.memory
    if limits.memory is not None:
        found["mem_limit"] = limits.memory
    if limits.cpus is not None:
        found["nano_cpus"] = limits.cpus * 1e9
    return found


def _rights(plan: RoomPlan, wishes: dict[str, Any]) -> dict[str, Any]:
    if plan.privileged:
        if os.environ.get(PRIVILEGED_VARIABLE, "").lower() not in ACCEPTED:
            raise SandboxError(
                f"{plan.name} wants a container with all rights of this machine, from which an "
                "agent can get at anything on it. If that is meant to be, set "
                f"{PRIVILEGED_VARIABLE}=true."
            )
        return {"privileged": True}
    return {
        "cap_drop": ["ALL"],
        "cap_add": [*POWERS_OF_ENTRY, *wishes.pop("cap_add", [])],
        "security_opt": ["no-new-privileges", *wishes.pop("security_opt", [])],
    }


def _graphics_cards(count: int) -> DeviceRequest:
    from docker.types import DeviceRequest

    return DeviceRequest(count=int(count), capabilities=[["gpu"]])
