"""What became of runs: in words, and in the one number that scripts look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlebench.errors import AgentFailedError, NotPreparedError, SandboxError
from mlebench.grading.statuses import exit_code_of_all
from mlebench.runs.state import RunState
from mlebench.sandbox.making import FINISHED

AGENT_FAULTS = frozenset({"agent_error", "out_of_memory", "too_many_processes", "disk_full"})
"""Causes of agents that did not get to the end of their work. The time limit is none of them:
many agents go on improving until then."""

NAMED = 3  # runs in a sentence about many


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


def status_in_words(run: RunState) -> str:
    """How far a run is; if it was graded without a score, why."""
    status = (run.report or {}).get("status", "graded")
    if run.report is None or status == "graded":
        return run.status
    code = (run.report.get("error") or {}).get("code")
    return f"{status} ({code})" if code and code != status else status


def sentences_on_ends(runs: Iterable[RunState]) -> list[str]:
    """Why runs did not end well, those together of which the same is to be said."""
    told: dict[str, list[RunState]] = {}
    for run in runs:
        if run.message and run.message != FINISHED:
            told.setdefault(run.message, []).append(run)
    return [f"{named(those)}: {message}" for message, those in told.items()]


def named(runs: Sequence[RunState]) -> str:
    """Runs by their names; of many, the first and how many more there are."""
    names = [f"{run.competition_id} (seed {run.seed})" for run in runs[:NAMED]]
    more = f" and {len(runs) - NAMED} more" if len(runs) > NAMED else ""
    return ", ".join(names) + more


def _status(run: RunState) -> str:
    """That of its report; without one, what its end tells."""
    if run.report:
        return str(run.report["status"])
    return "no_submission" if run.cause == "no_submission" else "graded"
