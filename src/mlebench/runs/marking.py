"""What an ended run comes to: its submission is graded, once, and so is each snapshot of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mlebench.grading.report import CompetitionReport
from mlebench.runs.attempt import SNAPSHOTS
from mlebench.runs.grading import Grader, grade_snapshots, write_report
from mlebench.runs.group import REPORT, RunGroup
from mlebench.runs.ledger import Ledger
from mlebench.runs.snapshots import Snapshot
from mlebench.runs.state import RunState

logger = logging.getLogger(__name__)

# Why a submission has no score, for no fault of its own: it is graded once that is mended.
NOT_THE_SUBMISSION = frozenset(
    {"not_prepared", "damaged_answers", "config_error", "unknown_competition", "not_written"}
)


@dataclass(frozen=True)
class Marker:
    """Grades what runs have left.

    Attributes:
        group: The group that they belong to.
        ledger: Its record.
        grader: What computes scores.
        facts: Stand in the report of every run.
    """

    group: RunGroup
    ledger: Ledger
    grader: Grader
    facts: Mapping[str, Any]

    def mark(self, run: RunState, change: Callable[..., None], is_over: Callable[[], bool]) -> None:
        """Grade an ended run, unless that has to wait.

        Args:
            run: The run.
            change: Called with it and what is to be changed in its state.
            is_over: Whether somebody waits for the end, so that only the result itself is graded.
        """
        folder = self.group.run_folder(run.run_id)
        ended = self.ledger.last("ended", run.run_id)
        told = ended.facts if ended else {}
        snapshots = [Snapshot(**snapshot) for snapshot in told.get("snapshots", [])]
        report = self.grader.grade(run.competition_id, self.group.submission_of(run.run_id))
        if report.status in NOT_THE_SUBMISSION:
            reason = (report.error or {}).get("message", report.status)
            logger.error("%s cannot be graded yet: %s", run.run_id, reason)
            change(run, message=f"It cannot be graded yet: {reason}")
            return
        points = grade_snapshots(self.grader, report, folder / SNAPSHOTS, snapshots, is_over)
        report = CompetitionReport.from_dict(
            report.to_dict() | {"extra": {**self.facts, **_facts_of(run)}}
        )
        digest = write_report(folder / REPORT, report, points)
        content = report.to_dict()
        self.ledger.add("graded", run.run_id, report=content, report_sha256=digest)
        # Not that of a time when it could not be graded.
        message = told.get("message", run.message)
        change(run, status="graded", report=content, message=message)


def _facts_of(run: RunState) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "seed": run.seed,
        "cause": run.cause,
        "exit_code": run.exit_code,
        "run_seconds": run.seconds,
        "attempts": run.attempts,
    }
