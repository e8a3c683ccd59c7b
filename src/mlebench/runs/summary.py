"""How a run group stands, in a few words and numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mlebench.runs.group import RunGroup


def summary_of(group: RunGroup) -> dict[str, Any]:
    """What programs want to know about a group."""
    runs = group.state.runs()
    specification = group.state.fact("specification")
    reports = [run.report for run in runs if run.report]
    return {
        "run_group": group.name,
        "folder": str(group.folder),
        "agent": specification["agent_id"],
        "created_at": group.state.fact("created_at"),
        "runs": len(runs),
        "statuses": dict(Counter(run.status for run in runs)),
        "causes": dict(Counter(run.cause or run.status for run in runs)),
        "medals": sum(bool(report["any_medal"]) for report in reports),
        "is_finished": group.is_finished,
        "report": str(group.report_path) if group.report_path.is_file() else None,
        "conditions": group.state.fact("conditions"),
    }
