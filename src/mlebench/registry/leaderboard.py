"""Medals, thresholds and percentiles on a Kaggle leaderboard.

A leaderboard is a list of scores, best first. Medal positions depend on the number of
teams; ties with a threshold win the medal, while beating the median is strict.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mlebench.errors import ConfigError
from mlebench.registry.facts import FACTS_FILE, LeaderboardFacts, stated_direction
from mlebench.registry.scores_file import read_scores, require_short
from mlebench.stamps import Stamp, file_stamp

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

Medal = Literal["gold", "silver", "bronze"]


@dataclass(frozen=True)
class Thresholds:
    """The scores that decide about medals, and the median of all teams."""

    gold: float
    silver: float
    bronze: float
    median: float


@dataclass(frozen=True)
class Standing:
    """What a score is worth on a leaderboard."""

    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    percentile: float | None

    @property
    def medal(self) -> Medal | None:
        """The medal won, if any."""
        return medal_won(self.gold_medal, self.silver_medal, self.bronze_medal)


NO_STANDING = Standing(False, False, False, False, None)


def _require_finite(what: str, numbers: npt.ArrayLike) -> None:
    import numpy as np

    if not np.isfinite(np.asarray(numbers, dtype=np.float64)).all():
        raise ConfigError(f"The {what} of a leaderboard must be finite numbers.")


def require_order(what: object, scores: npt.NDArray[np.float64], lower_is_better: bool) -> None:
    """Refuse a list that is not in the order of a metric with this direction.

    Raises:
        ConfigError: It is not.
    """
    import numpy as np

    steps = np.diff(scores if lower_is_better else -scores)
    if not (steps < 0).any():
        return
    declared, other = ("lower", "higher") if lower_is_better else ("higher", "lower")
    if not (steps > 0).any():
        raise ConfigError(
            f"{what} contradicts the facts: it runs from {scores[0]:g} to {scores[-1]:g}, but "
            f"{declared} is better ({stated_direction(lower_is_better)} in {FACTS_FILE}). Put the "
            f"best team first, or, if {other} is better, change the fact."
        )
    place = int(np.argmax(steps < 0))
    raise ConfigError(
        f"{what} is not in rank order: team {place + 2} has {scores[place + 1]:g}, which is better "
        f"than the {scores[place]:g} before it, as {declared} is better. Sort it, best team first."
    )


def medal_won(gold: bool, silver: bool, bronze: bool) -> Medal | None:
    """The name of the one medal that was won."""
    return "gold" if gold else "silver" if silver else "bronze" if bronze else None


def medal_positions(teams: int) -> tuple[int, int, int]:
    """Ranks, counted from 1, of the last gold, silver and bronze medal."""
    if teams < 1:
        raise ValueError("Number of teams in leaderboard must be greater than 0.")
    if teams < 250:
        gold = max(1, int(0.1 * teams)) if teams < 100 else 10
        return gold, max(1, int(0.2 * teams)), max(1, int(0.4 * teams))
    gold = 10 + int(0.002 * teams)
    if teams < 1000:
        return gold, 50, 100
    return gold, max(1, int(0.05 * teams)), max(1, int(0.1 * teams))


@dataclass(frozen=True)
class Leaderboard:
    """Scores of all teams, best first.

    Attributes:
        scores: One score a team.
        lower_is_better: The direction of the metric.
        thresholds: Medal and median scores.
        rebuilt: True if the scores between the published figures are interpolated;
            thresholds, medal positions and median are exact either way.
        has_percentiles: False if so little is published that a percentile would be invented.
    """

    scores: npt.NDArray[np.float64]
    lower_is_better: bool
    thresholds: Thresholds
    rebuilt: bool = False
    has_percentiles: bool = True

    @classmethod
    def from_scores(cls, scores: npt.ArrayLike, lower_is_better: bool | None = None) -> Leaderboard:
        """A leaderboard from a full list in rank order; the order tells the direction."""
        import numpy as np

        values = np.array(scores, dtype=np.float64)
        values.flags.writeable = False  # boards are kept, and many reports rely on them
        _require_finite("scores", values)
        gold, silver, bronze = medal_positions(len(values))
        if lower_is_better is None:
            lower_is_better = bool(values[0] < values[-1])
        thresholds = Thresholds(
            gold=float(values[gold - 1]),
            silver=float(values[silver - 1]),
            bronze=float(values[bronze - 1]),
            median=float(np.median(values / 2) * 2),  # halves, lest two huge scores overflow
        )
        return cls(values, lower_is_better, thresholds)

    @classmethod
    @cache
    def from_facts(cls, facts: LeaderboardFacts, lower_is_better: bool) -> Leaderboard:
        """A leaderboard of the right length from published figures."""
        _require_finite("figures", [facts.gold, facts.silver, facts.bronze, facts.median])
        _require_direction(_percentiles(facts), lower_is_better)
        thresholds = Thresholds(facts.gold, facts.silver, facts.bronze, facts.median)
        return cls(
            _rebuild(facts),
            lower_is_better,
            thresholds,
            rebuilt=True,
            has_percentiles=bool(facts.percentiles.strip()),
        )

    @classmethod
    def from_csv(cls, path: Path, lower_is_better: bool | None = None) -> Leaderboard:
        """A leaderboard from a csv with one row a team, best first.

        Raises:
            ConfigError: It is none, or its order is not that of the declared direction.
        """
        require_short(path)
        if not path.is_file():  # be it missing or a pipe
            return cls._read_csv(path, lower_is_better)
        return cls._kept_from_csv(path, file_stamp(path), lower_is_better)

    @classmethod
    @lru_cache(maxsize=100)
    def _kept_from_csv(cls, path: Path, stamp: Stamp, lower_is_better: bool | None) -> Leaderboard:
        """The same for the file with this stamp; every report asks for the board."""
        return cls._read_csv(path, lower_is_better)

    @classmethod
    def _read_csv(cls, path: Path, lower_is_better: bool | None) -> Leaderboard:
        scores, rebuilt = read_scores(path)
        if lower_is_better is not None:
            require_order(path, scores, lower_is_better)
        board = cls.from_scores(scores, lower_is_better)
        return cls(board.scores, board.lower_is_better, board.thresholds, rebuilt)

    def standing(self, score: float | None) -> Standing:
        """Medal, median and percentile of a score; nothing is won without one."""
        if score is None or math.isnan(score):
            return NO_STANDING
        limits = self.thresholds
        gold = self._reaches(score, limits.gold)
        silver = not gold and self._reaches(score, limits.silver)
        bronze = not (gold or silver) and self._reaches(score, limits.bronze)
        above = score < limits.median if self.lower_is_better else score > limits.median
        return Standing(gold, silver, bronze, above, self.percentile(score))

    def percentile(self, score: float) -> float | None:
        """The share of teams, in percent, that did no better than this score, if known."""
        if not self.has_percentiles:
            return None
        better = self.scores < score if self.lower_is_better else self.scores > score
        return round(100.0 * (1.0 - float(better.mean())), 2)

    def figures(self) -> dict[str, Any]:
        """What decides about medals and percentiles, in the form that facts state it in."""
        teams = len(self.scores)
        ranks = (max(1, -(-percent * teams // 100)) for percent in range(101))
        percentiles = [float(self.scores[rank - 1]) for rank in ranks]
        return {"teams": teams, **asdict(self.thresholds), "percentiles": percentiles}

    def to_frame(self) -> pd.DataFrame:
        """The table clients of the original expect, with a mark if it is rebuilt."""
        import pandas as pd

        frame = pd.DataFrame({"score": self.scores, "rebuilt": self.rebuilt})
        frame.attrs["rebuilt"] = self.rebuilt
        return frame

    def _reaches(self, score: float, threshold: float) -> bool:
        return score <= threshold if self.lower_is_better else score >= threshold


def _rebuild(facts: LeaderboardFacts) -> npt.NDArray[np.float64]:
    """Scores of all ranks, exact wherever a figure is published, straight in between."""
    import numpy as np

    teams = facts.teams
    known = {1: facts.gold, teams: facts.median}
    for percent, score in enumerate(_percentiles(facts)):
        known[max(1, -(-percent * teams // 100))] = score
    positions = medal_positions(teams)
    known |= dict(zip(positions, (facts.gold, facts.silver, facts.bronze), strict=True))
    middle = (teams + 1) // 2
    if teams % 2:
        known[middle] = facts.median
    else:
        # The two middle teams must average to the median; the lower one is published.
        known[middle + 1] = 2 * facts.median - known.setdefault(middle, facts.median)
    ranks = np.array(sorted(known), dtype=np.float64)
    scores = np.array([known[int(rank)] for rank in ranks])
    rebuilt: npt.NDArray[np.float64] = np.interp(np.arange(1, teams + 1), ranks, scores)
    rebuilt.flags.writeable = False
    return rebuilt


def _require_direction(percentiles: list[float], lower_is_better: bool) -> None:
    better = [score if lower_is_better else -score for score in percentiles]
    if better != sorted(better):
        word = "lower" if lower_is_better else "higher"
        raise ConfigError(
            f"leaderboard.percentiles are not in rank order: the best score comes first, and "
            f"{word} is better ({stated_direction(lower_is_better)})."
        )


def _percentiles(facts: LeaderboardFacts) -> list[float]:
    try:
        scores = [float(text) for text in facts.percentiles.split()]
    except ValueError as error:
        raise ConfigError(
            f"leaderboard.percentiles are numbers with blanks between ({error})."
        ) from error
    if len(scores) not in (0, 101):
        raise ConfigError(
            "leaderboard.percentiles are 101 numbers, for 0 to 100 percent of the teams, not "
            f"{len(scores)}; leave them out if they are not known."
        )
    _require_finite("percentiles", scores)
    return scores
