"""The split mini: real data that come with mlebench, and leaderboards of reference solutions."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pandas as pd
import pytest
from benchmarks.mini.record import FEWEST, PREFIX, score_of
from benchmarks.mini.solutions import COMPETITIONS, solutions_of

from mlebench.data import kaggle
from mlebench.data.inspecting import inspect
from mlebench.data.leaderboards import download_leaderboard
from mlebench.data.manifest import read_manifest
from mlebench.data.outlook import look_ahead
from mlebench.data.prepare import prepare
from mlebench.data.remedies import prepare_command
from mlebench.errors import ConfigError, DataSourceError, NoLeaderboardError
from mlebench.grading.single import grade_csv
from mlebench.preparing.tables import read_csv
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.leaderboard import medal_positions
from tests.command import run
from tests.helpers import BUILT_IN, MINI_IDS, add_competition

MOST_BYTES = 1_000_000
# Quick ones that any version of the libraries makes alike.
CHEAP = {
    "co2": ("last week", "median", "mean of the last year", "line"),
    "diamonds": ("mean price", "median price", "mean by cut", "linear in carat"),
    "digits": ("class shares", "nearest centre"),
    "gospels": ("always John", "always the longest book", "four words", "sixteen words"),
    "phishing": ("class shares", "logistic by https", "logistic by ip_in_url"),
    "segments": ("class shares", "tree of depth 1"),
}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """A registry with all six prepared, without anybody to ask at Kaggle."""
    registry = Registry(tmp_path_factory.mktemp("mini"), ())
    for name in MINI_IDS:
        assert prepare(registry.get_competition(name))
    return registry


every_one = pytest.mark.parametrize("competition_id", MINI_IDS)


@pytest.fixture(autouse=True)
def _without_kaggle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kaggle is out of the question."""

    def refuse(*_: object) -> None:
        raise AssertionError("Kaggle was asked")

    monkeypatch.setattr(kaggle.KaggleClient, "__init__", refuse)


def board(competition: Competition) -> pd.DataFrame:
    return pd.read_csv(competition.leaderboard)


@every_one
def test_data_are_real_and_verified(competition_id: str, real: Registry) -> None:
    competition = real.get_competition(competition_id)
    manifest = read_manifest(competition)
    assert manifest is not None
    assert (manifest.source, manifest.layout) == ("bundled", "archived")
    assert not Path(manifest.origin).is_absolute()  # which would name somebody's folders
    assert inspect(competition).status == "verified"
    told = prepare_command(competition)
    assert told.startswith(f"mlebench prepare -c {competition_id} --data-dir ")


@every_one
def test_the_sample_scores_what_the_facts_say(competition_id: str, real: Registry) -> None:
    competition = real.get_competition(competition_id)
    report = grade_csv(competition.sample_submission, competition)
    assert report.score == competition.facts.sample_score
    assert report.data_source == "bundled"
    assert report.leaderboard_of == "reference solutions"


@every_one
def test_answers_are_nowhere_in_public(competition_id: str, real: Registry) -> None:
    competition = real.get_competition(competition_id)
    answers = read_csv(competition.answers)
    assert competition.task
    (key,) = competition.task.submission.keys
    labels = set(answers.columns) - {key}
    for path in competition.public_dir.glob("*.csv"):
        table = read_csv(path)
        if path.name == "train.csv":
            assert not set(table[key]) & set(answers[key])
        elif path.name == "test.csv":
            assert not labels & set(table.columns)
    raw = {hashlib.md5(path.read_bytes()).digest() for path in competition.folder.rglob("raw/*")}
    public = [path for path in competition.public_dir.rglob("*") if path.is_file()]
    assert raw
    assert not raw & {hashlib.md5(path.read_bytes()).digest() for path in public}


def test_all_that_comes_along_is_small_and_says_where_it_is_from() -> None:
    size = 0
    for name in MINI_IDS:
        facts = BUILT_IN.get_facts(name)
        assert facts.bundled
        assert facts.bundled.origin
        assert facts.bundled.licence
        assert facts.complexity == "mini"
        files = BUILT_IN.folder_of(name).rglob("raw/*")
        size += sum(path.stat().st_size for path in files)
    assert size < MOST_BYTES


@every_one
def test_leaderboards_name_enough_solutions_of_widely_different_strength(
    competition_id: str,
) -> None:
    competition = BUILT_IN.get_competition(competition_id)
    table = board(competition)
    assert set(solutions_of(competition_id.removeprefix(PREFIX))) == set(table["solution"])
    assert len(table) >= FEWEST
    assert table["solution"].is_unique
    limits = competition.load_leaderboard().thresholds
    ranked = [table["score"][place - 1] for place in medal_positions(len(table))]
    assert [limits.gold, limits.silver, limits.bronze] == ranked
    better = sorted({*ranked, limits.median}, reverse=not competition.facts.lower_is_better)
    assert better == [limits.gold, limits.silver, limits.bronze, limits.median]
    assert table["score"].nunique() > 0.8 * len(table)


@pytest.mark.parametrize("name", COMPETITIONS)
def test_cheap_solutions_get_the_recorded_score(name: str, real: Registry, tmp_path: Path) -> None:
    competition = real.get_competition(PREFIX + name)
    recorded = board(competition).set_index("solution")["score"]
    solutions = solutions_of(name)
    for solution in CHEAP[name]:
        made = score_of(solutions[solution], competition, tmp_path)
        assert made == pytest.approx(recorded[solution], abs=2e-5), solution


class TestKaggle:
    """It is never asked about competitions that come along."""

    def test_nothing_is_downloaded(self, tmp_path: Path) -> None:
        outlooks = look_ahead(dict.fromkeys(MINI_IDS), Registry(tmp_path, ()))
        assert {(one.source, one.rules, one.problem) for one in outlooks} == {
            ("bundled", None, None)
        }

    def test_it_has_no_leaderboards(self) -> None:
        with pytest.raises(NoLeaderboardError, match="reference solutions"):
            download_leaderboard(BUILT_IN.get_competition("mini-co2"))


def test_made_up_data_are_still_made_up(tmp_path: Path) -> None:
    competition = Registry(tmp_path, ()).get_competition("mini-co2")
    assert prepare(competition, fixture=True)
    assert grade_csv(competition.sample_submission, competition).data_source == "fixture"
    assert prepare(competition)  # the real ones take their place
    assert inspect(competition).status == "verified"
    with pytest.raises(ConfigError, match="--force"):
        prepare(competition, fixture=True)


def test_a_competition_that_lost_its_data_says_so(tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    with (folder / "competition.yaml").open("a", encoding="utf-8") as facts:
        facts.write("\nbundled:\n  origin: me\n  licence: any\n")
    competition = Registry(tmp_path / "data", [tmp_path]).get_competition("mine")
    with pytest.raises(DataSourceError, match=r"raw is missing, though competition\.yaml"):
        prepare(competition)


class TestCommands:
    """What people see."""

    def test_a_split_is_a_list(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path))
        shown = run("mlebench prepare --list mini --json", monkeypatch, capfd)
        assert shown.code == 0, shown.stderr
        assert {one["status"] for one in json.loads(shown.stdout)} == {"prepared"}
        assert "kaggle" not in shown.stderr.lower()
        listed = run("mlebench data list --json", monkeypatch, capfd)
        assert [one["competition_id"] for one in json.loads(listed.stdout)] == MINI_IDS

    def test_it_is_said_what_medals_are_worth(
        self,
        real: Registry,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MLEBENCH_DATA_DIR", str(real.get_data_dir()))
        shown = run("mlebench competitions mini-digits", monkeypatch, capfd).stdout
        assert "reference solutions run and recorded by mlebench, no teams" in shown
        assert "CC BY 4.0" in shown
        assert "kaggle" not in shown.lower()
        sample = real.get_competition("mini-digits").sample_submission
        graded = run(f"mlebench grade-sample {sample} mini-digits", monkeypatch, capfd).stdout
        assert "reference solutions run and recorded by mlebench, no teams" in graded
        assert "made up" not in graded
        line = {"competition_id": "mini-digits", "submission_path": str(sample)}
        Path("all.jsonl").write_text(json.dumps(line) + "\n")
        table = run("mlebench grade --submission all.jsonl --output-dir out", monkeypatch, capfd)
        assert "reference solutions, not of teams: mini-digits." in table.stdout
        again = run("mlebench report-table out/*.json", monkeypatch, capfd)
        assert "reference solutions, not of teams: mini-digits." in again.stdout

    def test_teams_are_not_talked_about(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        shown = run("mlebench competitions spaceship-titanic", monkeypatch, capfd).stdout
        assert "reference solutions" not in shown
