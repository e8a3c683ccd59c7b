"""The same jobs on the machines of a Ray cluster, in the same kind of processes.

On each machine a `Runner` does the work, so whatever it promises holds there, too. What jobs read
and write has to be at the same place everywhere: on a shared file system.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from mlebench.errors import CannotStartError, ConfigError
from mlebench.printable import print_to_stderr
from mlebench.processes.limits import Limits
from mlebench.processes.printed import Sink
from mlebench.processes.runner import Job, Loss, Outcome, Runner

JOBS_AT_A_TIME = 16
MOST_LOSSES = 2
"""How often a job may lose its machine before it is taken for the cause."""


def connect(address: str | None) -> Any:
    """Ray itself, connected to a cluster.

    Raises:
        ConfigError: Ray is not installed.
        CannotStartError: No cluster answers there.
    """
    try:
        import ray
    except ImportError as error:
        raise ConfigError("A cluster needs ray: pip install 'mlebench[ray]'") from error
    try:
        ray.init(address=address or "auto", log_to_driver=False, ignore_reinit_error=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise CannotStartError(
            f"No Ray cluster answers at {address or 'auto'} ({error}). Start one with: "
            "ray start --head"
        ) from error
    return ray


class _Worker:
    """Does jobs on the machine that Ray chose for it."""

    def __init__(self, **setup: Any) -> None:
        self._lines: list[str] = []
        self._runner = Runner(**setup, size=1, sink=self._lines.append)

    def do(self, jobs: list[Job]) -> tuple[list[tuple[int, Outcome]], list[str]]:
        """The outcomes of jobs by their number, and what was logged meanwhile."""
        done = [(number, self._runner.submit(job)) for number, job in enumerate(jobs)]
        outcomes = [(number, future.result()) for number, future in done]
        lines = self._lines[:]
        del self._lines[: len(lines)]
        return outcomes, lines


class ClusterRunner:
    """As `Runner`, over a cluster; one processor for each of ``size`` workers."""

    def __init__(
        self,
        handler: str,
        settings: dict[str, Any],
        *,
        size: int,
        limits: Limits,
        log_level: int | None = None,
        log_format: str | None = None,
        sink: Sink = print_to_stderr,
        address: str | None = None,
    ) -> None:
        self._ray = connect(address)
        self._setup = {
            "handler": handler,
            "settings": settings,
            "limits": limits,
            "log_level": log_level,
            "log_format": log_format,
        }
        self._size = size
        self._sink = sink
        self._workers: list[Any] = []

    def __enter__(self) -> ClusterRunner:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            self._ray.kill(worker)
        self._workers.clear()

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Outcome]]:
        """Do jobs; each comes back with its outcome, also if machines are lost meanwhile."""
        waiting = deque((job, 0) for job in jobs)
        at_a_time = max(1, min(JOBS_AT_A_TIME, len(waiting) // max(self._size, 1)))
        promised: dict[Any, tuple[Any, list[tuple[Job, int]]]] = {}

        def hand_out(worker: Any) -> None:
            if waiting:
                taken = [waiting.popleft() for _ in range(min(at_a_time, len(waiting)))]
                answer = worker.do.remote([job for job, _ in taken])
                promised[answer] = worker, taken

        for _ in range(min(self._size, len(waiting))):
            hand_out(self._hire())
        while promised:
            (answer,), _ = self._ray.wait([*promised], num_returns=1)
            worker, taken = promised.pop(answer)
            try:
                outcomes, lines = self._ray.get(answer)
            except self._ray.exceptions.RayActorError as error:
                at_a_time = 1  # so that whoever ends machines does it alone
                self._workers.remove(worker)
                worker = self._hire()
                for job, losses in taken:
                    if losses + 1 > MOST_LOSSES:
                        yield job, Loss("crashed", f"Its machine was lost: {_first_line(error)}")
                    else:
                        waiting.append((job, losses + 1))
            else:
                for line in lines:
                    self._sink(line)
                for number, outcome in outcomes:
                    yield taken[number][0], outcome
            hand_out(worker)

    def _hire(self) -> Any:
        worker = self._ray.remote(num_cpus=1, max_restarts=0)(_Worker).remote(**self._setup)
        self._workers.append(worker)
        return worker


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]
