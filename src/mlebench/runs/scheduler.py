"""Taking the runs of a group to their ends: what is lost is repeated, nothing happens twice."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from mlebench.data.using import in_use
from mlebench.runs.desk import Desk
from mlebench.runs.grading import Grader
from mlebench.runs.group import IS_CONCLUDED
from mlebench.runs.marking import Marker
from mlebench.runs.overviews import conclude, write_metadata
from mlebench.runs.work import Work
from mlebench.services.validation import ValidationService


def work_off(work: Work, *, is_graded: bool, facts: Mapping[str, Any]) -> None:
    """Do what is left of a group, until all is done or somebody wants it to stop.

    Args:
        work: What it takes.
        is_graded: Whether grading follows at once.
        facts: Stand in the report of every run.

    Raises:
        BusyError: Another process is at it, or removes its data.
        LedgerError: The record was tampered with, or can no longer be kept.
        NotPreparedError: A run lacks its data by now; it waits, and all others are done.
        ConfigError: Likewise for something else that has changed meanwhile.
        KeyboardInterrupt: The user interrupted; what was running is begun anew next time.
    """
    with ExitStack() as open_:
        ledger = open_.enter_context(work.group.at_work())
        if not ledger.head.strip("0"):
            ledger.add("group", plan=work.group.plan_digest)
        validation = open_.enter_context(
            ValidationService(work.registry, workers=min(work.executor.slots, os.cpu_count() or 1))
        )
        grader = (
            open_.enter_context(
                Grader(work.registry, min(work.executor.slots, os.cpu_count() or 1), work.on_log)
            )
            if is_graded
            else None
        )
        marker = Marker(work.group, ledger, grader, facts) if grader else None
        desk = Desk(work, ledger, validation, marker)
        desk.recover()
        for name in {run.competition_id for run in work.group.state.runs() if not run.is_final}:
            open_.enter_context(in_use(work.registry.get_competition(name).data_dir))
        # Whoever is killed from here on leaves files about the group that lack something.
        work.group.state.set_fact(IS_CONCLUDED, False)
        try:
            desk.work()
        finally:
            write_metadata(work.group, ledger.head)
    conclude(work.group)
    work.group.state.set_fact(IS_CONCLUDED, True)
    if desk.hindrance:
        raise desk.hindrance
