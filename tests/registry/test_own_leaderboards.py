"""Leaderboards of users' own competitions: medals where there are figures, sense in any case."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return add_competition(tmp_path / "competitions", "mine")


def load(folder: Path) -> Competition:
    return Registry(folder.parent.parent / "data", [folder.parent]).get_competition("mine")


def change_facts(folder: Path, **changes: object) -> None:
    path = folder / "competition.yaml"
    facts = yaml.safe_load(path.read_text()) | changes
    path.write_text(yaml.safe_dump({name: fact for name, fact in facts.items() if fact != "gone"}))


@pytest.mark.parametrize("lower_is_better", [True, False])
def test_without_figures_the_facts_tell_the_direction(folder: Path, lower_is_better: bool) -> None:
    change_facts(folder, leaderboard="gone", lower_is_better=lower_is_better)
    competition = load(folder)
    prepare(competition, fixture=True)
    report = grade_csv(competition.sample_submission, competition)
    assert report.is_lower_better is lower_is_better
    assert report.score is not None
    assert report.percentile is report.medal is report.gold_threshold is None
    assert not report.above_median


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"gold": 3.0},
            "leaderboard.gold (3) is above leaderboard.silver (1), but lower is better",
        ),
        ({"median": 0.1}, "leaderboard.bronze (2) is above leaderboard.median (0.1)"),
        ({"teams": 0}, "leaderboard.teams is 0; expected 1 to"),
        ({"teams": 10**12}, "leaderboard.teams is 1000000000000; expected 1 to"),
        ({"silver": float("nan")}, "leaderboard.silver is nan; it must be a finite number"),
    ],
)
def test_figures_that_make_no_sense_are_refused(
    folder: Path, changes: dict[str, object], reason: str
) -> None:
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    change_facts(folder, leaderboard=facts["leaderboard"] | changes)
    with pytest.raises(ConfigError) as caught:
        load(folder)
    assert f"{folder / 'competition.yaml'}: {reason}" in str(caught.value)


def test_figures_that_contradict_the_direction_are_refused(folder: Path) -> None:
    change_facts(folder, lower_is_better=False)
    with pytest.raises(ConfigError, match=r"higher is better \(lower_is_better: false\)"):
        load(folder)


@pytest.mark.parametrize("percentiles", ["a b", "1 2 3", " ".join(["inf"] * 101)])
def test_percentiles_that_are_none_are_refused(folder: Path, percentiles: str) -> None:
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    change_facts(folder, leaderboard=facts["leaderboard"] | {"percentiles": percentiles})
    with pytest.raises(ConfigError, match=r"competition\.yaml of mine: .*percentiles"):
        load(folder).load_leaderboard()


def test_a_file_that_contradicts_the_facts_is_refused(folder: Path) -> None:
    (folder / "leaderboard.csv").write_text("score\n0.9\n0.8\n")
    with pytest.raises(ConfigError, match=r"leaderboard\.csv contradicts the facts") as caught:
        load(folder).load_leaderboard()
    assert "lower_is_better: true in competition.yaml" in str(caught.value)
