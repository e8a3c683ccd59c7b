"""A process that grades one submission after the other.

It speaks JSON lines over its standard streams: the first line says which registry to use,
each further line is a job, each answer a report. A grader that hangs or kills its process
thus harms no other submission; whoever holds the other end of the pipe starts a new one.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, TextIO

from mlebench.errors import (
    DamagedAnswersError,
    MlebenchError,
    NotPreparedError,
    TaskNotWrittenError,
    UnknownCompetitionError,
)
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import describe_error, failed_report, grade_csv, make_report
from mlebench.registry import Registry

STATUS_OF = {
    NotPreparedError: "not_prepared",
    DamagedAnswersError: "damaged_answers",
    TaskNotWrittenError: "not_written",
    UnknownCompetitionError: "unknown_competition",
}


def grade_job(job: dict[str, Any], registry: Registry) -> CompetitionReport:
    """The report on one line of a submissions file, whatever happens."""
    competition_id, path = job["competition_id"], job["submission_path"]
    try:
        return grade_csv(path, registry.get_competition(competition_id))
    except MlebenchError as error:
        code = STATUS_OF.get(type(error), "config_error")
        return report_failure(registry, competition_id, path, code, str(error))
    except Exception as error:  # a broken leaderboard or competition must not lose the rest
        message = f"{type(error).__name__}: {error}"
        return report_failure(registry, competition_id, path, "grader_error", message)


def report_failure(
    registry: Registry, competition_id: str, path: str | None, status: str, message: str
) -> CompetitionReport:
    """A report without a score, with thresholds if the competition has any."""
    error = describe_error(status, message)
    try:
        competition = registry.get_competition(competition_id)
        exists = bool(path) and Path(str(path)).is_file()
        return make_report(competition, path, status=status, submission_exists=exists, error=error)
    except (MlebenchError, OSError):
        return failed_report(competition_id, path, error, registry.edition)


def registry_to_json(registry: Registry) -> dict[str, Any]:
    """What another process needs to build the same registry."""
    return {
        "data_dir": str(registry.get_data_dir()),
        "competitions_dirs": [str(path) for path in registry.user_dirs],
        "edition": registry.edition,
    }


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer jobs until the input ends, which ends the process."""
    registry = Registry(**json.loads(requests.readline()))
    jobs: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, jobs), daemon=True).start()
    while True:
        report = grade_job(json.loads(jobs.get()), registry)
        print(json.dumps(report.to_dict()), file=answers, flush=True)


def _receive(requests: TextIO, jobs: queue.SimpleQueue[str]) -> None:
    """Pass jobs on; when whoever sent them is gone, end, even in the middle of one."""
    for line in requests:
        jobs.put(line)
    os._exit(0)


def main() -> None:
    """Serve on the standard streams; whatever a grader prints goes to stderr."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin, answers)


if __name__ == "__main__":
    main()
