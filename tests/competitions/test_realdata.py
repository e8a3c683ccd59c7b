"""The four competitions whose original files are at hand, against what is published."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from mlebench.data.checksums import load_checksums
from mlebench.data.manifest import data_source
from mlebench.data.prepare import prepare
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import file_digests, shared

SAMPLE_SCORES = {
    "spaceship-titanic": 0.50345,
    "nomad2018-predict-transparent-conductors": 0.21174,
    "petfinder-pawpularity-score": 37.37587,
    "us-patent-phrase-to-phrase-matching": math.nan,
}


def stand_in_images(source: Path, folder: Path) -> Path:
    """Petfinder's tables with an empty image for each pet: only names matter."""
    (folder / "train").mkdir(parents=True)
    (folder / "train.csv").symlink_to(source / "train.csv")
    for pet in pd.read_csv(source / "train.csv")["Id"]:
        (folder / "train" / f"{pet}.jpg").touch()
    return folder


def raw_data(competition_id: str, shared_dir: Path, work: Path) -> Path:
    source = shared(shared_dir, "realdata", competition_id)
    if competition_id == "petfinder-pawpularity-score":
        return stand_in_images(source, work / "raw")
    archive = source / f"{competition_id}.zip"
    return archive if archive.is_file() else source


@pytest.fixture(scope="module", params=SAMPLE_SCORES)
def real(
    request: pytest.FixtureRequest, shared_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Competition:
    work = tmp_path_factory.mktemp("real")
    competition = Registry(work / "data", ()).get_competition(request.param)
    # Verifies every table with the published sums, and the zip where it is one.
    prepare(competition, raw_data(request.param, shared_dir, work))
    return competition


def test_tables_have_the_published_checksums(real: Competition) -> None:
    published = load_checksums(real.checksums)
    assert published is not None
    for side, folder in (("public", real.public_dir), ("private", real.private_dir)):
        made = file_digests(folder)
        assert published[side].items() <= made.items()
    assert data_source(real) == "kaggle"


def test_sample_submission_scores_as_published(real: Competition) -> None:
    report = grade_csv(real.sample_submission, real)
    assert report.score == pytest.approx(SAMPLE_SCORES[real.id], abs=0, nan_ok=True)
    assert report.valid_submission
    assert report.data_source == "kaggle"


def test_facts_state_the_sample_score(real: Competition) -> None:
    stated = real.facts.sample_score
    expected = SAMPLE_SCORES[real.id]
    assert stated == expected or (math.isnan(expected) and (stated is None or math.isnan(stated)))


def test_answers_win_gold(real: Competition) -> None:
    assert grade_csv(real.gold_submission, real).gold_medal
