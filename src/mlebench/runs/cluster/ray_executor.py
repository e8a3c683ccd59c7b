"""Runs on a Ray cluster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mlebench.agents.digests import files_digest
from mlebench.data.stamping import folder_stamp
from mlebench.errors import SandboxError
from mlebench.processes.cluster import connect
from mlebench.runs.attempt import Assignment, Attempt
from mlebench.runs.cluster.node import Errand, run_errand
from mlebench.runs.cluster.relay import Admitted, Home, Relay
from mlebench.sandbox.walking import remove_tree

LOOK_SECONDS = 0.5
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
        remote = self._ray.remote(
            num_cpus=limits.cpus or 1,
            num_gpus=max(limits.gpus, 0),
            memory=limits.memory,
            max_retries=0,  # whether it is tried again is decided at home
        )(run_errand)
        return remote.remote(errand)

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
