"""How a run group stands, in a few words and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mlebench.errors import DamagedStateError
from mlebench.registry.facts import REFERENCE
from mlebench.runs.group import RunGroup, group_folders


def is_won_by_reference(report: Mapping[str, Any] | None) -> bool:
    """Whether there is a medal in a report, won against reference solutions rather than teams."""
    if report is None or not report.get("any_medal"):
        return False
    return report.get("leaderboard_of") == REFERENCE


def summary_of(group: RunGroup) -> dict[str, Any]:
    """What programs want to know about a group."""
    runs = group.state.runs()
    specification = group.state.fact("specification")
    reports = [run.report for run in runs if run.report]
    return {
        "run_group": group.name,
        "folder": str(group.folder),
        "agent": specification.get("agent_id"),
        "created_at": group.state.fact("created_at"),
        "status": "finished" if group.is_finished else "unfinished",
        "runs": len(runs),
        "statuses": dict(Counter(run.status for run in runs)),
        "causes": dict(Counter(run.cause or run.status for run in runs)),
        "scored": sum(report.get("status") == "graded" for report in reports),
        "medals": sum(bool(report.get("any_medal")) for report in reports),
        "medals_by_reference": sum(map(is_won_by_reference, reports)),
        "is_finished": group.is_finished,
        "is_at_work": group.is_at_work,
        "report": str(group.report_path) if group.report_path.is_file() else None,
        "conditions": group.state.fact("conditions"),
    }


def summaries_in(runs_dir: Path) -> Iterator[dict[str, Any]]:
    """The same about all groups in a folder; a damaged one does not hide the others."""
    for folder in group_folders(runs_dir):
        try:
            group = RunGroup(folder)
            try:
                yield summary_of(group)
            finally:
                group.state.close()
        except DamagedStateError as error:
            yield _summary_of_damaged(folder, error)


def _summary_of_damaged(folder: Path, error: DamagedStateError) -> dict[str, Any]:
    return {
        "run_group": folder.name,
        "folder": str(folder),
        "agent": None,
        "created_at": None,
        "status": "damaged",
        "message": str(error),
        "runs": 0,
        "statuses": {},
        "causes": {},
        "scored": 0,
        "medals": 0,
        "medals_by_reference": 0,
        "is_finished": False,
        "is_at_work": None,
        "report": None,
        "conditions": None,
    }
