"""Grading many submissions in parallel, losing none.

Every line of a submissions file gets a report of its own: a bad line, a missing file, an
unprepared competition, a grader that fails, hangs or kills its process. Finished reports
are kept in a journal, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.data.folders import written_folder
from mlebench.errors import ConfigError
from mlebench.grading.journal import Journal
from mlebench.grading.lines import HOW_TO_WRITE, SubmissionLine, find_file, read_submission_lines
from mlebench.grading.report import NOT_A_REPORT, CompetitionReport
from mlebench.grading.single import describe_error, failed_report
from mlebench.grading.statuses import is_status
from mlebench.grading.submitted import DEFAULT_MOST_BYTES
from mlebench.grading.summary import write_grading_report
from mlebench.grading.worker import lane_of, report_failure
from mlebench.printable import print_to_stderr
from mlebench.processes import Job, Limits, Loss, MakeRunner, Outcome, Runner
from mlebench.processes.limits import GIGABYTE, machine_memory
from mlebench.processes.responses import NO_ANSWER
from mlebench.registry import Registry
from mlebench.registry import registry as default_registry
from mlebench.registry.suggestions import command_with

logger = logging.getLogger(__name__)

DEFAULT_TIME_LIMIT = 3600.0
# Of the machine's memory, for a single grading process; the rest is everybody else's.
DEFAULT_MEMORY_SHARE = 0.75
MOST_BYTES = 10**18  # what the system can count
LEAST_MEMORY = 10**7  # no Python starts with less

# Its line says what a message is about; the place in our code would say less.
LOG_FORMAT = "%(message)s"

OnReport = Callable[[int, int, CompetitionReport], None]
OnLog = Callable[[str], None]


@dataclass(frozen=True)
class BatchLimits:
    """What grading one submission may take.

    Attributes:
        seconds: Time by the clock, hashing included; infinite for none.
        memory: Bytes for the grading process; by default three quarters of the machine's.
        submission_bytes: The longest submission that is looked at.
        file_bytes: The longest file that a grader may write.
    """

    seconds: float = DEFAULT_TIME_LIMIT
    memory: int | None = None
    submission_bytes: int = DEFAULT_MOST_BYTES
    file_bytes: int = GIGABYTE

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ConfigError(f"The time limit must be more than 0 seconds, not {self.seconds:g}.")
        limits = {
            "memory": self.memory,
            "submission size": self.submission_bytes,
            "file size": self.file_bytes,
        }
        for what, limit in limits.items():
            if limit is not None and not 0 < limit <= MOST_BYTES:
                raise ConfigError(
                    f"The {what} limit must be more than 0 bytes and at most {MOST_BYTES:,}, "
                    f"not {limit:,}."
                )
        if self.memory is not None and self.memory < LEAST_MEMORY:
            raise ConfigError(
                f"The memory limit must be at least {LEAST_MEMORY:,} bytes, not {self.memory:,}; "
                "write it with a unit, such as 4GB."
            )

    def of_a_process(self) -> Limits:
        """The limits of a grading process."""
        memory = self.memory or int(machine_memory() * DEFAULT_MEMORY_SHARE)
        return Limits(seconds=self.seconds, memory=int(memory), file_size=int(self.file_bytes))


def grade_jsonl(
    path_to_submissions: Path | str,
    output_dir: Path | str,
    registry: Registry = default_registry,
    *,
    workers: int | None = None,
    limits: BatchLimits | None = None,
    on_report: OnReport | None = None,
    on_log: OnLog = print_to_stderr,
    make_runner: MakeRunner = Runner,
) -> Path:
    """Grade every line of a submissions file and write the aggregated report.

    Args:
        path_to_submissions: JSON lines with ``competition_id`` and ``submission_path``; what
            else they hold is found again in the reports. Paths are relative to this file's
            folder or, if nothing lies there, to the working directory.
        output_dir: Where the report goes.
        registry: Which competitions, data and edition.
        workers: Parallel processes; by default one per core.
        limits: What grading one submission may take.
        on_report: Called with done, total and the report whenever one is ready.
        on_log: Called with each line that grading processes log or graders print; it begins with
            the line, path and competition it is about. By default it goes to stderr.
        make_runner: Who does the work: `Runner` on this machine, or one for a cluster.

    Returns:
        The path of the report.
    """
    source, output = Path(path_to_submissions), Path(output_dir)
    if source.suffix.lower() == ".csv" and source.is_file():
        alone = command_with(registry, "grade-sample", source, "COMPETITION_ID")
        raise ConfigError(
            f"{source} is a csv; many submissions are listed in a file of JSON lines. To grade "
            f"this one alone: {alone}"
        )
    lines = list(read_submission_lines(source))
    if not lines:
        logger.warning("%s holds no submissions. %s", source, HOW_TO_WRITE)
    if workers is not None and workers < 1:
        raise ConfigError(f"There must be at least one worker, not {workers}.")
    with written_folder(output, "--output-dir"):
        output.mkdir(parents=True, exist_ok=True)
        with Journal.open(output, source, registry) as journal:
            if journal.known:
                logger.info(
                    "Going on where the last run stopped: %s of %s are graded already.",
                    f"{len(journal.known):,}",
                    f"{len(lines):,}",
                )
            batch = _Batch(source, lines, registry, journal, on_report, on_log)
            number = workers or os.cpu_count() or 1
            reports = batch.grade(number, limits or BatchLimits(), make_runner)
            path = write_grading_report(reports, output)
            journal.remove()
    return path


class _Batch:
    """The lines of a submissions file on their way to reports."""

    def __init__(
        self,
        source: Path,
        lines: list[SubmissionLine],
        registry: Registry,
        journal: Journal,
        on_report: OnReport | None = None,
        on_log: OnLog = print_to_stderr,
    ) -> None:
        self._source = source
        self._lines = lines
        self._registry = registry
        self._journal = journal
        self._on_report = on_report
        self._on_log = on_log
        self._reports: dict[int, CompetitionReport] = {}

    def grade(
        self, workers: int, limits: BatchLimits, make_runner: MakeRunner = Runner
    ) -> list[CompetitionReport]:
        """Reports on all lines, in their order."""
        jobs: dict[int, Job] = {}
        # One competition after the other, so that processes can keep its answers.
        for line in sorted(self._lines, key=lambda line: line.competition_id):
            if line.problem:
                error = describe_error("bad_line", line.problem)
                edition = self._registry.edition
                report = failed_report(line.competition_id, None, error, edition)
                self._keep(line, replace(report, line=line.number, extra=line.extra))
            else:
                jobs[line.number] = self._job(line)
        settings = {
            "registry": self._registry.settings(),
            "most_bytes": limits.submission_bytes,
        }
        handler = "mlebench.grading.worker:GradingHandler"
        lines = {line.number: line for line in self._lines}
        with make_runner(
            handler,
            settings,
            size=workers,
            limits=limits.of_a_process(),
            log_format=LOG_FORMAT,
            sink=self._on_log,
        ) as runner:
            for job, outcome in runner.run(jobs.values()):
                line = lines[job.task["line"]]
                try:
                    report = self._report_of(line, outcome)
                except NOT_A_REPORT:
                    # A user's task runs where answers are written, and may write one itself.
                    report = self._report_of(line, Loss("crashed", NO_ANSWER))
                self._keep(line, report)
        return [self._reports[line.number] for line in self._lines]

    def _job(self, line: SubmissionLine) -> Job:
        known = self._journal.known.get(line.number)
        if known and known.report.competition_id != line.competition_id:
            known = None  # whatever somebody wrote there
        task = {
            "line": line.number,
            "competition_id": line.competition_id,
            "submission_path": self._place(line),
            "known": known.key if known else None,
        }
        return Job(task, lane_of(self._registry, line.competition_id), line.label)

    def _place(self, line: SubmissionLine) -> str | None:
        """Where the submission of a line lies."""
        path = line.submission_path
        return find_file(path, self._source) if path else path

    def _report_of(self, line: SubmissionLine, outcome: Outcome) -> CompetitionReport:
        """The report that says what became of a line."""
        labels: dict[str, Any] = {
            "line": line.number,
            "extra": line.extra,
            "submission_path": str(line.submission_path),
        }
        if isinstance(outcome, Loss):
            report = report_failure(
                self._registry,
                line.competition_id,
                self._place(line),
                outcome.reason,
                f"Grading was stopped. {outcome.message}",
            )
            return replace(report, **labels)
        if (told := outcome.get("report")) is None:
            return self._journal.known[line.number].report
        report = CompetitionReport.from_dict({**told, **labels})
        if report.competition_id != line.competition_id or not is_status(report.status):
            raise ValueError("This is a report on something else.")
        self._journal.add(line.number, outcome.get("key"), report)
        return report

    def _keep(self, line: SubmissionLine, report: CompetitionReport) -> None:
        self._reports[line.number] = report
        if self._on_report:
            self._on_report(len(self._reports), len(self._lines), report)
