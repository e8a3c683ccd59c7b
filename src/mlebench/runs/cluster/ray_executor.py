"""Runs on a Ray cluster."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlebench.agents.digests import files_digest
from mlebench.data.stamping import folder_stamp
from mlebench.errors import SandboxError
from mlebench.processes.cluster import connect
from mlebench.runs.attempt import Assignment, Attempt
from mlebench.runs.cluster.node import Errand, run_errand
from mlebench.runs.cluster.relay import Admitted, Home, Relay
from mlebench.sandbox.room import GIGABYTE
from mlebench.sandbox.walking import remove_tree

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
OPTIONS = {"CPU": "--cpus", "GPU": "--gpus", "memory": "--memory-limit"}
"""What Ray calls the resources of a node, and where a user says how much a run gets."""
STOP_SECONDS = 60.0
"""How long a run may take to end once it is asked to; then its process is killed."""


class RayExecutor:
    """Hands runs to Ray, which finds them a node with the resources that they ask for."""

    def __init__(
        self,
        address: str | None,
        slots: int,
        *,
        home_host: str | None = None,
        sees_data: bool = False,
        cache: Path | None = None,
    ) -> None:
        """Connect to a cluster.

        Args:
            address: Of the cluster, as Ray writes it; by default the one Ray finds.
            slots: How many runs at a time.
            home_host: The address at which nodes reach this machine.
            sees_data: Whether nodes have the data folder at the same place.
            cache: Where nodes keep what they fetch.
        """
        self._ray = connect(address)
        self.slots = slots
        host = home_host or self._ray.util.get_node_ip_address()
        self._relay = Relay("127.0.0.1" if host in ("127.0.0.1", "localhost") else "0.0.0.0")  # noqa: S104 (nodes are elsewhere; tokens guard it)
        self._host = host
        self._sees_data = sees_data
        self._cache = cache
        self._told: set[str] = set()

    def run(
        self,
        assignment: Assignment,
        folder: Path,
        doors: Mapping[int, Path],
        stop: threading.Event,
        on_begin: Callable[[], None],
    ) -> Attempt | None:
        """Do a run on some node."""
        remove_tree(folder)
        folder.mkdir(parents=True)
        folders = {"data": assignment.data, "agent": assignment.agent.folder}
        admitted = Admitted(doors, folders, folder, stop)
        with self._relay.admitted(admitted) as token:
            errand = Errand(
                assignment,
                Home(self._host, self._relay.port, token),
                tuple(doors),
                data_digest=folder_stamp(assignment.data),
                agent_digest=files_digest(assignment.agent.folder),
                sees_data=self._sees_data,
                cache=self._cache,
            )
            return self._wait(self._start(errand), admitted, on_begin)

    def _start(self, errand: Errand) -> Any:
        limits = errand.assignment.limits
        cpus, gpus, memory = limits.cpus or 1, max(limits.gpus, 0), limits.memory
        self._warn_of_waiting({"CPU": cpus, "GPU": gpus, "memory": memory or 0})
        remote = self._ray.remote(
            num_cpus=cpus,
            num_gpus=gpus,
            memory=memory,
            max_retries=0,  # whether it is tried again is decided at home
        )(run_errand)
        return remote.remote(errand)

    def _warn_of_waiting(self, wanted: Mapping[str, float]) -> None:
        """Say once if runs wait for ever unless the cluster grows, which Ray keeps to itself."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        if (why := why_waiting(wanted, nodes)) and why not in self._told:
            self._told.add(why)
            logger.warning("%s", why)

    def _wait(
        self, promised: Any, admitted: Admitted, on_begin: Callable[[], None]
    ) -> Attempt | None:
        left = STOP_SECONDS
        has_begun = False
        while True:
            ready, _ = self._ray.wait([promised], timeout=LOOK_SECONDS)
            if admitted.is_known.is_set() and not has_begun:
                has_begun = True
                on_begin()
            if ready:
                break
            if admitted.stop.is_set():
                if not has_begun:
                    self._ray.cancel(promised, force=True)
                    return None
                left -= LOOK_SECONDS
            if left <= 0:
                self._ray.cancel(promised, force=True)
                raise SandboxError("The run did not end when it was asked to.")
        try:
            return self._ray.get(promised)  # type: ignore[no-any-return]
        except SandboxError:
            raise
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, SandboxError):
                raise cause from error
            first = str(error).strip().splitlines()[0]
            raise SandboxError(f"A node or a process on it was lost: {first}") from error

    def close(self) -> None:
        """Leave the cluster."""
        self._relay.close()
        self._ray.shutdown()


def why_waiting(wanted: Mapping[str, float], nodes: Sequence[Mapping[str, float]]) -> str | None:
    """Why no node of a cluster can do a run, however long one waits; None if one can.

    Args:
        wanted: How much of each resource a run asks for, by Ray's names.
        nodes: What each node has in all.
    """

    def fits(node: Mapping[str, float]) -> bool:
        return all(node.get(name, 0) >= amount for name, amount in wanted.items())

    if any(map(fits, nodes)):
        return None
    most = {name: max((node.get(name, 0) for node in nodes), default=0) for name in wanted}
    options = ", ".join(OPTIONS[name] for name, amount in wanted.items() if amount)
    return (
        f"A run asks for {_told(wanted)}, and no node of the cluster has that; the most that nodes "
        f"have: {_told(most)}. Runs wait until the cluster gets such a node. To ask for less: "
        f"{options}."
    )


def _told(amounts: Mapping[str, float]) -> str:
    parts = [
        f"{amount / GIGABYTE:.3g} GB of memory" if name == "memory" else f"{amount:g} {name}"
        for name, amount in amounts.items()
        if amount
    ]
    return ", ".join(parts) or "nothing"
