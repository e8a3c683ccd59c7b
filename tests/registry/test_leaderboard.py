"""Medals, medians and percentiles; full leaderboards and those rebuilt from figures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import ConfigError
from mlebench.registry.facts import LeaderboardFacts
from mlebench.registry.leaderboard import Leaderboard, medal_positions
from tests.helpers import ALL_IDS, BUILT_IN, shared

# Ranks of the last gold, silver and bronze medal, by Kaggle's published rules.
MEDAL_RULES = {
    1: (1, 1, 1),
    4: (1, 1, 1),
    5: (1, 1, 2),
    9: (1, 1, 3),
    20: (2, 4, 8),
    99: (9, 19, 39),
    100: (10, 20, 40),
    249: (10, 49, 99),
    250: (10, 50, 100),
    499: (10, 50, 100),
    500: (11, 50, 100),
    999: (11, 50, 100),
    1000: (12, 50, 100),
    1001: (12, 50, 100),
    2288: (14, 114, 228),
    5000: (20, 250, 500),
}

every_competition = pytest.mark.parametrize("competition_id", ALL_IDS)


@pytest.mark.parametrize(("teams", "positions"), MEDAL_RULES.items())
def test_medal_positions_follow_kaggles_rules(teams: int, positions: tuple[int, ...]) -> None:
    assert medal_positions(teams) == positions


def test_there_are_no_medals_without_teams() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        medal_positions(0)


@given(st.integers(1, 20_000))
def test_medals_get_harder_and_fit_the_list(teams: int) -> None:
    gold, silver, bronze = medal_positions(teams)
    assert 1 <= gold <= max(silver, gold) <= teams
    assert silver <= bronze <= teams


@pytest.fixture(params=[False, True], ids=["higher is better", "lower is better"])
def board(request: pytest.FixtureRequest) -> Leaderboard:
    """A hundred teams with the scores 99 to 0, or -99 to 0 where lower is better."""
    scores = np.arange(99.0, -1, -1)
    return Leaderboard.from_scores(-scores if request.param else scores)


def signed(score: float, board: Leaderboard) -> float:
    return -score if board.lower_is_better else score


@pytest.mark.parametrize(
    ("score", "medal"),
    [
        (200, "gold"),
        (90, "gold"),
        (89.999, "silver"),
        (80, "silver"),
        (79.999, "bronze"),
        (60, "bronze"),
        (59.999, None),
        (-5, None),
        (math.inf, "gold"),
        (-math.inf, None),
    ],
)
def test_ties_with_a_threshold_win_its_medal(
    score: float, medal: str | None, board: Leaderboard
) -> None:
    standing = board.standing(signed(score, board))
    assert standing.medal == medal
    won = [standing.gold_medal, standing.silver_medal, standing.bronze_medal]
    assert sum(won) == (medal is not None)


@pytest.mark.parametrize(("score", "above"), [(49.5, False), (49.6, True), (49.4, False)])
def test_beating_the_median_is_strict(score: float, above: bool, board: Leaderboard) -> None:
    assert board.standing(signed(score, board)).above_median is above


@pytest.mark.parametrize(
    ("score", "percentile"), [(100, 100), (99, 100), (98, 99), (0, 1), (-1, 0)]
)
def test_percentile_is_the_share_of_teams_that_did_no_better(
    score: float, percentile: float, board: Leaderboard
) -> None:
    assert board.percentile(signed(score, board)) == percentile


@pytest.mark.parametrize("lower_is_better", [True, False])
def test_percentiles_of_the_other_direction_are_refused(lower_is_better: bool) -> None:
    sign = 1 if lower_is_better else -1
    percentiles = " ".join(str(sign * percent) for percent in reversed(range(101)))
    facts = LeaderboardFacts(
        teams=100, gold=0, silver=0, bronze=0, median=0, percentiles=percentiles
    )
    with pytest.raises(ConfigError, match="not in rank order"):
        Leaderboard.from_facts(facts, lower_is_better)


@pytest.mark.parametrize("percentiles", ["", " \n"])
def test_percentiles_are_not_invented(percentiles: str) -> None:
    figures = LeaderboardFacts(
        teams=100, gold=0.9, silver=0.8, bronze=0.7, median=0.5, percentiles=percentiles
    )
    board = Leaderboard.from_facts(figures, lower_is_better=False)
    for score, medal in {0.95: "gold", 0.8: "silver", 0.75: "bronze", 0.6: None}.items():
        standing = board.standing(score)
        assert (standing.medal, standing.above_median) == (medal, True)
        assert standing.percentile is None
    assert len(board.scores) == 100
    assert board.to_frame().attrs["rebuilt"]


@pytest.mark.parametrize("score", [None, math.nan])
def test_nothing_is_won_without_a_score(score: float | None, board: Leaderboard) -> None:
    standing = board.standing(score)
    assert (standing.medal, standing.above_median, standing.percentile) == (None, False, None)


def test_direction_is_read_off_the_order() -> None:
    assert Leaderboard.from_scores([1.0, 2.0]).lower_is_better
    assert not Leaderboard.from_scores([2.0, 1.0]).lower_is_better
    assert not Leaderboard.from_scores([1.0, 1.0]).lower_is_better
    assert Leaderboard.from_scores([1.0, 1.0], lower_is_better=True).lower_is_better


@pytest.mark.parametrize("column", ["score", "Score"])
def test_csv_is_read_without_its_gaps(column: str, tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text(f"team,{column}\na,3\nb,\nc,1\n")
    board = Leaderboard.from_csv(path)
    assert board.scores.tolist() == [3, 1]
    assert not board.rebuilt


@pytest.mark.parametrize(("cell", "rebuilt"), [("True", True), ("False", False), ("", False)])
def test_csv_says_whether_it_is_rebuilt(cell: str, rebuilt: bool, tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text(f"score,rebuilt\n3,{cell}\n1,{cell}\n")
    assert Leaderboard.from_csv(path).rebuilt is rebuilt


def test_csv_without_scores_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n")
    with pytest.raises(ConfigError, match="git-lfs"):
        Leaderboard.from_csv(path)


@every_competition
class TestBuiltIn:
    """The figures of all competitions."""

    @staticmethod
    def rebuilt(competition_id: str) -> Leaderboard:
        facts = BUILT_IN.get_facts(competition_id)
        assert facts.leaderboard is not None
        return Leaderboard.from_facts(facts.leaderboard, facts.lower_is_better)

    def test_rebuilt_list_is_as_long_as_the_real_one(self, competition_id: str) -> None:
        facts = BUILT_IN.get_facts(competition_id).leaderboard
        assert facts is not None
        board = self.rebuilt(competition_id)
        assert len(board.scores) == facts.teams
        assert len(facts.percentiles.split()) == 101
        assert board.rebuilt

    def test_rebuilt_list_gives_the_published_thresholds(self, competition_id: str) -> None:
        board = self.rebuilt(competition_id)
        again = Leaderboard.from_scores(board.scores, board.lower_is_better).thresholds
        assert (again.gold, again.silver, again.bronze) == (
            board.thresholds.gold,
            board.thresholds.silver,
            board.thresholds.bronze,
        )
        assert again.median == pytest.approx(board.thresholds.median, rel=1e-12)

    def test_rebuilt_list_is_in_rank_order(self, competition_id: str) -> None:
        board = self.rebuilt(competition_id)
        steps = np.diff(board.scores)
        assert (steps >= 0).all() if board.lower_is_better else (steps <= 0).all()

    def test_direction_agrees_with_the_list(self, competition_id: str) -> None:
        board = self.rebuilt(competition_id)
        assert Leaderboard.from_scores(board.scores).lower_is_better == board.lower_is_better

    def test_thresholds_are_those_of_the_full_list(
        self, competition_id: str, shared_dir: Path
    ) -> None:
        full = self.full(competition_id, shared_dir)
        facts = BUILT_IN.get_facts(competition_id).leaderboard
        assert facts is not None
        assert facts.teams == len(full.scores)
        assert self.rebuilt(competition_id).thresholds == full.thresholds
        assert self.rebuilt(competition_id).lower_is_better == full.lower_is_better

    def test_percentiles_are_close_to_those_of_the_full_list(
        self, competition_id: str, shared_dir: Path
    ) -> None:
        full, rebuilt = self.full(competition_id, shared_dir), self.rebuilt(competition_id)
        tried = full.scores[:: max(1, len(full.scores) // 200)]
        errors = [abs((full.percentile(s) or 0) - (rebuilt.percentile(s) or 0)) for s in tried]
        assert max(errors) <= 1.5

    @staticmethod
    def full(competition_id: str, shared_dir: Path) -> Leaderboard:
        path = shared(shared_dir, "leaderboards", "full", f"{competition_id}.csv")
        return Leaderboard.from_csv(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is empty"),
        ("score\n", "holds no scores"),
        ("score\n\n\n", "holds no scores"),
        ("score\nmuch\nlittle\n", "'much' for team 1, which is no finite number"),
        ("score\n3\n2\nx\n", "'x' for team 3"),
        ("score\n3\ninf\n", "'inf' for team 2"),
        ("\0\0", "no column named score"),
        ("team,points\na,1\n", "no column named score; it has team, points"),
        ('score\n"1', "is no csv"),
        ("team,score\na,b,0.5\nc,d,0.4\n", "has rows with more cells than the header names"),
        ("team,score\na,0.5,\nc,0.4,\n", "has rows with more cells than the header names"),
    ],
)
def test_a_file_that_is_no_leaderboard_is_told_why(
    content: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        Leaderboard.from_csv(path)
    assert f"{path} " in str(caught.value)
    assert reason in str(caught.value)
    assert "mend the file, or remove it" in str(caught.value)


@pytest.mark.parametrize(
    ("scores", "lower_is_better", "reason"),
    [
        ([1, 2, 3], False, "it runs from 1 to 3, but higher is better"),
        ([3, 2, 2], True, "it runs from 3 to 2, but lower is better"),
        ([1, 3, 2], True, "team 3 has 2, which is better than the 3 before it"),
        ([3, 1, 2], False, "team 3 has 2, which is better than the 1 before it"),
    ],
)
def test_an_order_that_contradicts_the_direction_is_refused(
    scores: list[int], lower_is_better: bool, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("score\n" + "".join(f"{score}\n" for score in scores))
    with pytest.raises(ConfigError) as caught:
        Leaderboard.from_csv(path, lower_is_better)
    assert reason in str(caught.value)
    assert str(path) in str(caught.value)
    assert "best team first" in str(caught.value).lower()


@pytest.mark.parametrize("lower_is_better", [True, False])
def test_equal_scores_contradict_nothing(lower_is_better: bool, tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("score\n1\n1\n")
    assert Leaderboard.from_csv(path, lower_is_better).lower_is_better == lower_is_better
