"""Whether the files about all runs of a group tell what was recorded of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlebench.grading.report import NOT_A_REPORT
from mlebench.regular import read_regular
from mlebench.runs import ledger
from mlebench.runs.group import METADATA, SUBMISSIONS, RunGroup
from mlebench.runs.ledger import Entry
from mlebench.runs.overviews import metadata_of, report_on
from mlebench.runs.state import RunState
from mlebench.sandbox.layout import SUBMISSION, SUBMISSION_FILE

# The group's name is none of them: its folder may be called otherwise meanwhile.
OF_ALL_RUNS = ("created_at", "agent", "specification", "conditions")
OF_ANY_RUN = ("competition_id", "seed")
RESULTS = "competition_reports"


def faults_of_overviews(group: RunGroup, entries: Sequence[Entry]) -> Iterator[str]:
    """What does not fit in metadata, submissions file and report on all runs."""
    head, settled = ledger.BEGINNING, group.state.runs()
    try:
        metadata = json.loads(read_regular(group.folder / METADATA))
        head = metadata["ledger_head"]
        settled = _settled(group, entries, head)
        yield from _faults_of_metadata(group, metadata, settled)
    except FileNotFoundError:
        pass  # nothing has ended yet
    except (OSError, *NOT_A_REPORT):
        yield f"{METADATA} cannot be read."
    if head != ledger.BEGINNING and head not in {entry.digest for entry in entries}:
        yield f"{METADATA} names a line that is not in the record: its end was cut off."
    for path, faults in (
        (group.report_path, _faults_of_report),
        (group.folder / SUBMISSIONS, _faults_of_submissions),
    ):
        try:
            yield from faults(path, group, settled)
        except FileNotFoundError:
            pass
        except (OSError, *NOT_A_REPORT):
            yield f"{path.name} cannot be read."


def _settled(group: RunGroup, entries: Sequence[Entry], head: str) -> list[RunState]:
    """The runs that nothing has happened to since metadata were written with this head.

    Until a group is finished, whoever goes on with it may have got further than these files.
    """
    runs = group.state.runs()
    if group.is_finished:
        return runs
    numbers = {entry.digest: entry.number for entry in entries}
    last = {entry.run: entry.number for entry in entries}
    return [
        run
        for run in runs
        if run.status in ("ended", "graded", "failed")
        and last.get(run.run_id, len(entries)) <= numbers.get(head, -1)
    ]


def _faults_of_metadata(
    group: RunGroup, told: dict[str, Any], settled: Sequence[RunState]
) -> Iterator[str]:
    known = metadata_of(group, told["ledger_head"])
    for name in OF_ALL_RUNS:
        if told[name] != known[name]:
            yield f"{METADATA}: {name} is not what was recorded."
    if [*told["runs"]] != [*known["runs"]]:
        yield f"{METADATA} is not about the runs of this group."
        return
    done = {run.run_id: run for run in settled}
    for run_id, facts in known["runs"].items():
        names = {*facts} if run_id in done else {*OF_ANY_RUN}
        if run_id in done and done[run_id].status == "ended":
            names.discard("message")  # it may have been tried in vain to grade it
        others = sorted(name for name in names if told["runs"][run_id][name] != facts[name])
        if others:
            yield f"{METADATA}: {', '.join(others)} of {run_id} is not what was recorded."


def _faults_of_report(path: Path, group: RunGroup, settled: Sequence[RunState]) -> Iterator[str]:
    told = json.loads(read_regular(path))
    results = [run.report for run in settled if run.report]
    if told[RESULTS] != results:
        yield f"{path.name} is not about the results that were recorded."
        return
    counted = report_on(results)
    others = [name for name in told if name != RESULTS and told[name] != counted.get(name)]
    if others:
        yield f"{path.name}: {', '.join(others)} is not what the results add up to."


def _faults_of_submissions(
    path: Path, group: RunGroup, settled: Sequence[RunState]
) -> Iterator[str]:
    lines = [json.loads(line) for line in read_regular(path).splitlines()]
    runs = group.state.runs()
    if len(lines) != len(runs):
        yield f"{path.name} is not about the runs of this group."
        return
    done = {run.run_id for run in settled}
    for line, run in zip(lines, runs, strict=True):
        if run.run_id not in done:
            continue
        places = (run.run_id, SUBMISSION, SUBMISSION_FILE)
        expected = places if group.submission_of(run.run_id).is_file() else None
        told = line["submission_path"]
        # Only the end of it: the group may lie elsewhere meanwhile.
        if (line["competition_id"], told and Path(told).parts[-3:]) != (
            run.competition_id,
            expected,
        ):
            yield f"{path.name}: the line of {run.run_id} is not the one that was written."
