"""Grading what runs have left, at home, where the answers are."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.grading.batch import BatchLimits
from mlebench.grading.report import NOT_A_REPORT, CompetitionReport
from mlebench.grading.worker import lane_of, report_failure
from mlebench.printable import print_to_stderr
from mlebench.processes import Job, Loss, Runner
from mlebench.registry import Registry
from mlebench.runs.snapshots import Snapshot
from mlebench.runs.work import OnLog
from mlebench.writing import written_whole

MOST_SECONDS = 1800.0
"""How long all snapshots of a run may take; the result itself has been graded before them."""
NOT_GRADED = "not_graded"


class Grader:
    """Grades one submission after the other in processes that stay warm; for several threads."""

    def __init__(self, registry: Registry, workers: int, on_log: OnLog = print_to_stderr) -> None:
        limits = BatchLimits()
        settings = {"registry": registry.settings(), "most_bytes": limits.submission_bytes}
        self._registry = registry
        self._runner = Runner(
            "mlebench.grading.worker:GradingHandler",
            settings,
            size=workers,
            limits=limits.of_a_process(),
            sink=on_log,
        )

    def __enter__(self) -> Grader:
        self._runner.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.__exit__()

    def grade(self, competition_id: str, path: Path) -> CompetitionReport:
        """The report on a submission, whatever happens."""
        task = {"competition_id": competition_id, "submission_path": str(path), "known": None}
        job = Job(task, lane_of(self._registry, competition_id), f"{path.parent.parent.name}")
        outcome = self._runner.submit(job).result()
        if isinstance(outcome, Loss):
            return self._failed(competition_id, path, outcome)
        try:
            report = CompetitionReport.from_dict(outcome["report"])
        except NOT_A_REPORT:  # a user's task runs where answers are written
            return self._failed(competition_id, path, Loss("crashed", "It gave no report."))
        return replace(report, competition_id=competition_id)

    def _failed(self, competition_id: str, path: Path, loss: Loss) -> CompetitionReport:
        message = f"Grading was stopped. {loss.message}"
        return report_failure(self._registry, competition_id, str(path), loss.reason, message)


@dataclass(frozen=True)
class Point:
    """A point of the curve of score against time; without a score if there was no time for it."""

    seconds: float
    sha256: str
    status: str
    score: float | None
    medal: str | None


def grade_snapshots(
    grader: Grader,
    last: CompetitionReport,
    folder: Path,
    snapshots: Iterable[Snapshot],
    is_over: Callable[[], bool] = lambda: False,
) -> list[Point]:
    """What each state of a submission would have scored, as far as there is time for it.

    Args:
        grader: Computes scores.
        last: The report on the result, which is that on the last snapshot, too.
        folder: Where the snapshots are.
        snapshots: In their order.
        is_over: Whether somebody waits for the end; the rest is not graded then.
    """
    points = []
    deadline = time.monotonic() + MOST_SECONDS
    for snapshot in snapshots:
        if snapshot.sha256 == last.submission_sha256:
            report = last
        elif is_over() or time.monotonic() >= deadline:
            points.append(Point(snapshot.seconds, snapshot.sha256, NOT_GRADED, None, None))
            continue
        else:
            report = grader.grade(last.competition_id, folder / snapshot.name)
        told = report.to_dict()
        points.append(
            Point(snapshot.seconds, snapshot.sha256, report.status, told["score"], report.medal)
        )
    return points


def write_report(path: Path, report: CompetitionReport, points: Iterable[Point]) -> str:
    """Write the report on a run; returns its digest, which the record names."""
    content: dict[str, Any] = report.to_dict() | {"snapshots": [asdict(point) for point in points]}
    text = json.dumps(content, indent=2)
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()
