"""Grading many submissions in parallel, losing none.

Every line of a submissions file gets a report of its own: a bad line, a missing file, an
unprepared competition, a grader that fails, hangs or kills its process. Finished reports
are kept in a journal, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from mlebench.data.checksums import file_digest
from mlebench.errors import ConfigError
from mlebench.grade_helpers import CompetitionReport
from mlebench.grading.reports import write_grading_report
from mlebench.grading.single import describe_error, failed_report
from mlebench.grading.worker import registry_to_json, report_failure
from mlebench.registry import Registry
from mlebench.registry import registry as default_registry

DEFAULT_TIME_LIMIT = 3600.0
COMMENT_MARKS = ("#", "//")

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
        workers: Parallel processes; by default one a core.
        time_limit: Seconds for one submission.
        on_report: Called with done, total and the report whenever one is ready.

    Returns:
        The path of the report.
    """
    source, output = Path(path_to_submissions), Path(output_dir)
    if not source.is_file():
        raise ConfigError(f"The submissions file {source} does not exist.")
    output.mkdir(exist_ok=True)
    lines = list(read_submission_lines(source))
    with Journal.open(output, source, registry) as journal:
        reports = grade_lines(lines, registry, workers, time_limit, on_report, journal)
        path = write_grading_report(reports, output)
        journal.remove()
    return path


@dataclass(frozen=True)
class SubmissionLine:
    """One line of a submissions file: a job, or what is wrong with it."""

    number: int
    competition_id: str = ""
    submission_path: str | None = None
    problem: str | None = None


def read_submission_lines(path: Path) -> Iterator[SubmissionLine]:
    """The jobs of a submissions file; blank and comment lines do not count."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(COMMENT_MARKS):
            yield _parse_line(number, line)


def _parse_line(number: int, line: str) -> SubmissionLine:
    try:
        entry = json.loads(line)
    except ValueError as error:
        return SubmissionLine(number, problem=f"Line {number} is not JSON: {error}")
    if not isinstance(entry, dict):
        return SubmissionLine(number, problem=f"Line {number} is not a JSON object.")
    competition_id, path = entry.get("competition_id"), entry.get("submission_path")
    if not isinstance(competition_id, str) or "submission_path" not in entry:
        problem = f"Line {number} needs competition_id and submission_path."
    elif path is not None and not isinstance(path, str):
        problem = f"Line {number}: submission_path must be a text or null."
    else:
        return SubmissionLine(number, competition_id, path)
    return SubmissionLine(number, str(competition_id), problem=problem)


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
            keep(line, failed_report(line.competition_id, None, error), is_new=False)
        elif journal and (known := journal.find(line)):
            keep(line, known, is_new=False)
        else:
            waiting.append(line)
    count = max(1, min(workers or os.cpu_count() or 1, len(waiting)))
    with WorkerPool(registry, count, time_limit) as pool:
        for line, report in pool.grade(waiting):
            keep(line, report, is_new=True)
    return [reports[line.number] for line in lines]


class WorkerPool:
    """Processes that grade, one submission each at a time; dead ones are replaced."""

    def __init__(self, registry: Registry, size: int, time_limit: float) -> None:
        self._registry = registry
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(size)
        self._idle: queue.SimpleQueue[_Worker | None] = queue.SimpleQueue()
        for _ in range(size):
            self._idle.put(None)
        self._alive: set[_Worker] = set()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._alive):
            worker.kill()
        self._threads.shutdown(wait=True)
        for worker in list(self._alive):
            worker.close()

    def grade(
        self, lines: list[SubmissionLine]
    ) -> Iterator[tuple[SubmissionLine, CompetitionReport]]:
        """Reports as they become ready."""
        futures = {self._threads.submit(self._grade_one, line): line for line in lines}
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _grade_one(self, line: SubmissionLine) -> CompetitionReport:
        worker = self._idle.get() or self._start()
        try:
            report = worker.grade(line, self._time_limit)
        except _WorkerLostError as lost:
            self._alive.discard(worker)
            worker.close()
            self._idle.put(None)
            return report_failure(
                self._registry, line.competition_id, line.submission_path, lost.status, str(lost)
            )
        self._idle.put(worker)
        return report

    def _start(self) -> _Worker:
        worker = _Worker(self._registry)
        self._alive.add(worker)
        return worker


class _WorkerLostError(Exception):
    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Worker:
    """One grading process."""

    def __init__(self, registry: Registry) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mlebench.grading.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._send(registry_to_json(registry))

    def grade(self, line: SubmissionLine, time_limit: float) -> CompetitionReport:
        """The report on a line; raises if the process is lost on the way."""
        alarm = threading.Timer(time_limit, self.kill)
        alarm.start()
        try:
            self._send(
                {"competition_id": line.competition_id, "submission_path": line.submission_path}
            )
            answer = self._stream(self._process.stdout).readline()
        except BrokenPipeError:
            answer = ""
        finally:
            ran_out = alarm.finished.is_set()
            alarm.cancel()
        if answer:
            return CompetitionReport.from_dict(json.loads(answer))
        code = self._process.wait()
        if ran_out:
            raise _WorkerLostError("timeout", f"Grading took longer than {time_limit:g} seconds.")
        raise _WorkerLostError("crashed", f"The grading process died (exit code {code}).")

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and give up its pipes; not while another thread reads from them."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _send(self, message: dict[str, Any]) -> None:
        stdin = self._stream(self._process.stdin)
        stdin.write(json.dumps(message) + "\n")
        stdin.flush()

    @staticmethod
    def _stream(stream: IO[str] | None) -> IO[str]:
        if stream is None:
            raise RuntimeError("The worker was started without pipes.")
        return stream


@dataclass
class Journal:
    """Reports finished so far, so that an interrupted run need not repeat them."""

    path: Path
    file: IO[str]
    done: dict[tuple[int, str | None], CompetitionReport] = field(default_factory=dict)

    @classmethod
    def open(cls, output_dir: Path, submissions: Path, registry: Registry) -> Journal:
        """The journal of this submissions file under these conditions."""
        conditions = json.dumps(registry_to_json(registry), sort_keys=True).encode()
        name = hashlib.sha256(submissions.read_bytes() + conditions).hexdigest()[:16]
        path = output_dir / f".grading-{name}.jsonl"
        journal = cls(path, path.open("a+", encoding="utf-8"))
        journal.file.seek(0)
        for line in journal.file:
            if line.endswith("\n"):
                entry = json.loads(line)
                key = entry["line"], entry["sha256"]
                journal.done[key] = CompetitionReport.from_dict(entry["report"])
        return journal

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def find(self, line: SubmissionLine) -> CompetitionReport | None:
        """The report on a line, if its file has not changed since."""
        return self.done.get((line.number, _digest(line)))

    def add(self, line: SubmissionLine, report: CompetitionReport) -> None:
        """Record a finished report."""
        entry = {"line": line.number, "sha256": _digest(line), "report": report.to_dict()}
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def remove(self) -> None:
        """All is done and written; the journal is of no more use."""
        self.path.unlink()


def _digest(line: SubmissionLine) -> str | None:
    path = Path(line.submission_path) if line.submission_path else None
    return file_digest(path, "sha256") if path and path.is_file() else None
