"""Run groups: a folder with the state of its runs, their record, and a folder for each.

::

    <runs>/<time>_run-group_<agent>/
        metadata.json                 what the original writes, and more
        state.sqlite  ledger.jsonl    how far runs are, and what happened
        submission.jsonl  <time>_grading_report.json
        <competition>_<uuid>/
            run.log  submission/  logs/  code/  snapshots/  report.json
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import logging
import re
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlebench.data.folders import written_folder
from mlebench.data.locks import exclusive, is_held
from mlebench.errors import BusyError, ConfigError, DamagedStateError
from mlebench.grading.summary import get_timestamp
from mlebench.processes.isolation import remove_folder
from mlebench.runs import ledger, state
from mlebench.runs.ledger import Ledger
from mlebench.runs.specification import Specification
from mlebench.runs.state import RunState, StateFile
from mlebench.sandbox.layout import SUBMISSION, SUBMISSION_FILE

logger = logging.getLogger(__name__)

METADATA, SUBMISSIONS, REPORT, RUN_LOG = (
    "metadata.json",
    "submission.jsonl",
    "report.json",
    "run.log",
)
IS_CONCLUDED = "is_concluded"
"""The fact that the files about all runs were written since somebody was last at work."""
BEGUN_BY = "begun_by"
"""The fact that names the command which goes on with a group, unless that is `run`."""
LOCK_FILE = ".run.lock"
STOP_FILE = ".stop"
"""Put into the folder of a group or of a run by whoever wants it to end."""
GROUP_MARK = "_run-group_"


class RunGroup:
    """A run group on disk."""

    def __init__(self, folder: Path) -> None:
        """Open what is there.

        Raises:
            ConfigError: It is no run group.
            DamagedStateError: It is one, but its state is gone or cannot be used.
        """
        if is_group(folder) and not (folder / state.FILE_NAME).is_file():
            raise DamagedStateError(
                f"{folder} is a run group, but somebody has removed its {state.FILE_NAME}, "
                "without which nothing is known about its runs."
            )
        self.folder = folder
        self.state = StateFile(folder / state.FILE_NAME)

    @classmethod
    def create(
        cls, runs_dir: Path, agent_name: str, specification: Specification, facts: dict[str, Any]
    ) -> RunGroup:
        """A new group, which is there completely or not at all."""
        created_at = get_timestamp()
        wanted = [
            (seed, name)
            for seed in range(specification.seeds)
            for name in specification.competitions
        ]
        runs = [
            RunState(f"{name}_{uuid.uuid4()}", place, name, seed)
            for place, (seed, name) in enumerate(wanted)
        ]
        described = {
            "created_at": created_at,
            "begun_at": datetime.now(UTC).isoformat(timespec="microseconds"),
            "digest": specification.digest,
            "specification": specification.to_dict(),
            **facts,
        }
        with written_folder(runs_dir, "--runs-dir"):
            runs_dir.mkdir(parents=True, exist_ok=True)
            partial = runs_dir / f".{uuid.uuid4().hex}.partial"
            try:
                partial.mkdir()
                begun = StateFile(partial / state.FILE_NAME, must_exist=False)
                begun.create(described, runs)
                begun.close()
                return cls(_take_name(partial, runs_dir, f"{created_at}{GROUP_MARK}{agent_name}"))
            finally:
                remove_folder(partial)

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.folder.name

    def run_folder(self, run_id: str) -> Path:
        """Where everything about a run lies."""
        return self.folder / run_id

    def submission_of(self, run_id: str) -> Path:
        """Where a run's submission is, if it has one."""
        return self.run_folder(run_id) / SUBMISSION / SUBMISSION_FILE

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to be done."""
        return all(run.is_final for run in self.state.runs())

    @property
    def is_at_work(self) -> bool | None:
        """Whether somebody is at work on it; None where there is no telling."""
        return is_held(self.folder / LOCK_FILE)

    @property
    def agent_id(self) -> str:
        """Which agent its runs are of."""
        return str(self.state.fact("specification")["agent_id"])

    @property
    def begun_by(self) -> str:
        """The command that goes on with it."""
        return str(self.state.fact(BEGUN_BY) or "run")

    @property
    def plan_digest(self) -> str:
        """Of all that was settled before anything ran: what, under which conditions, which runs."""
        plan = [
            *(self.state.fact(name) for name in ("created_at", "specification", "conditions")),
            [[run.run_id, run.competition_id, run.seed] for run in self.state.runs()],
        ]
        return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()

    @property
    def report_path(self) -> Path:
        """Where the report on all runs goes."""
        return self.folder / f"{self.state.fact('created_at')}_grading_report.json"

    @contextmanager
    def at_work(self) -> Iterator[Ledger]:
        """Be the only one who works on the group, with its record open.

        Raises:
            BusyError: Somebody else is.
            LedgerError: The record was tampered with.
        """
        with ExitStack() as held:
            try:
                held.enter_context(exclusive(self.folder / LOCK_FILE, timeout=0))
            except BusyError as error:
                raise BusyError(
                    f"{error} `mlebench runs status` shows how far it is, and `mlebench runs stop` "
                    "ends it."
                ) from error
            (self.folder / STOP_FILE).unlink(missing_ok=True)
            yield held.enter_context(Ledger(self.folder / ledger.FILE_NAME))


def _take_name(partial: Path, runs_dir: Path, name: str) -> Path:
    """Give a folder a name that is nobody's; others may be doing the same."""
    for number in itertools.count(1):
        folder = runs_dir / (name if number == 1 else f"{name}_{number}")
        try:
            partial.rename(folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        else:
            break
    return folder


def groups_in(runs_dir: Path) -> Iterator[RunGroup]:
    """All groups in a folder, the oldest first; damaged ones are told of and left out."""
    for folder in group_folders(runs_dir):
        try:
            group = RunGroup(folder)
        except DamagedStateError as error:
            warn_of_damage(error)
        else:
            yield group


def group_folders(runs_dir: Path) -> Iterator[Path]:
    """The folders of all groups, the oldest first."""
    if not runs_dir.is_dir():
        return
    yield from sorted(
        (folder for folder in runs_dir.iterdir() if GROUP_MARK in folder.name and is_group(folder)),
        key=lambda folder: (_begun(folder), folder.name),
    )


def is_group(folder: Path) -> bool:
    """Whether a folder is a group of ours, be it one that has lost its state."""
    return any((folder / name).is_file() for name in (state.FILE_NAME, ledger.FILE_NAME))


def _begun(folder: Path) -> str:
    """When a group was begun, as digits in the order of time; of a damaged one, as its name says.

    Names tell no more than the second, and anybody may give a folder another one.
    """
    told = folder.name.partition(GROUP_MARK)[0]
    try:
        with closing(StateFile(folder / state.FILE_NAME)) as found:
            told = found.fact("begun_at") or found.fact("created_at") or told
    except ConfigError:
        pass  # whoever opens it is told
    return re.sub(r"\D", "", str(told))


def warn_of_damage(error: DamagedStateError) -> None:
    """Tell of a group that is left out."""
    logger.warning("A run group is left out. %s", error)
