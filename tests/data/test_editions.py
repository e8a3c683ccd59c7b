"""Both editions of a competition lie side by side and are never taken for each other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mlebench.data import is_dataset_prepared
from mlebench.data.manifest import data_source, find_gap, read_manifest
from mlebench.data.prepare import prepare
from mlebench.data.readiness import require_prepared
from mlebench.errors import ConfigError, DamagedAnswersError, NotPreparedError
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.facts import Edition
from tests.data.conftest import assert_prepared
from tests.helpers import READY_IDS, add_competition, file_digests

EDITIONS: tuple[Edition, Edition] = ("v1", "v2")


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    code = "def prepare_v2(raw, public, private):\n    prepare(raw, public, private)\n"
    code += "    (public / 'train.csv').write_text('id,value\\n1,2\\n')"
    add_competition(tmp_path / "competitions", "mine", code)
    return Registry(tmp_path / "data", [tmp_path / "competitions"])


def both(registry: Registry, competition_id: str = "mine") -> tuple[Competition, Competition]:
    first, second = (
        registry.set_edition(name).get_competition(competition_id) for name in EDITIONS
    )
    return first, second


def test_editions_lie_side_by_side(registry: Registry) -> None:
    first, second = both(registry)
    for competition in (first, second):
        prepare(competition, fixture=True)
        assert_prepared(competition, "fixture")
        manifest = read_manifest(competition)
        assert manifest is not None
        assert manifest.edition == competition.edition
    names = sorted(path.name for path in first.data_dir.iterdir())
    assert names == ["prepared", "prepared-v2"]
    assert file_digests(first.public_dir) != file_digests(second.public_dir)


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_every_written_competition_can_be_prepared_in_both(
    competition_id: str, tmp_path: Path
) -> None:
    for competition in both(Registry(tmp_path, ()), competition_id):
        assert prepare(competition, fixture=True)
        assert_prepared(competition, "fixture")
        report = grade_csv(competition.gold_submission, competition)
        assert (report.edition, report.data_source) == (competition.edition, "fixture")
        assert report.gold_medal


@pytest.mark.parametrize("prepared_edition", EDITIONS)
def test_one_edition_says_nothing_about_the_other(
    prepared_edition: Edition, registry: Registry
) -> None:
    ready, other = sorted(both(registry), key=lambda one: one.edition != prepared_edition)
    prepare(ready, fixture=True)
    assert is_dataset_prepared(ready)
    assert not is_dataset_prepared(other)
    assert data_source(other) == "unknown"
    with pytest.raises(NotPreparedError):
        grade_csv(ready.sample_submission, other)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("grading_only", [False, True])
def test_data_of_another_edition_are_never_accepted(
    edition: Edition, grading_only: bool, registry: Registry
) -> None:
    wanted, other = sorted(both(registry), key=lambda one: one.edition != edition)
    prepare(other, fixture=True)
    shutil.copytree(other.prepared_dir, wanted.prepared_dir)
    assert find_gap(wanted, grading_only=grading_only) is not None
    assert data_source(wanted) == "unknown"
    option = " --edition v2" if edition == "v2" else ""
    message = (
        rf"is not prepared! Please run `mlebench prepare -c mine --fixture{option} .*` to prepare "
        rf"the dataset\. .*{wanted.prepared_dir.name} holds edition {other.edition}, "
        rf"not {edition}\."
    )
    for attempt in (grade_csv, validate):
        with pytest.raises(NotPreparedError, match=message):
            attempt(other.sample_submission, wanted)
    assert prepare(wanted, fixture=True)
    assert_prepared(wanted, "fixture")


def test_data_of_the_original_count_as_v1_only(registry: Registry) -> None:
    for competition in both(registry):
        prepare(competition, fixture=True)
        (competition.prepared_dir / "prepared.json").unlink()
    first, second = both(registry)
    assert find_gap(first) is None
    assert grade_csv(first.sample_submission, first).data_source == "unknown"
    with pytest.raises(
        NotPreparedError, match=r"prepare -c mine --from PATH --edition v2.*counts as v1"
    ):
        grade_csv(second.sample_submission, second)


def test_a_damaged_manifest_counts_as_nothing(registry: Registry) -> None:
    competition, _ = both(registry)
    prepare(competition, fixture=True)
    (competition.prepared_dir / "prepared.json").write_text('{"edition": "v1"')
    assert data_source(competition) == "unknown"
    with pytest.raises(NotPreparedError, match=r"prepared\.json is damaged"):
        grade_csv(competition.sample_submission, competition)
    with pytest.raises(ConfigError, match="do not say what they are"):
        prepare(competition, fixture=True)
    assert prepare(competition, fixture=True, force=True)
    assert_prepared(competition, "fixture")


@pytest.mark.parametrize("grading_only", [False, True])
def test_data_of_another_competition_are_never_accepted(
    grading_only: bool, registry: Registry, tmp_path: Path
) -> None:
    add_competition(tmp_path / "others", "other")
    other = Registry(tmp_path / "data", [tmp_path / "others"]).get_competition("other")
    prepare(other, fixture=True)
    mine, _ = both(registry)
    shutil.copytree(other.prepared_dir, mine.prepared_dir)
    gap = find_gap(mine, grading_only=grading_only)
    assert gap is not None
    assert gap.reason.endswith("holds data of other, not of mine.")
    assert data_source(mine) == "unknown"
    with pytest.raises(NotPreparedError, match="holds data of other"):
        grade_csv(other.sample_submission, mine)
    assert prepare(mine, fixture=True)
    assert_prepared(mine, "fixture")


def test_real_data_of_one_edition_do_not_keep_the_other_from_made_up_ones(
    registry: Registry, tmp_path: Path
) -> None:
    first, second = both(registry)
    assert first.task
    first.task.fixture(tmp_path / "raw")
    prepare(first, tmp_path / "raw")
    assert prepare(second, fixture=True)
    assert_prepared(first, "local")
    assert_prepared(second, "fixture")


def test_answers_changed_afterwards_are_not_graded_whatever_their_length(
    registry: Registry,
) -> None:
    competition = registry.get_competition("spaceship-titanic")
    prepare(competition, fixture=True)
    answers = competition.answers
    manifest = competition.prepared_dir / "prepared.json"
    require_prepared(competition)
    answers.write_bytes(answers.read_bytes().replace(b"True", b"tRUE", 1))
    os.utime(manifest, (1e9, 1e9))
    with pytest.raises(DamagedAnswersError, match="have been changed"):
        require_prepared(competition)


def test_nor_are_changed_answers_with_the_old_time(registry: Registry) -> None:
    competition = registry.get_competition("spaceship-titanic")
    prepare(competition, fixture=True)
    answers = competition.answers
    before = answers.stat()
    answers.write_bytes(answers.read_bytes().replace(b"True", b"tRUE", 1))
    os.utime(answers, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DamagedAnswersError, match="have been changed"):
        require_prepared(competition)
    answers.write_bytes(answers.read_bytes().replace(b"tRUE", b"True", 1))
    require_prepared(competition)  # a copy is as good, however young
