"""What happens on a node: the same run as at home, with everything fetched and delivered."""

from __future__ import annotations

import logging
import shutil
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.agents.digests import files_digest
from mlebench.data.locks import exclusive
from mlebench.errors import SandboxError
from mlebench.runs.attempt import Assignment, Attempt, attempt
from mlebench.runs.cluster.relay import Home
from mlebench.sandbox.walking import remove_tree
from mlebench.services.places import private_folder, swept_folder
from mlebench.settings import cache_dir

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
MOST_FAILED_LOOKS = 60
WORK_PREFIX = "mlebench-run-"


@dataclass(frozen=True)
class Errand:
    """A run for a node.

    Attributes:
        assignment: What is to be done; its paths are those at home.
        home: Where everything comes from and goes to.
        doors: The ports behind which home has a service.
        data_digest: Of the public data, by which a node knows what it has fetched before.
        agent_digest: Of the files in the agent's folder.
        sees_data: Whether the public data are at the same place here, on a shared file system.
        cache: Where the node keeps what it has fetched; by default in the user's cache.
    """

    assignment: Assignment
    home: Home
    doors: tuple[int, ...]
    data_digest: str
    agent_digest: str
    sees_data: bool = False
    cache: Path | None = None


def run_errand(errand: Errand) -> Attempt:
    """Do a run on this machine for another one.

    Raises:
        SandboxError: It was lost, for no fault of the agent.
    """
    cache = errand.cache or cache_dir() / "node"
    own = errand.assignment
    with ExitStack() as held:
        if not errand.sees_data:
            data = _fetched(errand.home, "data", errand.data_digest, cache)
            own = replace(own, data=data)
        folder = _fetched(errand.home, "agent", errand.agent_digest, cache, files_digest)
        own = replace(own, agent=replace(own.agent, folder=folder))
        parent = Path(tempfile.gettempdir())
        work = held.enter_context(swept_folder(parent, WORK_PREFIX, remove_tree))
        doors = held.enter_context(_doors(errand))
        stop = held.enter_context(_stop_event(errand.home))
        done = attempt(own, work / "run", doors, cache / "agents", stop)
        errand.home.deliver(work / "run")
    return done


def _fetched(
    home: Home,
    name: str,
    digest: str,
    cache: Path,
    digest_of: Callable[[Path], str] | None = None,
) -> Path:
    """A folder of home's, brought here once.

    Args:
        home: Who has it.
        name: What it is called there.
        digest: What tells it from others.
        cache: Where it is kept here.
        digest_of: Tells the digest of what arrived, for those known by their content.

    Raises:
        SandboxError: It did not arrive as it was.
    """
    target = cache / name / digest
    target.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(target.with_name(f".{digest}.lock")):
        if not target.is_dir():
            partial = target.with_name(f".{digest}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            home.fetch(name, partial)
            if digest_of and digest_of(partial) != digest:
                raise SandboxError(
                    f"The folder of the {name} was changed at home while it was fetched; the run "
                    "is done again with what it is now."
                )
            partial.rename(target)
    return target


@contextmanager
def _doors(errand: Errand) -> Iterator[Mapping[int, Path]]:
    """Unix sockets here behind which the services at home are."""
    with private_folder() as folder, ExitStack() as open_:
        doors = {}
        for port in errand.doors:
            path = folder / f"{port}.sock"
            server = open_.enter_context(_door(path, port, errand.home))
            threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
            open_.callback(server.shutdown)
            doors[port] = path
        yield doors


def _door(path: Path, port: int, home: Home) -> socketserver.ThreadingUnixStreamServer:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                home.pass_on(port, self.request)
            except (SandboxError, OSError) as error:
                logger.warning("A visitor of door %d could not be passed on: %s", port, error)

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(str(path), Handler)
    path.chmod(0o666)  # whoever is in the room is another user
    return server


@contextmanager
def _stop_event(home: Home) -> Iterator[threading.Event]:
    """Set when home wants the run to end, or is not there any more."""
    stop, done = threading.Event(), threading.Event()

    def watch() -> None:
        failures = 0
        while not done.wait(LOOK_SECONDS):
            try:
                failures = 0 if not home.wants_stop() else MOST_FAILED_LOOKS
            except (SandboxError, OSError):
                failures += 1
            if failures >= MOST_FAILED_LOOKS:
                stop.set()
                return

    thread: Any = threading.Thread(target=watch, name="stop", daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        done.set()
