"""Every competition that is ready, end to end on made-up data."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from mlebench.authoring.selfcheck import check_competition
from mlebench.data.checksums import load_checksums
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.task import Task
from tests.conftest import Prepared
from tests.helpers import BUILT_IN, MINI_IDS, READY_IDS, file_digests

HEADINGS = ("Task", "Files", "Evaluation", "Submission")

# Where the score of the sample does not depend on the data.
SAMPLE_SCORES = {
    "3d-object-detection-for-autonomous-vehicles": 0.0,
    "aptos2019-blindness-detection": 0.0,
    "random-acts-of-pizza": 0.5,
}

# Where the gold submission does not reach the best score of the facts, and why.
IMPERFECT_GOLD = {
    ("champs-scalar-coupling", "v2"): "the best score is that of v1, which has no floor",
    ("osic-pulmonary-fibrosis-progression", "v1"): "the answers are less sure than they might be",
    ("osic-pulmonary-fibrosis-progression", "v2"): "the answers are less sure than they might be",
    (
        "h-and-m-personalized-fashion-recommendations",
        "v1",
    ): "the answers list what was bought twice twice, and the second takes up a rank",
    (
        "vinbigdata-chest-xray-abnormalities-detection",
        "v1",
    ): "whoever finds the box of the first answer is told to be wrong",
}

# Where the original's sample submission has columns that no submission needs, or another order.
OTHER_SAMPLE_COLUMNS = {
    "detecting-insults-in-social-commentary": ["Insult", "Date", "Comment"],
    "facebook-recruiting-iii-keyword-extraction": ["Id", "Title", "Body", "Tags"],
    "google-research-identify-contrails-reduce-global-warming": [
        *("record_id", "encoded_pixels", "height", "width"),
    ],
    "iwildcam-2019-fgvc6": ["", "Id", "Category"],
}

# Where a held-out file is a raw one under another name, and that tells nothing.
MAY_BE_LINKED = {
    "cassava-leaf-disease-classification": "shards, whose content names the pictures anyway",
    "multi-modal-gesture-recognition": "one archive, and everybody knows which",
    "siim-isic-melanoma-classification": "shards, whose content names the pictures anyway",
}

every_competition = pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
every_edition = pytest.mark.parametrize("edition", ["v1", "v2"])


@pytest.mark.parametrize("edition", ["v1", pytest.param("v2", marks=pytest.mark.wide)])
@every_competition
def test_selfcheck_passes(competition_id: str, edition: str) -> None:
    outcome = check_competition(competition_id, Registry(competitions_dirs=(), edition=edition))
    assert [check for check in outcome.checks if not check.passed] == []
    assert len(outcome.checks) > 15


@every_edition
@every_competition
def test_gold_submission_gets_the_best_possible_score(
    competition_id: str, edition: str, prepared: Prepared
) -> None:
    competition = prepared(competition_id, edition)
    report = grade_csv(competition.gold_submission, competition)
    is_perfect = report.score == competition.facts.best_score
    assert is_perfect == ((competition_id, edition) not in IMPERFECT_GOLD)
    assert report.gold_medal
    assert report.edition == edition
    assert report.data_source == "fixture"


@every_competition
def test_fixture_and_preparation_are_deterministic(
    competition_id: str, prepared: Prepared, tmp_path: Path
) -> None:
    task = Task(BUILT_IN.get_competitions_dir() / competition_id)
    for name in ("first", "second"):
        raw, public, private = (tmp_path / name / part for part in ("raw", "public", "private"))
        for folder in (raw, public, private):
            folder.mkdir(parents=True)
        task.fixture(raw)
        before = file_digests(raw)
        task.prepare(raw, public, private)
        assert file_digests(raw) == before
    made = file_digests(tmp_path / "first")
    assert made == file_digests(tmp_path / "second")
    assert sum(path.stat().st_size for path in (tmp_path / "first").rglob("*")) < 5_000_000
    linked = linked_under_other_names(tmp_path / "first" / "raw", tmp_path / "first" / "public")
    held_out = [path for path in linked if "test" in path.lower()]
    assert bool(held_out) == (competition_id in MAY_BE_LINKED)


def linked_under_other_names(raw: Path, public: Path) -> list[str]:
    """The public files that are raw ones of another name, to which their inode leads back."""
    names: dict[int, set[str]] = {}
    for path in raw.rglob("*"):
        names.setdefault(path.stat().st_ino, set()).add(path.name)
    return [
        path.relative_to(public).as_posix()
        for path in public.rglob("*")
        if path.name not in names.get(path.stat().st_ino, {path.name})
    ]


@every_competition
def test_answers_stay_private(competition_id: str, prepared: Prepared) -> None:
    competition = prepared(competition_id)
    public = set(file_digests(competition.public_dir).values())
    assert not public & set(file_digests(competition.private_dir).values())


@every_competition
def test_prepared_tables_bear_the_published_names(competition_id: str, prepared: Prepared) -> None:
    competition = prepared(competition_id)
    published = load_checksums(competition.checksums)
    assert published is not None
    for side, folder in (("public", competition.public_dir), ("private", competition.private_dir)):
        assert set(published[side]) <= {path.name for path in folder.iterdir()}


@every_edition
@every_competition
def test_description_has_all_parts_and_names_all_columns(
    competition_id: str, edition: str, prepared: Prepared
) -> None:
    competition = prepared(competition_id, edition)
    lines = competition.description.splitlines()
    assert lines[0].startswith("# ")
    assert [line for line in lines if line.startswith("## ")] == [f"## {part}" for part in HEADINGS]
    assert competition.task is not None
    submission_part = competition.description.partition("## Submission")[2]
    for column in competition.task.submission.names:
        assert re.search(rf"(?<!\w){re.escape(column)}(?!\w)", submission_part), column


@every_edition
@every_competition
def test_description_names_all_files(competition_id: str, edition: str, prepared: Prepared) -> None:
    competition = prepared(competition_id, edition)
    files_part = competition.description.partition("## Files")[2].partition("## Evaluation")[0]
    names = {path.name for path in competition.public_dir.iterdir()} - {"description.md"}
    assert {name for name in names if name not in files_part} == set()


@every_competition
def test_description_is_public(competition_id: str, prepared: Prepared) -> None:
    competition = prepared(competition_id)
    text = (competition.public_dir / "description.md").read_text(encoding="utf-8")
    assert text == competition.description


@pytest.mark.parametrize("competition_id", SAMPLE_SCORES)
def test_sample_score_does_not_depend_on_the_data(competition_id: str, prepared: Prepared) -> None:
    competition = prepared(competition_id)
    assert grade_csv(competition.sample_submission, competition).score == pytest.approx(
        SAMPLE_SCORES[competition_id], abs=1e-5
    )


@every_competition
def test_sample_submission_holds_exactly_the_declared_columns(
    competition_id: str, prepared: Prepared
) -> None:
    competition = prepared(competition_id)
    assert competition.task is not None
    header = competition.sample_submission.read_text(encoding="utf-8").partition("\n")[0]
    declared = competition.task.submission.names
    expected = OTHER_SAMPLE_COLUMNS.get(competition_id, declared)
    assert next(csv.reader([header])) == expected
