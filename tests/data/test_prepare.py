"""Preparing data: from anywhere, completely or not at all, never at the cost of anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mlebench.data.checksums import file_digest, load_checksums
from mlebench.data.manifest import data_source, first_missing, read_manifest
from mlebench.data.prepare import prepare
from mlebench.errors import (
    ChecksumMismatchError,
    ConfigError,
    DataSourceError,
    NotPreparedError,
    TaskNotWrittenError,
)
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import ALL_IDS, READY_IDS, add_competition, file_digests

# Says that it is in the middle of its work and stays there, if it is told to.
SLOW_PREPARE = """
import os, time

prepare_at_once = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_at_once(raw, public, private)
    if marker := os.environ.get("STOP_AT"):
        Path(marker).touch()
        time.sleep(600)
"""


@pytest.fixture
def mine(tmp_path: Path) -> Competition:
    """A competition of the user's without any data."""
    add_competition(tmp_path / "competitions", "mine", SLOW_PREPARE)
    return Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("mine")


@pytest.fixture
def raw(mine: Competition, tmp_path: Path) -> Path:
    """Raw data in a folder of the user's."""
    assert mine.task is not None
    mine.task.fixture(tmp_path / "users raw")
    return tmp_path / "users raw"


def zipped(raw: Path, path: Path) -> Path:
    pack(path, {file.name: file for file in raw.iterdir()})
    return path


def assert_prepared(competition: Competition, source: str) -> None:
    assert first_missing(competition) is None
    assert data_source(competition) == source
    names = {path.name for path in competition.data_dir.iterdir()}
    assert not {name for name in names if name.startswith(".")}


class TestSources:
    """Where raw data may come from."""

    def test_fixture(self, mine: Competition) -> None:
        assert prepare(mine, fixture=True)
        assert_prepared(mine, "fixture")
        assert [path.name for path in mine.data_dir.iterdir()] == ["prepared"]

    def test_folder(self, mine: Competition, raw: Path) -> None:
        before = file_digests(raw)
        assert prepare(mine, raw)
        assert_prepared(mine, "local")
        assert file_digests(raw) == before
        assert not mine.raw_dir.exists()

    def test_zip_from_anywhere(self, mine: Competition, raw: Path, tmp_path: Path) -> None:
        archive = zipped(raw, tmp_path / "download.zip")
        before = archive.read_bytes()
        assert prepare(mine, archive)
        assert_prepared(mine, "local")
        assert archive.read_bytes() == before

    def test_raw_folder_among_the_data(self, mine: Competition) -> None:
        assert mine.task is not None
        mine.task.fixture(mine.raw_dir)
        before = file_digests(mine.raw_dir)
        assert prepare(mine)
        assert_prepared(mine, "local")
        assert file_digests(mine.raw_dir) == before

    def test_the_one_zip_among_the_data(self, mine: Competition, raw: Path) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        assert prepare(mine)
        assert_prepared(mine, "local")

    def test_all_sources_give_the_same(self, mine: Competition, raw: Path) -> None:
        results = []
        for source in (raw, zipped(raw, raw.parent / "a.zip")):
            prepare(mine, source, force=True)
            results.append([file_digests(mine.public_dir), file_digests(mine.private_dir)])
        prepare(mine, fixture=True, force=True)
        results.append([file_digests(mine.public_dir), file_digests(mine.private_dir)])
        assert results[0] == results[1] == results[2]

    def test_no_source_says_what_to_do(self, mine: Competition) -> None:
        with pytest.raises(DataSourceError, match="--from"):
            prepare(mine)

    def test_several_zips_are_a_choice_for_the_user(self, mine: Competition, raw: Path) -> None:
        for name in ("a.zip", "b.zip"):
            zipped(raw, mine.data_dir / name)
        with pytest.raises(DataSourceError, match="several zips"):
            prepare(mine)

    @pytest.mark.parametrize("name", ["nowhere", "table.csv", "broken.zip"])
    def test_unusable_source_is_refused(self, name: str, mine: Competition, tmp_path: Path) -> None:
        (tmp_path / "table.csv").touch()
        (tmp_path / "broken.zip").write_bytes(b"PK")
        with pytest.raises(DataSourceError):
            prepare(mine, tmp_path / name)
        assert not mine.public_dir.exists()

    def test_missing_raw_file_leaves_nothing(self, mine: Competition, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(DataSourceError):
            prepare(mine, tmp_path / "empty")
        assert list(mine.data_dir.iterdir()) == []

    def test_unwritten_competition_is_refused(self, tmp_path: Path) -> None:
        unwritten = next(name for name in ALL_IDS if name not in READY_IDS)
        with pytest.raises(TaskNotWrittenError):
            prepare(Registry(tmp_path, ()).get_competition(unwritten), fixture=True)


def test_manifest_tells_where_data_come_from(mine: Competition, raw: Path) -> None:
    assert read_manifest(mine) is None
    prepare(mine, raw)
    manifest = read_manifest(mine)
    assert manifest is not None
    assert (manifest.competition_id, manifest.edition, manifest.source) == ("mine", "v1", "local")
    assert {"numpy", "pandas"} <= set(manifest.versions)


class TestDoneAlready:
    """What is there is kept."""

    def test_prepared_data_are_left_alone(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        before = mine.answers.stat()
        assert prepare(mine, raw) is False
        assert mine.answers.stat() == before

    def test_fixture_is_left_alone(self, mine: Competition) -> None:
        prepare(mine, fixture=True)
        assert prepare(mine, fixture=True) is False

    def test_force_prepares_again(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        before = mine.answers.stat().st_ino
        assert prepare(mine, raw, force=True) is True
        assert mine.answers.stat().st_ino != before

    def test_incomplete_data_are_prepared_again(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        mine.sample_submission.unlink()
        assert prepare(mine, raw) is True
        assert_prepared(mine, "local")

    def test_fixture_never_replaces_real_data(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        before = file_digests(mine.data_dir)
        with pytest.raises(ConfigError, match="--force"):
            prepare(mine, fixture=True)
        assert file_digests(mine.data_dir) == before
        prepare(mine, fixture=True, force=True)
        assert_prepared(mine, "fixture")

    def test_real_data_replace_a_fixture(self, mine: Competition, raw: Path) -> None:
        prepare(mine, fixture=True)
        assert prepare(mine, raw) is True
        assert_prepared(mine, "local")

    def test_failing_preparation_keeps_what_was_there(
        self, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        prepare(mine, raw)
        before = file_digests(mine.data_dir)
        (tmp_path / "empty").mkdir()
        with pytest.raises(DataSourceError):
            prepare(mine, tmp_path / "empty", force=True)
        assert file_digests(mine.data_dir) == before


class TestKeepRaw:
    """What happens to unpacked archives and to folders of the user's."""

    @pytest.mark.parametrize("keep", [False, True])
    def test_own_zip_stays_and_its_content_only_on_request(
        self, keep: bool, mine: Competition, raw: Path
    ) -> None:
        archive = zipped(raw, mine.data_dir / "mine.zip")
        prepare(mine, keep_raw=keep)
        assert archive.is_file()
        assert mine.raw_dir.exists() == keep

    @pytest.mark.parametrize("keep", [False, True])
    def test_zip_from_elsewhere_is_unpacked_likewise(
        self, keep: bool, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        prepare(mine, zipped(raw, tmp_path / "download.zip"), keep_raw=keep)
        assert mine.raw_dir.exists() == keep

    @pytest.mark.parametrize("keep", [False, True])
    @pytest.mark.parametrize("with_zip", [False, True])
    def test_folder_of_the_users_is_never_touched(
        self, keep: bool, with_zip: bool, mine: Competition, raw: Path
    ) -> None:
        if with_zip:
            zipped(raw, mine.data_dir / "mine.zip")
        before = file_digests(raw)
        prepare(mine, raw, keep_raw=keep)
        assert file_digests(raw) == before

    @pytest.mark.parametrize("source", ["zip from elsewhere", "folder", "fixture"])
    def test_raw_folder_that_was_not_used_is_never_touched(
        self, source: str, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        mine.raw_dir.mkdir()
        (mine.raw_dir / "notes.txt").write_text("precious")
        if source == "fixture":
            prepare(mine, fixture=True)
        else:
            prepare(mine, raw if source == "folder" else zipped(raw, tmp_path / "download.zip"))
        assert (mine.raw_dir / "notes.txt").is_file()


class TestChecksums:
    """Published sums are verified before anything is put in place."""

    @pytest.fixture
    def published(self, mine: Competition, raw: Path) -> Path:
        """The sums of these very data, with the zip's."""
        zipped(raw, mine.data_dir / "mine.zip")
        prepare(mine, overwrite_checksums=True)
        return mine.checksums

    def change(self, path: Path, *keys: str) -> None:
        sums = load_checksums(path)
        entry = sums
        for key in keys[:-1]:
            entry = entry[key]
        entry[keys[-1]] = "0" * 32
        path.write_text(yaml.safe_dump(sums))

    def test_overwriting_records_the_sums_of_these_data(
        self, published: Path, mine: Competition
    ) -> None:
        sums = load_checksums(published)
        assert sums is not None
        assert sums["zip"] == file_digest(mine.data_dir / "mine.zip")
        assert sums["private"] == {"test.csv": file_digest(mine.answers)}
        assert set(sums["public"]) == {"train.csv", "test.csv", "sample_submission.csv"}

    def test_equal_sums_make_the_data_the_published_ones(
        self, published: Path, mine: Competition
    ) -> None:
        prepare(mine, force=True)
        assert_prepared(mine, "kaggle")

    def test_other_table_is_refused_with_a_comparison(
        self, published: Path, mine: Competition, raw: Path
    ) -> None:
        self.change(published, "private", "test.csv")
        with pytest.raises(ChecksumMismatchError) as caught:
            prepare(mine, raw, force=True)
        message = str(caught.value)
        assert "Checksums do not match for `mine`!" in message
        assert f"+private/test.csv: {'0' * 32}" in message
        assert "--skip-verification" in message
        assert isinstance(caught.value, ValueError)

    def test_other_zip_is_refused(self, published: Path, mine: Competition) -> None:
        self.change(published, "zip")
        with pytest.raises(ChecksumMismatchError, match=r"Checksum for `.*mine\.zip`"):
            prepare(mine, force=True)

    def test_refused_data_leave_what_was_there(self, published: Path, mine: Competition) -> None:
        before = file_digests(mine.data_dir / "prepared")
        self.change(published, "public", "train.csv")
        with pytest.raises(ChecksumMismatchError):
            prepare(mine, force=True)
        assert file_digests(mine.data_dir / "prepared") == before

    def test_verification_can_be_skipped(self, published: Path, mine: Competition) -> None:
        self.change(published, "zip")
        self.change(published, "private", "test.csv")
        prepare(mine, force=True, skip_verification=True)
        assert_prepared(mine, "local")

    def test_fixtures_are_not_verified(self, published: Path, mine: Competition) -> None:
        self.change(published, "private", "test.csv")
        prepare(mine, force=True, fixture=True)
        assert_prepared(mine, "fixture")


PREPARE_IN_A_PROCESS = """
import sys
from pathlib import Path
from mlebench.data.prepare import prepare
from mlebench.registry import Registry

data, competitions, raw = sys.argv[1:]
prepare(Registry(data, [competitions]).get_competition("mine"), Path(raw), force=True)
"""


def kill_in_the_middle(mine: Competition, raw: Path, marker: Path) -> None:
    """Prepare in another process and kill that process when it is half done."""
    places = [mine.data_dir.parent, mine.folder.parent, raw]
    process = subprocess.Popen(
        [sys.executable, "-c", PREPARE_IN_A_PROCESS, *map(str, places)],
        env=os.environ | {"STOP_AT": str(marker)},
    )
    try:
        while not marker.exists():
            assert process.poll() is None, "ended before its middle"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


class TestKilled:
    """A killed preparation costs nothing but itself."""

    def test_nothing_half_made_is_left(self, mine: Competition, raw: Path, tmp_path: Path) -> None:
        kill_in_the_middle(mine, raw, tmp_path / "marker")
        assert first_missing(mine) is not None
        assert not (mine.data_dir / "prepared").exists()
        assert prepare(mine, raw)
        assert_prepared(mine, "local")

    def test_what_was_there_stays(self, mine: Competition, raw: Path, tmp_path: Path) -> None:
        prepare(mine, raw)
        before = file_digests(mine.data_dir / "prepared")
        kill_in_the_middle(mine, raw, tmp_path / "marker")
        assert file_digests(mine.data_dir / "prepared") == before
        assert prepare(mine, raw) is False
        assert prepare(mine, raw, force=True)
        assert_prepared(mine, "local")


def test_grading_unprepared_data_is_an_error_of_its_own(mine: Competition) -> None:
    from mlebench.grading.single import grade_csv

    with pytest.raises(NotPreparedError):
        grade_csv("submission.csv", mine)
