"""A competition: its facts, where its data lie, and its functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import ismethod
from pathlib import Path
from typing import Any, cast

import msgspec

from mlebench.errors import ConfigError
from mlebench.registry.facts import Edition, Facts
from mlebench.registry.grader import Grader
from mlebench.registry.leaderboard import Leaderboard
from mlebench.registry.rebuilt import is_rebuilt_csv, rebuilt_csv, rebuilt_leaderboard
from mlebench.registry.task import Task

LEADERBOARD_FILE = "leaderboard.csv"
# Where the prepared data of an edition lie, below the competition's folder of data.
PREPARED_DIRS: dict[Edition, str] = {"v1": "prepared", "v2": "prepared-v2"}


class _LeaderboardPath:
    """The field `Competition.leaderboard`: a csv that exists by the time it is looked at.

    Programs read this path as a file. Where no full list is at hand, the list rebuilt from
    the published percentiles is written to the cache on first access.
    """

    def __get__(self, competition: Competition | None, owner: type) -> Path | None:
        if competition is None:
            return None  # the default value of the dataclass field
        if given := competition.__dict__.get("leaderboard"):
            return cast(Path, given)
        figures = competition.facts.leaderboard
        if figures is None:
            return competition.folder / LEADERBOARD_FILE
        return rebuilt_csv(competition.facts, figures)

    def __set__(self, competition: Competition, path: Path | _LeaderboardPath | None) -> None:
        # Copies made by `dataclasses.replace` are handed the rebuilt list as if it were given.
        if isinstance(path, Path) and is_rebuilt_csv(path, competition.facts):
            path = None
        competition.__dict__["leaderboard"] = None if path is self else path


@dataclass(frozen=True, eq=False, repr=False)
class Competition:
    """Everything mlebench knows about one competition.

    Fourteen of the attributes are those of the original. The object is immutable; use
    `dataclasses.replace` for a changed copy. Printing, comparing and hashing it touch no file.

    Attributes:
        id: The Kaggle slug.
        name: The title.
        description: What the participant reads, in Markdown.
        grader: Scores a table against the answers.
        answers: The held-out truth.
        gold_submission: A perfect submission.
        sample_submission: An example in the right form.
        competition_type: ``simple`` or ``code``.
        prepare_fn: Turns raw data into public files and answers.
        raw_dir: The unpacked download.
        private_dir: The prepared answers.
        public_dir: What an agent sees.
        checksums: The published md5 sums.
        leaderboard: A csv of all teams' scores, best first; rebuilt from the published
            percentiles where no full list is at hand.
        facts: Metric, thresholds, sizes, known issues.
        task: The functions in the chosen edition; none for folders in the original's format.
        folder: The competition's folder.
    """

    id: str
    name: str
    description: str
    grader: Grader
    answers: Path
    gold_submission: Path
    sample_submission: Path
    competition_type: str
    prepare_fn: Callable[..., Any]
    raw_dir: Path
    private_dir: Path
    public_dir: Path
    checksums: Path
    facts: Facts
    folder: Path
    task: Task | None = None
    leaderboard: Path = field(default=cast(Path, _LeaderboardPath()))

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Competition:
        """A competition from the original's fourteen attributes.

        Paths may be texts, the grader a dict, the prepare function an import string.
        """
        from mlebench.registry.from_dict import competition_from_dict

        return competition_from_dict(data)

    def __repr__(self) -> str:
        place = str(self.prepared_dir)
        return f"Competition(id={self.id!r}, edition={self.edition!r}, prepared_dir={place!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Competition):
            return NotImplemented
        return self is other or self._comparable() == other._comparable()

    def __hash__(self) -> int:
        return hash((self.id, self.edition, self.folder, self.public_dir, self.answers))

    def _comparable(self) -> dict[str, Any]:
        """All attributes in a form in which equal ones are equal, unlike methods and NaN."""
        return self.__dict__ | {
            "facts": msgspec.json.encode(self.facts),
            "grader": (self.grader.name, _unbound(self.grader.grade_fn)),
            "prepare_fn": _unbound(self.prepare_fn),
        }

    @property
    def edition(self) -> Edition:
        """The edition whose data and scores these are."""
        return self.task.edition if self.task else "v1"

    @property
    def own_task(self) -> Task | None:
        """The task, unless somebody exchanged its grader for a mere function."""
        is_own = self.task is not None and self.grader.grade_fn == self.task.grade
        return self.task if is_own else None

    @property
    def prepared_dir(self) -> Path:
        """The folder of the prepared data in this edition."""
        return self.public_dir.parent

    @property
    def data_dir(self) -> Path:
        """The competition's own folder of data."""
        return self.prepared_dir.parent

    @property
    def has_full_leaderboard(self) -> bool:
        """Whether every team's score is known, rather than percentiles."""
        return self.__dict__.get("leaderboard") is not None

    @property
    def has_leaderboard(self) -> bool:
        """Whether medals can be won; a user's own competition may do without."""
        return self.facts.leaderboard is not None or self.leaderboard.is_file()

    @property
    def is_lower_better(self) -> bool | None:
        """The declared direction; the original's format declares none, but has a leaderboard."""
        return self.facts.lower_is_better if self.task else None

    def load_leaderboard(self) -> Leaderboard:
        """All teams' scores: the full list where there is one, else rebuilt.

        Raises:
            ConfigError: There is neither, or it contradicts the facts.
        """
        if not self.has_leaderboard:
            raise ConfigError(
                f"{self.id} has no leaderboard. Put a csv with a column named score, best first, "
                f"at {self.leaderboard} to have medals."
            )
        if self.has_full_leaderboard or self.facts.leaderboard is None:
            return Leaderboard.from_csv(self.leaderboard, self.is_lower_better)
        return rebuilt_leaderboard(self.facts, self.facts.leaderboard)


def full_leaderboard(data: Path, folder: Path) -> Path | None:
    """A list of all teams' scores, if the user has one for this competition."""
    candidates = (data / LEADERBOARD_FILE, folder / LEADERBOARD_FILE)
    # Unlike Path, it takes a folder that must not be looked into for one without the file.
    return next((path for path in candidates if os.path.isfile(path)), None)  # noqa: PTH113


def _unbound(function: Callable[..., Any]) -> object:
    """Something that is equal for methods of equal objects, which the methods are not."""
    return (function.__func__, function.__self__) if ismethod(function) else function


def require_competition(given: object) -> None:
    """Raise if somebody gives the id of a competition in its place."""
    if isinstance(given, str):
        raise ConfigError(
            f"A competition is needed, not its id {given!r}: pass "
            f'registry.get_competition("{given}").'
        )
