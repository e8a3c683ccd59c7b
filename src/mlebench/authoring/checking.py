"""Trying many competitions side by side, each apart from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mlebench.authoring.outcomes import Outcome
from mlebench.authoring.selfcheck import check_competition
from mlebench.errors import MlebenchError
from mlebench.processes import Job, Limits, Loss, Runner
from mlebench.registry import Registry

MOST_SECONDS = 600.0


def check_competitions(
    competition_ids: Sequence[str], registry: Registry, workers: int
) -> Iterator[Outcome]:
    """Try competitions; outcomes come as they are ready.

    A single one is tried right here. Several get processes of their own, so that whatever
    one's functions do costs no other its result.
    """
    if len(competition_ids) == 1:
        yield check_safely(competition_ids[0], registry)
        return
    handler = f"{__name__}:{CheckingHandler.__name__}"
    settings = {"registry": registry.settings()}
    # Ours share a process, in which libraries need not be imported again.
    jobs = [
        Job({"competition_id": name}, "built-in" if registry.is_built_in(name) else None, name)
        for name in competition_ids
    ]
    limits = Limits(seconds=MOST_SECONDS)
    with Runner(handler, settings, size=min(workers, len(jobs)), limits=limits) as runner:
        for job, told in runner.run(jobs):
            if isinstance(told, Loss):
                outcome = Outcome(job.task["competition_id"])
                outcome.add("can be tried", told.message)
                yield outcome
            else:
                yield Outcome.from_dict(told)


def check_safely(competition_id: str, registry: Registry) -> Outcome:
    """Try a competition; what keeps it from being tried at all is what was found."""
    try:
        return check_competition(competition_id, registry)
    except MlebenchError as error:
        outcome = Outcome(competition_id)
        outcome.add("can be tried", str(error))
        if competition_id not in registry:
            return outcome
        return outcome.without(f"{registry.folder_of(competition_id).parent}/")


class CheckingHandler:
    """Tries one competition after the other."""

    def __init__(self, registry: dict[str, Any]) -> None:
        self._registry = Registry(**registry)

    def get_ready(self, job: dict[str, Any]) -> None:
        """All that is needed is imported with this module."""

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """What was found."""
        return asdict(check_safely(job["competition_id"], self._registry))
