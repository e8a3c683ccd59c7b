"""What is known about a competition without its data: ``competition.yaml``, typed.

Reading facts must stay cheap, because listing all competitions reads all of them;
nothing heavier than the YAML parser is imported here.
"""

from __future__ import annotations

import math
import re
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from mlebench.errors import ConfigError

FACTS_FILE = "competition.yaml"
TASK_FILE = "task.py"
ORIGINAL_FILE = "config.yaml"

DEEPEST_YAML = 1000
LONGEST_TEXT = 10_000_000
MOST_TEAMS = 1_000_000

Complexity = Literal["low", "medium", "high", "dev", "user"]
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
    known_issues: tuple[KnownIssue, ...] = ()
    """What is known to be wrong with it."""


FIELDS = tuple(
    name for kind in (Facts, LeaderboardFacts, KnownIssue) for name in kind.__struct_fields__
)


class _WithId(Protocol):
    @property
    def id(self) -> str: ...


Described = TypeVar("Described", bound=_WithId)


def load_yaml(path: Path) -> Any:
    """Parse a YAML file with the compiled loader where the platform has it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = read_text(path)
    if _may_be_deep(text):
        raise ConfigError(f"{path} is nested too deeply.")
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 (a safe one)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from error


def _may_be_deep(text: str) -> bool:
    """Whether a YAML text might be nested so deeply that the compiled loader would crash."""
    if text.count("[") + text.count("{") > DEEPEST_YAML:
        steps = ({"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0) for sign in text)
        if max(accumulate(steps)) > DEEPEST_YAML:
            return True
    nested = ("- - ", "- ? ", "? - ", "? ? ", " " * DEEPEST_YAML)
    return any(mark in text for mark in nested) and bool(
        re.search(rf"[ \-?:]{{{DEEPEST_YAML}}}", text)
    )


def read_text(path: Path) -> str:
    """The text of a file that belongs to a competition.

    Raises:
        ConfigError: It is not UTF-8, or much longer than anybody writes.
    """
    with path.open("rb") as file:
        content = file.read(LONGEST_TEXT + 1)
    if len(content) > LONGEST_TEXT:
        raise ConfigError(f"{path} is too long: more than {LONGEST_TEXT:,} bytes.")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text; save it as UTF-8.") from error


def load_facts(folder: Path) -> Facts:
    """Read and check ``competition.yaml`` of a competition folder."""
    facts = load_typed(folder / FACTS_FILE, Facts)
    if facts.leaderboard and (wrong := _contradiction(facts.leaderboard, facts.lower_is_better)):
        raise ConfigError(f"{folder / FACTS_FILE}: {wrong}")
    return facts


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
                f"but {word} is better (lower_is_better: {str(lower_is_better).lower()}). Mend the "
                "figures, or the direction."
            )
    return None


def load_typed(path: Path, kind: type[Described]) -> Described:
    """A YAML file of a competition folder in its declared form; its id names the folder."""
    try:
        described = msgspec.convert(load_yaml(path), kind)
    except msgspec.ValidationError as error:
        from mlebench.registry.mistakes import describe_field

        raise ConfigError(
            f"{path}: {describe_field(str(error), read_text(path), FIELDS)}"
        ) from error
    if described.id != path.parent.name:
        raise ConfigError(f"{path}: the id {described.id!r} must equal the folder's name.")
    return described
