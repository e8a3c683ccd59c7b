"""Giving runs that were lost another chance."""

from __future__ import annotations

from collections.abc import Sequence

from mlebench.errors import ConfigError
from mlebench.runs.finding import find_runs
from mlebench.runs.group import RunGroup


def retry(group: RunGroup, run_ids: Sequence[str] = ()) -> list[str]:
    """Let failed runs wait again, all of them or those that are named.

    Raises:
        ConfigError: A named run has a result, which stays as it is.
    """
    named = find_runs(group, run_ids)
    for run in named:
        if run.status == "graded":
            raise ConfigError(
                f"{run.run_id} has been graded, and a run is graded once. To try again, begin a "
                "new group: mlebench run ... --new"
            )
    back = [run.run_id for run in named or group.state.runs() if run.status == "failed"]
    if back:
        with group.at_work() as ledger:
            for run_id in back:
                ledger.add("retried", run_id)
                group.state.update(run_id, status="waiting", attempts=0, cause=None, message=None)
    return back
