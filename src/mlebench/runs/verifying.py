"""Whether the results of a run group are what was recorded while it ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import LedgerError
from mlebench.grading.submitted import is_submission
from mlebench.runs import ledger
from mlebench.runs.attempt import SNAPSHOTS
from mlebench.runs.group import METADATA, REPORT, RUN_LOG, RunGroup
from mlebench.runs.ledger import Entry, digest_of, read_entries
from mlebench.runs.overview_checks import faults_of_overviews
from mlebench.runs.state import RunState

LOST = "infrastructure"


@dataclass(frozen=True)
class Proof:
    """What looking through a group has shown.

    Attributes:
        entries: How many lines the record has.
        head: The digest that stands for all of them.
        graded: How many runs were graded, each of them once.
        validations: How often agents had their submissions checked.
        interruptions: How often a run was cut off and begun anew; whoever does that to choose
            among results shows here.
        faults: What does not fit, in a sentence each; none proves that nothing was changed.
    """

    entries: int
    head: str
    graded: int
    validations: int
    interruptions: int
    faults: tuple[str, ...]


def verify(group: RunGroup) -> Proof:
    """Compare the record of a group with itself, with its state, and with its files."""
    entries: list[Entry] = []
    faults: list[str] = []
    try:
        entries += [
            entry for entry, _ in read_entries(group.folder / ledger.FILE_NAME, complete_only=True)
        ]
    except LedgerError as error:
        faults.append(str(error))
    kinds = Counter(entry.kind for entry in entries)
    faults += _faults(group, entries)
    return Proof(
        entries=len(entries),
        head=entries[-1].digest if entries else ledger.BEGINNING,
        graded=kinds["graded"],
        validations=kinds["validation"],
        interruptions=_interruptions(entries),
        faults=tuple(faults),
    )


def _faults(group: RunGroup, entries: list[Entry]) -> Iterator[str]:
    runs = {run.run_id: run for run in group.state.runs()}
    begun = next((entry for entry in entries if entry.kind == "group"), None)
    if begun is None and (
        (group.folder / METADATA).exists() or any(run.attempts for run in runs.values())
    ):
        yield "The record is missing, or its beginning is."
    if begun and begun.facts.get("plan") != group.plan_digest:
        yield "What was asked for, under which conditions, is not what was recorded."
    yield from faults_of_overviews(group, entries)
    gradings = Counter(entry.run for entry in entries if entry.kind == "graded")
    yield from (f"{run} was graded {count} times." for run, count in gradings.items() if count > 1)
    yield from (
        f"{run} is recorded, but no run of this group." for run in gradings if run not in runs
    )
    yield from _begun_after_their_end(entries)
    last = {(entry.kind, entry.run): entry for entry in entries}
    for run in runs.values():
        yield from _faults_of(
            group, run, last.get(("ended", run.run_id)), last.get(("graded", run.run_id))
        )


def _begun_after_their_end(entries: list[Entry]) -> Iterator[str]:
    """Runs of which there was a result before they were begun once more."""
    ended: set[str | None] = set()
    told: set[str | None] = set()
    for entry in entries:
        if entry.kind == "ended" and entry.facts.get("cause") != LOST:
            ended.add(entry.run)
        elif entry.kind == "started" and entry.run in ended - told:
            told.add(entry.run)
            yield f"{entry.run} was begun again after it had ended."


def _interruptions(entries: list[Entry]) -> int:
    """How often a run was begun that had not ended since it was begun before."""
    at_work: set[str | None] = set()
    count = 0
    for entry in entries:
        if entry.kind == "started":
            count += entry.run in at_work
            at_work.add(entry.run)
        elif entry.kind == "ended":
            at_work.discard(entry.run)
    return count


def _faults_of_end(group: RunGroup, run: RunState, ended: Entry) -> Iterator[str]:
    """What does not fit in what is left of a run."""
    facts, folder = ended.facts, group.run_folder(run.run_id)
    told = tuple(facts.get(name) for name in ("cause", "exit_code", "seconds"))
    if (run.cause, run.exit_code, run.seconds) != told:
        yield f"{run.run_id}: how it ended is not what was recorded."
    if fault := _fault_of(folder / RUN_LOG, facts.get("log_sha256")):
        yield f"{run.run_id}: {RUN_LOG} {fault}"
    for snapshot in facts.get("snapshots", []):
        if fault := _fault_of(folder / SNAPSHOTS / snapshot["name"], snapshot["sha256"]):
            yield f"{run.run_id}: snapshot {snapshot['name']} {fault}"


def _fault_of(path: Path, digest: str | None) -> str:
    """What is wrong with a file that was written with this digest."""
    if not path.is_file():
        return "is missing."
    return "" if digest_of(path) == digest else "is not the one that was written."


def _faults_of(
    group: RunGroup, run: RunState, ended: Entry | None, graded: Entry | None
) -> Iterator[str]:
    if (run.status == "graded") != (graded is not None):
        yield f"{run.run_id} is {run.status}, but the record says otherwise."
    path = group.submission_of(run.run_id)
    if run.status not in ("waiting", "running") and ended is None and run.attempts:
        yield f"{run.run_id} has ended, but the record does not say so."
    if ended and run.status in ("ended", "graded"):
        yield from _faults_of_end(group, run, ended)
        recorded = ended.facts.get("submission_sha256")
        found = digest_of(path) if is_submission(path) else None
        if recorded != found:
            fault = "is not the one that the agent left" if found else "is missing"
            yield f"{run.run_id}: the submission {fault}."
    if graded is None:
        return
    if graded.facts.get("report") != run.report:
        yield f"{run.run_id}: the result is not the one that was recorded."
    report = group.run_folder(run.run_id) / REPORT
    if fault := _fault_of(report, graded.facts.get("report_sha256")):
        yield f"{run.run_id}: {REPORT} {fault}"
