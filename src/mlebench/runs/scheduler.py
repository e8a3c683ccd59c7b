"""Taking the runs of a group to their ends: what is lost is repeated, nothing happens twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlebench.errors import SandboxError, shortened
from mlebench.grading.report import CompetitionReport
from mlebench.grading.submitted import is_submission
from mlebench.grading.summary import aggregate_reports
from mlebench.registry import Registry
from mlebench.runs.attempt import SNAPSHOTS, Assignment, Attempt
from mlebench.runs.executors import Executor
from mlebench.runs.grading import Grader, grade_snapshots, write_report
from mlebench.runs.group import (
    METADATA,
    REPORT,
    RUN_LOG,
    STOP_FILE,
    SUBMISSIONS,
    RunGroup,
    submission_lines,
)
from mlebench.runs.ledger import Ledger
from mlebench.runs.snapshots import Snapshot
from mlebench.runs.state import RunState
from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.layout import VALIDATION_PORT
from mlebench.sandbox.walking import remove_tree
from mlebench.services.validation import ValidationCall, ValidationService
from mlebench.writing import written_whole

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
MOST_LEFT_OUT = 20
# Why a submission has no score, for no fault of its own: it is graded once that is mended.
NOT_THE_SUBMISSION = frozenset(
    {"not_prepared", "damaged_answers", "config_error", "unknown_competition", "not_written"}
)
LOOK_SECONDS = 0.5

OnChange = Callable[[RunState], None]


@dataclass(frozen=True)
class Work:
    """All that it takes to go on with a group.

    Attributes:
        group: The group.
        registry: Where competitions and their data are.
        executor: Where it works.
        assign: Makes the assignment of a run.
        on_change: Called with a run whose state has changed.
    """

    group: RunGroup
    registry: Registry
    executor: Executor
    assign: Callable[[RunState], Assignment]
    on_change: OnChange


def work_off(work: Work, *, is_graded: bool, facts: Mapping[str, Any]) -> None:
    """Do what is left of a group, until all is done or somebody wants it to stop.

    Args:
        work: What it takes.
        is_graded: Whether grading follows at once.
        facts: Stand in the report of every run.

    Raises:
        BusyError: Another process is at it.
        LedgerError: The record was tampered with, or can no longer be kept.
        KeyboardInterrupt: The user interrupted; what was running is begun anew next time.
    """
    with ExitStack() as open_:
        ledger = open_.enter_context(work.group.at_work())
        if not ledger.head.strip("0"):
            ledger.add("group", plan=work.group.plan_digest)
        validation = open_.enter_context(
            ValidationService(work.registry, workers=min(work.executor.slots, os.cpu_count() or 1))
        )
        grader = (
            open_.enter_context(
                Grader(work.registry, min(work.executor.slots, os.cpu_count() or 1))
            )
            if is_graded
            else None
        )
        desk = _Desk(work, ledger, validation, grader, dict(facts))
        desk.recover()
        try:
            desk.work()
        finally:
            work.group.write_metadata(ledger.head)
    conclude(work.group)


class _Desk:
    """Hands out runs to as many threads as the executor has slots."""

    def __init__(
        self,
        work: Work,
        ledger: Ledger,
        validation: ValidationService,
        grader: Grader | None,
        facts: dict[str, Any],
    ) -> None:
        self._work = work
        self._group = work.group
        self._ledger = ledger
        self._validation = validation
        self._grader = grader
        self._facts = facts
        self._waiting: queue.SimpleQueue[RunState] = queue.SimpleQueue()
        self._stop = threading.Event()
        """No run is begun any more."""
        self._is_interrupted = False
        """What is running is thrown away, to be begun anew by whoever goes on."""
        self._stops: dict[str, threading.Event] = {}
        self._done = threading.Semaphore(0)
        self._failure: BaseException | None = None

    def recover(self) -> None:
        """Put right what somebody who was killed has left half done."""
        runs = self._group.state.runs()
        lost = [run.run_id for run in runs if run.status == "running"]
        if lost:
            logger.info("%d runs were cut off; they are begun anew.", len(lost))
            make_sandbox(self._group.state.fact("specification")["sandbox"]).clear_up(lost)
        for run in runs:
            if run.status == "running":
                remove_tree(self._group.run_folder(run.run_id))
                self._change(run, status="waiting")
            elif run.status == "ended" and (entry := self._ledger.last("graded", run.run_id)):
                self._change(run, status="graded", report=entry.facts["report"])

    def work(self) -> None:
        """Do all runs that are not done."""
        for run in self._group.state.runs():
            if run.status in ("waiting", "ended") and not (
                run.status == "ended" and self._grader is None
            ):
                self._waiting.put(run)
        threads = [
            threading.Thread(target=self._serve, name=f"run-{number}", daemon=True)
            for number in range(self._work.executor.slots)
        ]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left:
                left -= self._done.acquire(timeout=LOOK_SECONDS)
                self._look_for_stops()
        except BaseException:
            self._is_interrupted = True
            self._halt()
            # Not by joining: an interrupted join takes threads for dead that are not.
            while left:
                left -= self._done.acquire(timeout=LOOK_SECONDS)
            raise
        finally:
            (self._group.folder / STOP_FILE).unlink(missing_ok=True)
        if self._failure is not None:
            raise self._failure

    def _halt(self) -> None:
        self._stop.set()
        for event in list(self._stops.values()):
            event.set()

    def _look_for_stops(self) -> None:
        if (self._group.folder / STOP_FILE).exists():
            self._halt()
        for run_id, event in list(self._stops.items()):
            if (self._group.run_folder(run_id) / STOP_FILE).exists():
                event.set()

    def _serve(self) -> None:
        try:
            self._serve_runs()
        finally:
            self._done.release()

    def _serve_runs(self) -> None:
        while not self._stop.is_set():
            try:
                run = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._take_on(run)
            except BaseException as error:  # of ours, or the record cannot be kept
                logger.debug("A run could not go on", exc_info=True)
                self._failure = error
                self._halt()
                return

    def _take_on(self, run: RunState) -> None:
        if run.status == "waiting":
            if not self._try(run):
                return
            run = self._group.state.run(run.run_id)
        if self._grader is not None:
            self._grade(run, self._grader)

    def _try(self, run: RunState) -> bool:
        """Do a run; False if it has to be done again, now or when somebody goes on."""
        attempts = run.attempts + 1
        self._change(run, status="running", attempts=attempts, started_at=_now())
        self._ledger.add("started", run.run_id, attempt=attempts)
        stop = self._stops[run.run_id] = threading.Event()
        if self._stop.is_set():
            stop.set()
        folder = self._group.run_folder(run.run_id)

        def record(call: ValidationCall) -> None:
            self._ledger.add("validation", run.run_id, **asdict(call))

        door = self._validation.open_door(run.competition_id, record)
        try:
            done = self._work.executor.run(
                self._work.assign(run), folder, {VALIDATION_PORT: door.path}, stop
            )
        except SandboxError as error:
            self._lose(run, attempts, str(error))
            return False
        finally:
            door.close()
            del self._stops[run.run_id]
        if done.end.cause == "stopped" and self._is_interrupted:
            remove_tree(folder)
            self._change(run, status="waiting", attempts=run.attempts)
            return False
        if done.end.cause == "infrastructure":
            self._lose(run, attempts, done.end.message)
            return False
        self._end(run, done)
        return True

    def _lose(self, run: RunState, attempts: int, why: str) -> None:
        """A run was lost for no fault of the agent: it is tried again, though not for ever."""
        reason = shortened(why)
        logger.warning("%s was lost: %s", run.run_id, reason)
        goes_on = attempts < MOST_ATTEMPTS
        self._ledger.add("ended", run.run_id, cause="infrastructure", message=reason)
        self._change(
            run,
            status="waiting" if goes_on else "failed",
            cause="infrastructure",
            message=reason,
            ended_at=_now(),
        )
        if goes_on:
            self._waiting.put(self._group.state.run(run.run_id))

    def _end(self, run: RunState, done: Attempt) -> None:
        path = self._group.submission_of(run.run_id)
        has_submission = is_submission(path)
        cause: str = done.end.cause
        if cause == "finished" and not has_submission:
            cause = "no_submission"
        self._ledger.add(
            "ended",
            run.run_id,
            cause=cause,
            exit_code=done.end.exit_code,
            submission_sha256=digest_of(path) if has_submission else None,
            snapshots=[asdict(snapshot) for snapshot in done.snapshots],
            left_out=[
                f"{shortened(name)}: {reason}"
                for name, reason in done.collected.left_out[:MOST_LEFT_OUT]
            ],
            log_sha256=digest_of(self._group.run_folder(run.run_id) / RUN_LOG),
        )
        self._change(
            run,
            status="ended",
            cause=cause,
            message=done.end.message,
            exit_code=done.end.exit_code,
            seconds=round(done.end.seconds, 3),
            ended_at=_now(),
        )

    def _grade(self, run: RunState, grader: Grader) -> None:
        folder = self._group.run_folder(run.run_id)
        ended = self._ledger.last("ended", run.run_id)
        told = ended.facts.get("snapshots", []) if ended else []
        snapshots = [Snapshot(**snapshot) for snapshot in told]
        report = grader.grade(run.competition_id, self._group.submission_of(run.run_id))
        if report.status in NOT_THE_SUBMISSION:
            reason = (report.error or {}).get("message", report.status)
            logger.error("%s cannot be graded yet: %s", run.run_id, reason)
            self._change(run, message=f"It cannot be graded yet: {reason}")
            return
        points = grade_snapshots(grader, run.competition_id, folder / SNAPSHOTS, snapshots)
        report = CompetitionReport.from_dict(
            report.to_dict() | {"extra": self._facts | _facts_of(run)}
        )
        digest = write_report(folder / REPORT, report, points)
        content = report.to_dict()
        self._ledger.add("graded", run.run_id, report=content, report_sha256=digest)
        self._change(run, status="graded", report=content)

    def _change(self, run: RunState, **values: Any) -> None:
        self._group.state.update(run.run_id, **values)
        self._work.on_change(self._group.state.run(run.run_id))


def conclude(group: RunGroup) -> None:
    """Write the files about all runs together, as the original's tools leave them."""
    lines = [json.dumps(line) for line in submission_lines(group.folder / METADATA)]
    with written_whole(group.folder / SUBMISSIONS) as partial:
        partial.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    reports = [CompetitionReport.from_dict(run.report) for run in group.state.runs() if run.report]
    if reports:
        with written_whole(group.report_path) as partial:
            partial.write_text(json.dumps(aggregate_reports(reports), indent=2), encoding="utf-8")


def digest_of(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _facts_of(run: RunState) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "seed": run.seed,
        "cause": run.cause,
        "exit_code": run.exit_code,
        "run_seconds": run.seconds,
        "attempts": run.attempts,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat()
