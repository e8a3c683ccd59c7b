"""What became of all runs of a group, in the one number that scripts look at."""

from __future__ import annotations

from collections.abc import Sequence

from mlebench.errors import AgentFailedError, NotPreparedError, SandboxError
from mlebench.grading.statuses import exit_code_of_all
from mlebench.runs.state import RunState

AGENT_FAULTS = frozenset({"agent_error", "out_of_memory", "too_many_processes", "disk_full"})
"""Causes of agents that did not get to the end of their work. The time limit is none of them:
many agents go on improving until then."""


def exit_code_of_runs(runs: Sequence[RunState], *, is_graded: bool) -> int:
    """The exit code for runs of which none is waiting; the gravest of what happened decides.

    Args:
        runs: All runs of a group.
        is_graded: Whether each was to be graded.
    """
    if any(run.status == "failed" for run in runs):
        return SandboxError.exit_code
    if is_graded and any(run.report is None for run in runs):
        return NotPreparedError.exit_code
    if any(run.cause in AGENT_FAULTS for run in runs):
        return AgentFailedError.exit_code
    return exit_code_of_all(_status(run) for run in runs)


def _status(run: RunState) -> str:
    """That of its report; without one, what its end tells."""
    if run.report:
        return str(run.report["status"])
    return "no_submission" if run.cause == "no_submission" else "graded"
