"""Handing out the runs of a group: each goes its own way, and what is lost is repeated."""

from __future__ import annotations

import logging
import queue
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from mlebench.errors import (
    ConfigError,
    DamagedStateError,
    LedgerError,
    MlebenchError,
    NotPreparedError,
    UnwritableFolderError,
    shortened,
)
from mlebench.grading.submitted import is_submission
from mlebench.runs.attempt import Attempt
from mlebench.runs.group import RUN_LOG, STOP_FILE
from mlebench.runs.ledger import Ledger, digest_of
from mlebench.runs.marking import Marker
from mlebench.runs.state import RunState
from mlebench.runs.work import Work
from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.layout import VALIDATION_PORT
from mlebench.sandbox.walking import remove_tree
from mlebench.services.validation import ValidationCall, ValidationService

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
MOST_LEFT_OUT = 20
LOOK_SECONDS = 0.5
PAUSE_SECONDS = 5.0
"""After a run was lost for the first time: whatever was wrong may be over then. The next pause
is longer."""
PAUSE_FACTOR = 4
UNKEPT = (LedgerError, DamagedStateError, UnwritableFolderError)
"""Without record or state nothing that comes of a run can be kept."""


class Desk:
    """Hands out runs to as many threads as the executor has slots."""

    def __init__(
        self,
        work: Work,
        ledger: Ledger,
        validation: ValidationService,
        marker: Marker | None,
    ) -> None:
        self._work = work
        self._group = work.group
        self._ledger = ledger
        self._validation = validation
        self._marker = marker
        self.hindrance: MlebenchError | None = None
        """Why some run was put off, which somebody has to see to."""
        self._waiting: queue.SimpleQueue[RunState] = queue.SimpleQueue()
        self._stop = threading.Event()
        """No run is begun any more."""
        self._is_halted = False
        """What is running is to end, since somebody wanted that."""
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
                run.status == "ended" and self._marker is None
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
        self._is_halted = True
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
            except BaseException as error:  # the record cannot be kept
                logger.debug("The group cannot go on", exc_info=True)
                self._failure = error
                self._stop.set()  # what is running may still come to its end
                return

    def _take_on(self, run: RunState) -> None:
        if run.status == "waiting":
            if not self._try(run):
                return
            run = self._group.state.run(run.run_id)
        if self._marker is not None:
            self._mark(run, self._marker)

    def _try(self, run: RunState) -> bool:
        """Do a run; False if it has to be done again, now or when somebody goes on.

        Whatever goes wrong is this run's own affair: those beside it know nothing of it.
        """
        attempts = run.attempts + 1
        try:
            done = self._do(run, attempts)
            if (
                done is None
                or not done.had_a_chance
                or (done.end.cause == "stopped" and self._is_interrupted)
            ):
                remove_tree(self._group.run_folder(run.run_id))
                self._change(run, status="waiting", attempts=run.attempts)
                return False
            if done.end.cause != "infrastructure":
                self._end(run, done)
                return True
            reason = done.end.message
        except UNKEPT:
            raise
        except (NotPreparedError, ConfigError) as error:
            self._put_off(run, error)
            return False
        except Exception as error:
            logger.debug("%s was lost", run.run_id, exc_info=True)
            reason = _told(error)
        self._lose(run, attempts, reason)
        return False

    def _do(self, run: RunState, attempts: int) -> Attempt | None:
        def begin() -> None:
            self._change(run, status="running", attempts=attempts, started_at=_now())
            self._ledger.add("started", run.run_id, attempt=attempts)

        def record(call: ValidationCall) -> None:
            self._ledger.add("validation", run.run_id, **asdict(call))

        stop = self._stops[run.run_id] = threading.Event()
        try:
            if self._is_halted:
                stop.set()
            door = self._validation.open_door(run.competition_id, record)
            try:
                folder = self._group.run_folder(run.run_id)
                doors = {VALIDATION_PORT: door.path}
                assignment = self._work.assign(run)
                return self._work.executor.run(assignment, folder, doors, stop, begin)
            finally:
                door.close()
        finally:
            del self._stops[run.run_id]

    def _put_off(self, run: RunState, error: MlebenchError) -> None:
        """Somebody has to mend something before a run can be done: it waits for whoever goes on."""
        reason = shortened(str(error))
        logger.error("%s is put off: %s", run.run_id, reason)
        self.hindrance = error
        self._change(run, status="waiting", attempts=run.attempts, message=reason)

    def _lose(self, run: RunState, attempts: int, why: str) -> None:
        """A run was lost for no fault of the agent: it is tried again, though not for ever."""
        reason = shortened(why)
        logger.warning("%s was lost: %s", run.run_id, reason)
        goes_on = attempts < MOST_ATTEMPTS
        self._ledger.add("ended", run.run_id, cause="infrastructure", message=reason)
        self._change(
            run,
            status="waiting" if goes_on else "failed",
            attempts=attempts,
            cause="infrastructure",
            message=reason,
            ended_at=_now(),
        )
        if goes_on:
            self._stop.wait(PAUSE_SECONDS * PAUSE_FACTOR ** (attempts - 1))
            self._waiting.put(self._group.state.run(run.run_id))

    def _end(self, run: RunState, done: Attempt) -> None:
        path = self._group.submission_of(run.run_id)
        has_submission = is_submission(path)
        cause: str = done.end.cause
        if cause == "finished" and not has_submission:
            cause = "no_submission"
        seconds = round(done.end.seconds, 3)
        self._ledger.add(
            "ended",
            run.run_id,
            cause=cause,
            message=done.end.message,
            exit_code=done.end.exit_code,
            seconds=seconds,
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
            seconds=seconds,
            ended_at=_now(),
        )

    def _mark(self, run: RunState, marker: Marker) -> None:
        try:
            marker.mark(run, self._change, lambda: self._is_halted)
        except UNKEPT:
            raise
        except Exception as error:  # such as a full disk; it has ended, and can be graded later
            logger.debug("%s could not be graded", run.run_id, exc_info=True)
            if self._is_interrupted:  # which may be why; whoever goes on grades it
                return
            logger.error("%s cannot be graded yet: %s", run.run_id, _told(error))
            self._change(run, message=f"It cannot be graded yet: {_told(error)}")

    def _change(self, run: RunState, **values: Any) -> None:
        self._group.state.update(run.run_id, **values)
        self._work.on_change(self._group.state.run(run.run_id))


def _told(error: Exception) -> str:
    """An error in words, with its kind where it is none of ours."""
    kind = "" if isinstance(error, MlebenchError) else f"{type(error).__name__}: "
    return shortened(f"{kind}{error}")


def _now() -> str:
    return datetime.now(UTC).isoformat()
