"""Grading many submissions in parallel, losing none.

Every line of a submissions file gets a report of its own: a bad line, a missing file, an
unprepared competition, a grader that fails, hangs or kills its process. Finished reports
are kept in a journal, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mlebench.errors import ConfigError
from mlebench.grading.journal import Journal
from mlebench.grading.lines import SubmissionLine, read_submission_lines
from mlebench.grading.pool import WorkerPool
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import describe_error, failed_report
from mlebench.grading.summary import write_grading_report
from mlebench.registry import Registry
from mlebench.registry import registry as default_registry

DEFAULT_TIME_LIMIT = 3600.0

OnReport = Callable[[int, int, CompetitionReport], None]


def grade_jsonl(
    path_to_submissions: Path | str,
    output_dir: Path | str,
    registry: Registry = default_registry,
    *,
    workers: int | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    on_report: OnReport | None = None,
) -> Path:
    """Grade every line of a submissions file and write the aggregated report.

    Args:
        path_to_submissions: JSON lines with ``competition_id`` and ``submission_path``.
        output_dir: Where the report goes.
        registry: Which competitions, data and edition.
        workers: Parallel processes; by default one per core.
        time_limit: Seconds for one submission.
        on_report: Called with done, total and the report whenever one is ready.

    Returns:
        The path of the report.
    """
    source, output = Path(path_to_submissions), Path(output_dir)
    if not source.is_file():
        raise ConfigError(f"The submissions file {source} does not exist.")
    output.mkdir(parents=True, exist_ok=True)
    lines = list(read_submission_lines(source))
    with Journal.open(output, source, registry) as journal:
        reports = grade_lines(lines, registry, workers, time_limit, on_report, journal)
        path = write_grading_report(reports, output)
        journal.remove()
    return path


def grade_lines(
    lines: list[SubmissionLine],
    registry: Registry,
    workers: int | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    on_report: OnReport | None = None,
    journal: Journal | None = None,
) -> list[CompetitionReport]:
    """Reports on all lines, in their order."""
    reports: dict[int, CompetitionReport] = {}

    def keep(line: SubmissionLine, report: CompetitionReport, *, is_new: bool) -> None:
        reports[line.number] = report
        if journal and is_new:
            journal.add(line, report)
        if on_report:
            on_report(len(reports), len(lines), report)

    waiting = []
    for line in lines:
        if line.problem:
            error = describe_error("bad_line", line.problem)
            report = failed_report(line.competition_id, None, error, registry.edition)
            keep(line, report, is_new=False)
        elif journal and (known := journal.find(line)):
            keep(line, known, is_new=False)
        else:
            waiting.append(line)
    count = max(1, min(workers or os.cpu_count() or 1, len(waiting)))
    with WorkerPool(registry, count, time_limit) as pool:
        for line, report in pool.grade(waiting):
            keep(line, report, is_new=True)
    return [reports[line.number] for line in lines]
