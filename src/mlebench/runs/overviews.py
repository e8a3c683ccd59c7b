"""The files about all runs of a group together, as the original's tools leave them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mlebench.errors import ConfigError, DamagedStateError
from mlebench.grading.report import CompetitionReport
from mlebench.grading.summary import aggregate_reports
from mlebench.regular import read_regular
from mlebench.runs.group import METADATA, SUBMISSIONS, RunGroup
from mlebench.runs.state import RunState
from mlebench.sandbox.layout import SUBMISSION, SUBMISSION_FILE
from mlebench.writing import written_whole


def metadata_of(group: RunGroup, head: str) -> dict[str, Any]:
    """What programs for the original look for, with more about each run."""
    return {
        "run_group": group.name,
        "created_at": group.state.fact("created_at"),
        "runs": {run.run_id: _facts_of(run) for run in group.state.runs()},
        "agent": group.state.fact("specification")["agent_id"],
        "specification": group.state.fact("specification"),
        "conditions": group.state.fact("conditions"),
        "ledger_head": head,
    }


def write_metadata(group: RunGroup, head: str) -> None:
    """Write that, with the head of the record."""
    content = json.dumps(metadata_of(group, head), indent=4)
    try:
        with written_whole(group.folder / METADATA) as partial:
            partial.write_text(content, encoding="utf-8")
    except FileNotFoundError as error:
        raise DamagedStateError(
            f"{group.folder} is gone: somebody has removed or moved the run group."
        ) from error


def conclude(group: RunGroup) -> None:
    """Write the submissions file and the report on all runs."""
    lines = [json.dumps(line) for line in submission_lines(group.folder / METADATA)]
    with written_whole(group.folder / SUBMISSIONS) as partial:
        partial.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    reports = [run.report for run in group.state.runs() if run.report]
    if reports:
        with written_whole(group.report_path) as partial:
            partial.write_text(json.dumps(report_on(reports), indent=2), encoding="utf-8")


def report_on(reports: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The report on all runs, from those on each as they are recorded."""
    return aggregate_reports([CompetitionReport.from_dict(report) for report in reports])


def submission_lines(
    metadata: Path,
    log_path: str = "logs/agent.log",
    code_path: str = "code/train.py",
) -> Iterable[dict[str, str | None]]:
    """The lines of a submissions file for runs of ours or of the original's.

    Args:
        metadata: The ``metadata.json`` of a run group.
        log_path: Where runs keep their log, in their folder.
        code_path: Likewise their code.

    Raises:
        ConfigError: It is no such file.
    """
    try:
        runs = json.loads(read_regular(metadata))["runs"]
        names = [*runs]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{metadata} is no metadata.json of a run group.") from error
    for run_id in names:
        folder = metadata.parent / run_id

        def found(relative: str, folder: Path = folder) -> str | None:
            path = folder / relative
            return str(path) if path.is_file() else None

        yield {
            "competition_id": run_id.partition("_")[0],
            "submission_path": found(f"{SUBMISSION}/{SUBMISSION_FILE}"),
            "logs_path": found(log_path),
            "code_path": found(code_path),
        }


def _facts_of(run: RunState) -> dict[str, Any]:
    return {
        "success": run.status in ("ended", "graded"),
        "competition_id": run.competition_id,
        "seed": run.seed,
        "status": run.status,
        "cause": run.cause,
        "message": run.message,
        "exit_code": run.exit_code,
        "seconds": run.seconds,
        "attempts": run.attempts,
    }
