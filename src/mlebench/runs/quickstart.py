"""The first five minutes: small real competitions, agents that need nothing, results compared."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.grading.report import CompetitionReport
from mlebench.registry import Registry
from mlebench.registry.leaderboard import Medal
from mlebench.runs.campaign import Campaign, Wish
from mlebench.runs.group import RunGroup
from mlebench.runs.work import OnChange
from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox

SPLIT = "mini"
AGENTS = ("dummy", "automl")
MEDALS: tuple[Medal, ...] = ("gold", "silver", "bronze")

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Room:
    """The kind of room that runs get.

    Attributes:
        kind: The word for it.
        worse_than: Why it is not a better kind; nothing if it is the best.
    """

    kind: str
    worse_than: str = ""


@dataclass(frozen=True)
class Standing:
    """How an agent did in a competition.

    Attributes:
        agent_id: The agent.
        competition_id: The competition.
        metric: What was measured.
        score: The mean over its valid attempts; None if there are none.
        percentile: The mean share of the leaderboard, in percent, that did no better.
        medal: The best one it won.
        valid: How many of its attempts left a valid submission.
        attempts: How many there were.
    """

    agent_id: str
    competition_id: str
    metric: str
    score: float | None
    percentile: float | None
    medal: Medal | None
    valid: int
    attempts: int


def best_room() -> Room:
    """The best kind of room that this machine can have without an image.

    One without walls will do for agents that come with mlebench.
    """
    reason = BwrapSandbox().why_unusable()
    return Room(ProcessSandbox.kind, reason) if reason else Room(BwrapSandbox.kind)


def prepare_split(registry: Registry, tell: Tell) -> tuple[str, ...]:
    """Prepare what is not prepared yet; returns the ids of the competitions."""
    ids = tuple(registry.get_split(SPLIT))
    for competition_id in ids:
        tell(competition_id)
        prepare(registry.get_competition(competition_id))
    return ids


def campaigns(
    registry: Registry, ids: Sequence[str], room: Room, *, seeds: int, seconds: float,
    workers: int, runs_dir: Path,
) -> list[Campaign]:  # fmt: skip
    """What each agent is to do; looked at before anything starts.

    Raises:
        ConfigError: An agent cannot run here; the message says what is missing.
    """
    limits = {"seconds": seconds, "cpus": 1.0}
    return [
        Campaign(
            Wish(
                agent_id=agent_id,
                competitions=tuple(ids),
                seeds=seeds,
                runs_dir=runs_dir,
                sandbox=room.kind,
                workers=workers,
                limits=limits,
            ),
            registry,
        )
        for agent_id in AGENTS
    ]


def run_all(several: Iterable[Campaign], on_change: OnChange) -> list[RunGroup]:
    """Run one campaign after the other; returns their groups."""
    groups = []
    for campaign in several:
        group = campaign.open_group()
        campaign.run(group, on_change)
        groups.append(group)
    return groups


def standings(groups: Iterable[RunGroup]) -> list[Standing]:
    """How all agents did, competition by competition."""
    found = []
    for group in groups:
        agent_id = str(group.state.fact("specification")["agent_id"])
        runs = group.state.runs()
        for competition_id in dict.fromkeys(run.competition_id for run in runs):
            own = [run for run in runs if run.competition_id == competition_id]
            reports = [CompetitionReport.from_dict(run.report) for run in own if run.report]
            found.append(_standing(agent_id, competition_id, reports, len(own)))
    return sorted(found, key=lambda one: one.competition_id)


def _standing(
    agent_id: str, competition_id: str, reports: Sequence[CompetitionReport], attempts: int
) -> Standing:
    scores = [report.score for report in reports if report.score is not None]
    places = [report.percentile for report in reports if report.percentile is not None]
    won = {report.medal for report in reports}
    return Standing(
        agent_id,
        competition_id,
        next((report.metric for report in reports if report.metric), ""),
        statistics.fmean(scores) if scores else None,
        statistics.fmean(places) if places else None,
        next((medal for medal in MEDALS if medal in won), None),
        sum(report.valid_submission for report in reports),
        attempts,
    )
