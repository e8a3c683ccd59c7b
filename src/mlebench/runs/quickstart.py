"""The first five minutes: small real competitions, two agents, results compared."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.folders import written_folder
from mlebench.data.locks import exclusive
from mlebench.data.prepare import prepare
from mlebench.data.watching import Nobody, Watcher
from mlebench.errors import BusyError, ConfigError
from mlebench.extras import how_to_install, missing_libraries
from mlebench.grading.report import CompetitionReport
from mlebench.registry import Registry
from mlebench.registry.leaderboard import Medal
from mlebench.runs.campaign import Campaign, Wish
from mlebench.runs.checking import require_counts, require_limits
from mlebench.runs.group import RunGroup
from mlebench.runs.outcomes import exit_code_of_runs
from mlebench.runs.series import Series
from mlebench.runs.work import OnChange, OnLog
from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox

COMMAND = "quickstart"
SPLIT = "mini"
AGENTS = ("dummy", "automl")
EXTRA = "agents"
"""Brings what these agents need, and what every run needs."""
MEDALS: tuple[Medal, ...] = ("gold", "silver", "bronze")
LOCK_FILE = ".quickstart.lock"

Watch = Callable[[str], AbstractContextManager[Watcher]]
OnBegin = Callable[[RunGroup], OnChange]


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
    """How an agent did in a competition, over all of its attempts.

    Attributes:
        agent_id: The agent.
        competition_id: The competition.
        metric: What was measured.
        is_lower_better: Which scores are better; None if no report tells.
        mean_score: Of its valid attempts; None if there are none.
        mean_percentile: The share of the leaderboard, in percent, that did no better.
        medals: How many of each kind it won, the best first.
        valid: How many of its attempts left a valid submission.
        attempts: How many there were.
    """

    agent_id: str
    competition_id: str
    metric: str
    is_lower_better: bool | None
    mean_score: float | None
    mean_percentile: float | None
    medals: Mapping[Medal, int]
    valid: int
    attempts: int


def require_possible(*, seeds: int, seconds: float, workers: int) -> None:
    """Refuse what would fail in the end, before anything is done.

    Raises:
        ConfigError: Libraries are not installed, or there can be no such runs.
    """
    require_counts(seeds, workers, budget_usd=None)
    require_limits({"seconds": seconds})
    if missing := missing_libraries(EXTRA):
        raise ConfigError(
            f"Running agents needs {' and '.join(missing)}, not installed here. To have all that "
            f"is needed: {how_to_install(EXTRA)}"
        )


@contextmanager
def alone_in(runs_dir: Path) -> Iterator[None]:
    """Be the only quickstart in a folder of runs, which is made if need be.

    Raises:
        BusyError: Another one is at work there.
        UnwritableFolderError: There can be no such folder.
    """
    with ExitStack() as held:
        try:
            with written_folder(runs_dir, "--runs-dir"):
                runs_dir.mkdir(parents=True, exist_ok=True)
                held.enter_context(exclusive(runs_dir / LOCK_FILE, timeout=0))
        except BusyError as error:
            raise BusyError(
                f"{error} That is another quickstart: wait for its end, or choose another folder "
                "with --runs-dir."
            ) from error
        yield


def best_room() -> Room:
    """The best kind of room that this machine can have without an image.

    One without walls will do for agents that come with mlebench.
    """
    reason = BwrapSandbox().why_unusable()
    return Room(ProcessSandbox.kind, reason) if reason else Room(BwrapSandbox.kind)


def _unwatched(_: str) -> AbstractContextManager[Watcher]:
    return nullcontext(Nobody())


def prepare_split(registry: Registry, watch: Watch = _unwatched) -> tuple[str, ...]:
    """Prepare what is not prepared yet; returns the ids of the competitions.

    Args:
        registry: Which data folder.
        watch: For each competition, what is told how far it is.
    """
    ids = tuple(registry.get_split(SPLIT))
    with written_folder(registry.get_data_dir(), "--data-dir"):
        for competition_id in ids:
            with watch(competition_id) as watcher:
                prepare(registry.get_competition(competition_id), watcher=watcher)
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


def run_all(
    several: Sequence[Campaign], runs_dir: Path, on_begin: OnBegin, on_log: OnLog
) -> list[RunGroup]:
    """Run one campaign after the other; returns their groups.

    Args:
        several: The campaigns.
        runs_dir: Where the groups of an interrupted quickstart are, and new ones go.
        on_begin: Called with each group, maybe a finished one; makes what follows its runs.
        on_log: Called with each line that grading processes log.
    """
    series = Series(runs_dir, COMMAND, several)
    groups = []
    for campaign in several:
        group = series.open_group(campaign)
        campaign.run(group, on_begin(group), on_log=on_log)
        groups.append(group)
    return groups


def exit_code_of_groups(groups: Sequence[RunGroup]) -> int:
    """The exit code of all groups: the gravest end of a run decides, then an agent without scores.

    It is the one that `run` would give for that agent.
    """
    several = [group.state.runs() for group in groups]
    codes = [exit_code_of_runs(runs, is_graded=True) for runs in several]
    in_all = exit_code_of_runs([run for runs in several for run in runs], is_graded=True)
    return next(filter(None, (in_all, *codes)), 0)


def standings(groups: Iterable[RunGroup]) -> list[Standing]:
    """How all agents did, competition by competition."""
    found = []
    for group in groups:
        runs = group.state.runs()
        for competition_id in dict.fromkeys(run.competition_id for run in runs):
            own = [run for run in runs if run.competition_id == competition_id]
            reports = [CompetitionReport.from_dict(run.report) for run in own if run.report]
            found.append(_standing(group.agent_id, competition_id, reports, len(own)))
    return sorted(found, key=lambda one: one.competition_id)


def all_medals(found: Iterable[Standing], agent_id: str) -> Counter[Medal]:
    """The medals that an agent won in all competitions together."""
    return sum((Counter(one.medals) for one in found if one.agent_id == agent_id), Counter[Medal]())


def _standing(
    agent_id: str, competition_id: str, reports: Sequence[CompetitionReport], attempts: int
) -> Standing:
    scores = [report.score for report in reports if report.score is not None]
    places = [report.percentile for report in reports if report.percentile is not None]
    won = Counter(report.medal for report in reports)
    directions = (report.is_lower_better for report in reports)
    return Standing(
        agent_id,
        competition_id,
        next((report.metric for report in reports if report.metric), ""),
        next((known for known in directions if known is not None), None),
        statistics.fmean(scores) if scores else None,
        statistics.fmean(places) if places else None,
        {medal: won[medal] for medal in MEDALS if won[medal]},
        sum(report.valid_submission for report in reports),
        attempts,
    )
