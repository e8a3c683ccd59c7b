"""What is left of a run group, and who does it, in a sentence for people."""

from __future__ import annotations

from collections import Counter

from mlebench.runs.group import RunGroup
from mlebench.runs.outcomes import status_in_words
from mlebench.runs.state import RunState

CUT_OFF = "cut off"
"""What a run is that is noted as running, while nobody is at work on its group."""
NOBODY = "Nobody is at work on it"


def shown_status(run: RunState, *, is_at_work: bool | None) -> str:
    """How a run stands; what a runner that was killed has left does not look alive."""
    return CUT_OFF if run.status == "running" and is_at_work is False else status_in_words(run)


def what_is_left(group: RunGroup) -> str:
    """What is left to be done, and how to have it done, if nobody does it just now."""
    counts = Counter(run.status for run in group.state.runs())
    waiting, ungraded = counts["waiting"] + counts["running"], counts["ended"]
    lacks = []
    if waiting:
        lacks.append(f"{_runs(waiting)} waiting")
    if ungraded:
        lacks.append(f"{_runs(ungraded)} not graded yet")
    if not lacks:
        return "all of its runs have ended."
    if group.is_at_work:
        return "somebody is at work on its other runs."
    how = "grades (without --no-grade and --new)" if ungraded else "goes on (without --new)"
    if group.begun_by != "run":  # others have no such options
        how = "goes on"
    return f"{' and '.join(lacks)}: the same `mlebench {group.begun_by}` command {how}."


def who_is_at_work(group: RunGroup) -> str:
    """A sentence on a group that nobody is at work on, though runs are left; else nothing."""
    if group.is_finished or group.is_at_work is not False:
        return ""
    return f"{NOBODY}; {what_is_left(group)}"


def _runs(count: int) -> str:
    return "1 run is" if count == 1 else f"{count} runs are"
