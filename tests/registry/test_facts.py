"""Facts about competitions: complete, typed, and refused where they are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import yaml

from mlebench.data.checksums import load_checksums
from mlebench.errors import ConfigError
from mlebench.registry.facts import Facts, load_facts
from mlebench.registry.yaml_files import load_yaml
from tests.helpers import ALL_IDS, BUILT_IN, add_competition, shared

MD5_LENGTH = 32
FACTS_IN_ORDER = (
    "id", "title", "category", "complexity", "competition_type", "awards_medals", "size_gb",
    "metric", "grader_name", "lower_is_better", "best_score", "sample_score",
    "answers", "sample_submission", "gold_submission", "compare_by_content",
    "leaderboard", "known_issues",
)  # fmt: skip
every_competition = pytest.mark.parametrize("competition_id", ALL_IDS)


@every_competition
def test_facts_of_every_competition_are_complete(competition_id: str) -> None:
    facts = BUILT_IN.get_facts(competition_id)
    assert facts.id == competition_id
    assert facts.title
    assert facts.metric
    assert facts.leaderboard is not None
    assert facts.complexity in ("low", "medium", "high", "dev")
    assert facts.answers.startswith("private/")
    assert facts.sample_submission.startswith(("public/", "private/"))
    assert facts.gold_submission is None or facts.gold_submission.startswith("private/")


@every_competition
def test_thresholds_are_in_order(competition_id: str) -> None:
    facts = BUILT_IN.get_facts(competition_id)
    board = facts.leaderboard
    assert board is not None
    scores = [board.gold, board.silver, board.bronze, board.median]
    assert scores == sorted(scores, reverse=not facts.lower_is_better)


@every_competition
def test_nobody_beats_the_best_possible_score(competition_id: str) -> None:
    facts = BUILT_IN.get_facts(competition_id)
    assert facts.best_score is not None
    assert facts.leaderboard is not None
    known = [facts.leaderboard.gold, *map(float, facts.leaderboard.percentiles.split())]
    if facts.sample_score is not None and not math.isnan(facts.sample_score):
        known.append(facts.sample_score)
    if facts.lower_is_better:
        assert facts.best_score <= min(known)
    else:
        assert facts.best_score >= max(known)


@every_competition
def test_facts_are_stated_in_the_same_order(competition_id: str) -> None:
    stated = load_yaml(BUILT_IN.folder_of(competition_id) / "competition.yaml")
    assert [name for name in FACTS_IN_ORDER if name in stated] == list(stated)


@every_competition
def test_files_compared_by_content_are_those_of_the_golden_vectors(
    competition_id: str, shared_dir: Path
) -> None:
    golden = shared(shared_dir, "golden", competition_id)
    stated = BUILT_IN.get_facts(competition_id).compare_by_content
    assert bool(stated) == ("compare" in json.loads((golden / "meta.json").read_text()))
    made = {entry["path"] for entry in json.loads((golden / "tree.json").read_text())}
    assert set(stated) <= made


@every_competition
def test_percentiles_are_in_order(competition_id: str) -> None:
    facts = BUILT_IN.get_facts(competition_id)
    assert facts.leaderboard is not None
    scores = [float(text) for text in facts.leaderboard.percentiles.split()]
    assert scores == sorted(scores, reverse=not facts.lower_is_better)


@every_competition
def test_checksums_are_md5_sums(competition_id: str) -> None:
    path = BUILT_IN.get_competitions_dir() / competition_id / "checksums.yaml"
    assert list(load_yaml(path)) == ["zip", "v1"]
    sums = load_checksums(path)
    assert sums is not None
    assert set(sums) <= {"zip", "public", "private"}
    digests = [*sums.get("public", {}).values(), *sums.get("private", {}).values()]
    if "zip" in sums:
        digests.append(sums["zip"])
    assert digests
    assert all(len(digest) == MD5_LENGTH and int(digest, 16) >= 0 for digest in digests)


@every_competition
def test_facts_and_checksums_are_those_of_the_sheet(competition_id: str, shared_dir: Path) -> None:
    sheet = shared(shared_dir, "competitions", f"{competition_id}.md")
    stated = yaml.safe_load(sheet.read_text(encoding="utf-8").split("---\n")[1])
    facts = BUILT_IN.get_facts(competition_id)
    checksums = stated.pop("checksums")
    complexity = stated.pop("split")
    assert complexity == facts.complexity
    for name in ("title", "competition_type", "awards_medals", "lower_is_better", "answers"):
        assert getattr(facts, name) == stated[name], name
    assert facts.sample_submission == stated["sample_submission"]
    gold = facts.gold_submission or facts.answers
    assert gold == stated["gold_submission"] or not stated["gold_submission"]
    path = BUILT_IN.get_competitions_dir() / competition_id / "checksums.yaml"
    assert load_checksums(path) == checksums


def change_facts(folder: Path, old: str, new: str) -> Path:
    path = folder / "competition.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return add_competition(tmp_path, "mine")


def test_scaffold_gives_valid_facts(folder: Path) -> None:
    facts = load_facts(folder)
    assert (facts.id, facts.complexity, facts.lower_is_better) == ("mine", "user", True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: mine", "id: other", "must equal the folder's name"),
        ("lower_is_better: true", "lower_is_better: maybe", "lower_is_better"),
        ("metric: root mean squared error", "", "metric"),
        ("category: Tabular", "categorie: Tabular", "categorie"),
        ("teams: 100", "teams: many", "teams"),
        ("id: mine", "id: [", "not valid YAML"),
    ],
)
def test_wrong_facts_are_refused_with_file_and_field(
    old: str, new: str, message: str, folder: Path
) -> None:
    change_facts(folder, old, new)
    with pytest.raises(ConfigError, match=message) as caught:
        load_facts(folder)
    assert "competition.yaml" in str(caught.value)


def test_empty_facts_file_is_refused(folder: Path) -> None:
    (folder / "competition.yaml").write_text("")
    with pytest.raises(ConfigError):
        load_facts(folder)


def test_facts_do_not_change() -> None:
    facts = BUILT_IN.get_facts(ALL_IDS[0])
    with pytest.raises(AttributeError):
        facts.title = "other"  # type: ignore[misc]
    assert isinstance(facts, Facts)


def test_yaml_cannot_run_code(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")
    with pytest.raises(ConfigError):
        load_yaml(path)


@pytest.mark.parametrize("form", ["a{0}: &a{0}\n  <<: [{1}]\n", "a{0}: &a{0} {{<<: [{1}]}}\n"])
def test_a_file_that_multiplies_itself_is_refused(tmp_path: Path, form: str) -> None:
    path = tmp_path / "bomb.yaml"
    lines = [form.format(n, ", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 12)]
    path.write_text("a0: &a0 {x: 1}\n" + "".join(lines))
    with pytest.raises(ConfigError, match="merge keys"):
        load_yaml(path)
