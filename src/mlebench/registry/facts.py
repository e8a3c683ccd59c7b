"""What is known about a competition without its data: ``competition.yaml``, typed.

Reading facts must stay cheap, because listing all competitions reads all of them;
nothing heavier than the YAML parser is imported here.
"""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Literal, Protocol, TypeVar, get_args

import msgspec

from mlebench.errors import ConfigError
from mlebench.registry.yaml_files import load_yaml, read_text

FACTS_FILE = "competition.yaml"
TASK_FILE = "task.py"
FIXTURE_FILE = "fixture.py"
ORIGINAL_FILE = "config.yaml"
RAW_FOLDER = "raw"  # beside the facts, where a competition brings its raw data along

MOST_TEAMS = 1_000_000

Complexity = Literal["low", "medium", "high", "dev", "mini", "user"]
LeaderboardOf = Literal["teams", "reference solutions"]
REFERENCE: LeaderboardOf = "reference solutions"
Edition = Literal["v1", "v2"]


class LeaderboardFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of the real leaderboard that medals and percentiles need."""

    teams: int
    """How many teams took part."""
    gold: float
    """The score of the last team with a gold medal."""
    silver: float
    """The same for silver."""
    bronze: float
    """The same for bronze."""
    median: float
    """The median score of all teams."""
    percentiles: str = ""
    """Scores at rank max(1, ceil(p * teams / 100)) for p = 0..100, blank-separated.

    Kept as text because it is needed seldom and costs time to parse.
    """


class KnownIssue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published weakness of the task, kept in the edition that reproduces it."""

    text: str
    """What is wrong, for people."""
    severity: Literal["minor", "major"] = "minor"
    """Whether it changes who wins."""
    kind: Literal["data", "grading", "leak", "leaderboard", "description"] = "data"
    """What it is about."""
    fixed_in: Edition | None = None
    """The edition that mends it, if one does."""


class Bundled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raw data that come with the competition, in the folder `raw` beside its facts."""

    origin: str
    """Who made them, and what they were taken from."""
    licence: str
    """On what terms everybody may pass them on."""
    also_in: tuple[str, ...] = ()
    """Files of Python packages that hold the same, which rooms hide from agents."""


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything about a competition that is a fact rather than a function."""

    id: str
    """The name of the folder."""
    title: str
    """The name that people read."""
    metric: str
    """The metric as people call it."""
    grader_name: str | None = None
    """The metric as programs know it from the original; by default the same."""
    lower_is_better: bool
    """The direction of the metric, with or without a leaderboard."""
    best_score: float | None = None
    """What nothing can beat, where that is known; infinite where there is no limit."""
    answers: str
    """The file of the answers, below the prepared folder."""
    sample_submission: str
    """The file of the sample submission, below the prepared folder."""
    gold_submission: str | None = None
    """The file of a perfect submission; by default the answers, which must then be a valid one."""
    compare_by_content: tuple[str, ...] = ()
    """Prepared files whose bytes depend on the library that writes them."""
    category: str = "Other"
    """What it is about, as Kaggle groups competitions."""
    complexity: Complexity = "user"
    """The split it belongs to; competitions of users belong to none."""
    competition_type: Literal["simple", "code"] = "simple"
    """Whether Kaggle took files or programs."""
    awards_medals: bool = False
    """Whether Kaggle counted its medals."""
    size_gb: float | None = None
    """The size of the download."""
    sample_score: float | None = None
    """The score of the sample submission on the real data."""
    leaderboard: LeaderboardFacts | None = None
    """The figures that decide about medals, unless there is a `leaderboard.csv`."""
    leaderboard_of: LeaderboardOf = "teams"
    """Whose scores decide about medals: those of teams, or of recorded reference solutions."""
    bundled: Bundled | None = None
    """Raw data that come with the competition, so that nothing has to be downloaded."""
    known_issues: tuple[KnownIssue, ...] = ()
    """What is known to be wrong with it."""


class _WithId(Protocol):
    @property
    def id(self) -> str: ...


Described = TypeVar("Described", bound=_WithId)


def require_edition(name: str) -> None:
    """Raise unless there is an edition of this name."""
    if name not in get_args(Edition):
        raise ConfigError(f"There is no edition {name!r}; choose v1 or v2.")


def load_facts(folder: Path) -> Facts:
    """Read and check ``competition.yaml`` of a competition folder."""
    facts = load_typed(folder / FACTS_FILE, Facts)
    for name in ("answers", "sample_submission", "gold_submission"):
        stated = PurePath(getattr(facts, name) or ".")
        if stated.is_absolute() or ".." in stated.parts:
            raise ConfigError(
                f"{folder / FACTS_FILE}: {name} must be a path below the prepared folder, such as "
                f"private/test.csv, not {stated}."
            )
    if facts.leaderboard and (wrong := _contradiction(facts.leaderboard, facts.lower_is_better)):
        raise ConfigError(f"{folder / FACTS_FILE}: {wrong}")
    return facts


def stated_direction(lower_is_better: bool) -> str:
    """The direction of a metric as ``competition.yaml`` states it."""
    return f"lower_is_better: {str(lower_is_better).lower()}"


def _contradiction(figures: LeaderboardFacts, lower_is_better: bool) -> str | None:
    """Why the figures cannot be those of a leaderboard with this direction, if they cannot."""
    if not 1 <= figures.teams <= MOST_TEAMS:
        return f"leaderboard.teams is {figures.teams}; expected 1 to {MOST_TEAMS:,}."
    known = [(name, getattr(figures, name)) for name in ("gold", "silver", "bronze", "median")]
    for name, score in known:
        if not math.isfinite(score):
            return f"leaderboard.{name} is {score}; it must be a finite number."
    for (better, score), (worse, other) in pairwise(known):
        if score > other if lower_is_better else score < other:
            relation, word = ("above", "lower") if lower_is_better else ("below", "higher")
            return (
                f"leaderboard.{better} ({score:g}) is {relation} leaderboard.{worse} ({other:g}), "
                f"but {word} is better ({stated_direction(lower_is_better)}). Mend the figures, or "
                "the direction."
            )
    return None


def load_typed(path: Path, kind: type[Described]) -> Described:
    """A YAML file of a competition folder in its declared form; its id names the folder."""
    try:
        described = msgspec.convert(load_yaml(path, strict=path.name == FACTS_FILE), kind)
    except msgspec.ValidationError as error:
        from mlebench.registry.mistakes import describe_field

        raise ConfigError(f"{path}: {describe_field(str(error), read_text(path), kind)}") from error
    if described.id != path.parent.name:
        from mlebench.registry.mistakes import at_line

        raise ConfigError(
            f"{path}: {at_line('id', read_text(path))}the id {described.id!r} must equal the "
            f"folder's name, {path.parent.name!r}."
        )
    return described
