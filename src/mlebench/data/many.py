"""Preparing many competitions: each in a process of its own, several at a time.

While as many as ``jobs`` are at work, as many others download, so that network, processors and
disks are busy at once, and no more than twice as many competitions take up memory and room.
Whatever one of them does, even if it crashes, costs no other its result.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mlebench.data.folders import written_folder
from mlebench.data.leaderboards import download_leaderboard
from mlebench.data.notes import NotingWatcher, Observer, read_notes_into
from mlebench.data.prepare import clear_up_after_kill, prepare
from mlebench.data.turns import turn
from mlebench.errors import DataSourceError, MlebenchError, TaskNotWrittenError
from mlebench.printable import print_to_stderr
from mlebench.processes import Job, Limits, Loss, MakeRunner, Runner
from mlebench.processes.printed import Sink
from mlebench.registry import Registry

MOST_PROCESSES = 10_000
NOTES_PREFIX = ".mlebench-"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Result:
    """What became of one competition.

    Attributes:
        competition_id: The competition.
        status: ``prepared``, ``already prepared``, ``failed`` or ``not written``.
        detail: The folder of the data, or why there are none.
        exit_code: What a command leaves with if this was all.
    """

    competition_id: str
    status: str
    detail: str
    exit_code: int = 0

    @classmethod
    def of_error(cls, competition_id: str, error: MlebenchError) -> Result:
        """Why a competition could not be prepared."""
        if isinstance(error, TaskNotWrittenError):
            return cls(competition_id, "not written", "", error.exit_code)
        return cls(competition_id, "failed", str(error), error.exit_code)


def prepare_many(
    sources: Mapping[str, str | None],
    registry: Registry,
    options: Mapping[str, Any],
    *,
    jobs: int,
    observer: Observer,
    sink: Sink = print_to_stderr,
    make_runner: MakeRunner = Runner,
) -> Iterator[Result]:
    """Prepare competitions; results come as they are ready.

    Args:
        sources: For each competition where its raw data are, as `prepare` takes it.
        registry: Knows the competitions.
        options: Further arguments of `prepare` that fit into JSON.
        jobs: How many are at work at a time.
        observer: Is told how far each of them is.
        sink: Gets the lines that are logged on the way.
        make_runner: Who does the work: `Runner` on this machine, or one for a cluster.
    """
    handler = f"{__name__}:{PreparingHandler.__name__}"
    limits = Limits(file_size=None, processes=MOST_PROCESSES)
    with _folder_of_notes(registry, is_shared=make_runner is not Runner) as folder:
        settings = {
            "registry": registry.settings(),
            "options": {**options},
            "folder": folder,
            "jobs": jobs,
            # Proxies, logins and whatever else preparing here would have found.
            "environment": {**os.environ},
        }
        size = min(2 * jobs, len(sources))
        work = [Job({"id": name, "source": source}, label=name) for name, source in sources.items()]
        unfinished = {*sources}
        with (
            _cleared_up(unfinished, registry),
            read_notes_into(observer, Path(folder)) as notes,
            make_runner(handler, settings, size=size, limits=limits, sink=sink) as runner,
        ):
            for job, told in runner.run(work):
                unfinished.discard(job.task["id"])
                notes.end(job.task["id"])
                if isinstance(told, Loss):
                    yield Result(job.task["id"], "failed", told.message, exit_code=1)
                else:
                    yield Result(**told)


def _folder_of_notes(registry: Registry, *, is_shared: bool) -> tempfile.TemporaryDirectory[str]:
    """A folder for as long as the work takes, where other machines see it, too, if they must."""
    if not is_shared:
        return tempfile.TemporaryDirectory(prefix=NOTES_PREFIX)
    data = registry.get_data_dir()
    with written_folder(data, "--data-dir"):
        data.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=NOTES_PREFIX, dir=data)


@contextmanager
def _cleared_up(unfinished: Collection[str], registry: Registry) -> Iterator[None]:
    """Clear up after processes that were ended in here without a chance to do so themselves."""
    try:
        yield
    finally:
        for name in unfinished:
            try:
                clear_up_after_kill(registry.get_competition(name))
            except MlebenchError as error:  # of this one, which must hide neither others nor causes
                logger.warning("What %s may have left is not cleared up: %s", name, error)


class PreparingHandler:
    """Prepares one competition after the other."""

    def __init__(
        self,
        registry: dict[str, Any],
        options: dict[str, Any],
        folder: str,
        jobs: int,
        environment: dict[str, str],
    ) -> None:
        self._registry = Registry(**registry)
        self._options = options
        self._folder = Path(folder)
        self._jobs = jobs
        for name, value in environment.items():
            os.environ.setdefault(name, value)

    def get_ready(self, job: dict[str, Any]) -> None:
        """All that is needed is imported with this module."""

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """What became of a competition."""
        result = prepare_safely(
            job["id"],
            self._registry,
            job["source"],
            watcher=NotingWatcher(self._folder, job["id"]),
            turn=turn(self._folder, self._jobs),
            **self._options,
        )
        return asdict(result)


def prepare_safely(
    competition_id: str, registry: Registry, source: str | None, **options: Any
) -> Result:
    """Prepare a competition; an error that is meant for people is its result."""
    try:
        return prepare_one(competition_id, registry, source, **options)
    except MlebenchError as error:
        return Result.of_error(competition_id, error)
    except OSError as error:  # a disk that fails, too many open files
        return Result(competition_id, "failed", str(error), DataSourceError.exit_code)


def prepare_one(
    competition_id: str,
    registry: Registry,
    source: Path | str | None,
    *,
    overwrite_leaderboard: bool = False,
    **options: Any,
) -> Result:
    """Prepare a competition right here, maybe with a new list of all teams' scores."""
    competition = registry.get_competition(competition_id)
    if overwrite_leaderboard:
        download_leaderboard(competition)
    # What an author's functions print is not among our results.
    with written_folder(registry.get_data_dir(), "--data-dir"), redirect_stdout(sys.stderr):
        worked = prepare(competition, source, **options)
    status = "prepared" if worked else "already prepared"
    return Result(competition_id, status, str(competition.prepared_dir))
