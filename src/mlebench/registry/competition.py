"""A competition: its facts, where its data lie, and its functions."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from mlebench.errors import ConfigError
from mlebench.registry.facts import Edition, Facts
from mlebench.registry.grader import Grader
from mlebench.registry.leaderboard import Leaderboard
from mlebench.registry.task import Task

LEADERBOARD_FILE = "leaderboard.csv"


class _LeaderboardPath:
    """The field `Competition.leaderboard`: a csv that exists by the time it is looked at.

    Programs read this path as a file. Where no full list is at hand, the list rebuilt from
    the published percentiles is written to the cache on first access.
    """

    def __get__(self, competition: Competition | None, owner: type) -> Path | None:
        if competition is None:
            return None  # the default value of the dataclass field
        given = competition.__dict__.get("leaderboard")
        return given or _rebuilt_leaderboard(competition)

    def __set__(self, competition: Competition, path: Path | _LeaderboardPath | None) -> None:
        # Copies made by `dataclasses.replace` are handed the rebuilt list as if it were given.
        if path is self or (path is not None and path == _rebuilt_path(competition)):
            path = None
        competition.__dict__["leaderboard"] = path


@dataclass(frozen=True)
class Competition:
    """Everything mlebench knows about one competition.

    The first fourteen attributes are those of the original. The object is immutable; use
    `dataclasses.replace` for a changed copy.

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

    @property
    def edition(self) -> Edition:
        """The edition whose data and scores these are."""
        return self.task.edition if self.task else "v1"

    @property
    def judge(self) -> Task | None:
        """The declaration that judges submissions; none if `grader` is not the task's own."""
        is_own = self.task is not None and self.grader.grade_fn == self.task.grade
        return self.task if is_own else None

    @property
    def data_dir(self) -> Path:
        """The competition's own folder of data."""
        return self.public_dir.parent.parent

    @property
    def has_full_leaderboard(self) -> bool:
        """Whether every team's score is known, rather than percentiles."""
        return self.__dict__.get("leaderboard") is not None

    @property
    def has_leaderboard(self) -> bool:
        """Whether medals can be won; a user's own competition may do without."""
        return self.facts.leaderboard is not None or self.leaderboard.is_file()

    def load_leaderboard(self) -> Leaderboard:
        """All teams' scores: the full list where there is one, else rebuilt.

        Raises:
            ConfigError: There is neither.
        """
        if not self.has_leaderboard:
            raise ConfigError(
                f"{self.id} has no leaderboard. Put a csv with a column named score, best first, "
                f"at {self.leaderboard} to have medals."
            )
        if self.has_full_leaderboard or self.facts.leaderboard is None:
            direction = self.facts.lower_is_better if self.task else None
            return Leaderboard.from_csv(self.leaderboard, direction)
        return Leaderboard.from_facts(self.facts.leaderboard, self.facts.lower_is_better)


def full_leaderboard(data: Path, folder: Path) -> Path | None:
    """A list of all teams' scores, if the user has one for this competition."""
    candidates = (data / LEADERBOARD_FILE, folder / LEADERBOARD_FILE)
    return next((path for path in candidates if path.is_file()), None)


def _rebuilt_leaderboard(competition: Competition) -> Path:
    """The cached csv of the rebuilt list, written if it is not there yet."""
    if competition.facts.leaderboard is None:
        return competition.folder / LEADERBOARD_FILE
    path = _rebuilt_path(competition)
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        board = Leaderboard.from_facts(
            competition.facts.leaderboard, competition.facts.lower_is_better
        )
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".csv")
        os.close(handle)
        board.to_frame().to_csv(temporary, index=False)
        os.replace(temporary, path)
    return path


def _rebuilt_path(competition: Competition) -> Path:
    from mlebench.settings import cache_dir

    return cache_dir() / "leaderboards" / f"{competition.id}.rebuilt.csv"
