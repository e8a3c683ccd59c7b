"""Preparing data: from anywhere, completely or not at all, never at the cost of anything."""

from __future__ import annotations

import errno
import logging
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data import publishing
from mlebench.data.layout import INCOMPLETE_FILE
from mlebench.data.manifest import read_manifest
from mlebench.data.prepare import prepare
from mlebench.data.raw import zips_in
from mlebench.errors import (
    ConfigError,
    DataSourceError,
    NotPreparedError,
    RulesNotAcceptedError,
    TaskNotWrittenError,
)
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared, zipped
from tests.helpers import add_unwritten, file_digests
from tests.kaggle_server import Kaggle


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

    @pytest.mark.parametrize("ending", ["tar", "tar.gz", "tar.xz", "TGZ"])
    def test_tar_from_anywhere(
        self, ending: str, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        archive = tmp_path / f"download.{ending}"
        mode = {"tar": "w", "tar.xz": "w:xz"}.get(ending, "w:gz")
        with tarfile.open(archive, mode) as tar:  # type: ignore[call-overload]
            for path in raw.iterdir():
                tar.add(path, path.name)
        assert prepare(mine, archive)
        assert_prepared(mine, "local")

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
        add_unwritten(tmp_path / "own", "planned")
        registry = Registry(tmp_path / "data", [tmp_path / "own"])
        with pytest.raises(TaskNotWrittenError):
            prepare(registry.get_competition("planned"), fixture=True)


class TestDownloads:
    """Zips that were downloaded go once they are used; those of the user never do."""

    def test_a_download_is_removed_unless_it_is_kept(
        self, mine: Competition, raw: Path, kaggle: Kaggle
    ) -> None:
        kaggle.archives["mine"] = zipped(raw, raw.parent / "at kaggle.zip")
        assert prepare(mine)
        assert_prepared(mine, "local")
        assert zips_in(mine.data_dir) == []
        assert prepare(mine, force=True, keep_zip=True)
        assert prepare(mine, force=True)
        assert_prepared(mine, "local")
        assert [path.name for path in zips_in(mine.data_dir)] == ["mine.zip"]

    def test_a_zip_that_was_there_before_a_mirror_was_named_stays(
        self, mine: Competition, raw: Path, kaggle: Kaggle
    ) -> None:
        own = zipped(raw, mine.data_dir / "mine.zip")
        assert prepare(mine, kaggle.mirror)
        assert_prepared(mine, "local")
        assert own.is_file()

    def test_a_zip_that_is_brought_after_a_failed_download_stays(
        self, mine: Competition, raw: Path, kaggle: Kaggle
    ) -> None:
        kaggle.unaccepted.add("mine")
        with pytest.raises(RulesNotAcceptedError):
            prepare(mine)
        own = zipped(raw, mine.data_dir / "mine.zip")
        assert prepare(mine)
        assert_prepared(mine, "local")
        assert own.is_file()

    def test_requests_are_details(
        self, mine: Competition, raw: Path, kaggle: Kaggle, caplog: pytest.LogCaptureFixture
    ) -> None:
        kaggle.archives["mine"] = zipped(raw, raw.parent / "at kaggle.zip")
        with caplog.at_level(logging.INFO):
            prepare(mine)
        assert "HTTP Request" not in caplog.text
        with caplog.at_level(logging.DEBUG):
            prepare(mine, force=True)
        assert "HTTP Request" in caplog.text


def test_manifest_tells_where_data_come_from(mine: Competition, raw: Path) -> None:
    assert read_manifest(mine) is None
    prepare(mine, raw)
    manifest = read_manifest(mine)
    assert manifest is not None
    assert (manifest.competition_id, manifest.edition, manifest.source) == ("mine", "v1", "local")
    assert {"numpy", "pandas", "pyarrow"} <= set(manifest.versions)


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

    def test_fixture_never_replaces_damaged_real_data(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        mine.sample_submission.unlink()
        with pytest.raises(ConfigError, match="holds real data"):
            prepare(mine, fixture=True)

    @pytest.mark.parametrize("manifest", ["missing", "damaged"])
    @pytest.mark.parametrize("gap", ["nothing", "public", "private"])
    def test_data_that_do_not_say_what_they_are_count_as_real(
        self, gap: str, manifest: str, mine: Competition, raw: Path
    ) -> None:
        """Such as the original's data, complete or lacking a file."""
        prepare(mine, raw)
        path = mine.prepared_dir / "prepared.json"
        path.unlink() if manifest == "missing" else path.write_text('{"source": "fix')
        if gap != "nothing":
            (mine.sample_submission if gap == "public" else mine.answers).unlink()
        before = file_digests(mine.data_dir)
        with pytest.raises(ConfigError, match="--force"):
            prepare(mine, fixture=True)
        assert file_digests(mine.data_dir) == before

    def test_empty_folders_are_no_data(self, mine: Competition) -> None:
        mine.public_dir.mkdir(parents=True)
        assert prepare(mine, fixture=True)
        assert_prepared(mine, "fixture")

    @pytest.mark.parametrize("force", [False, True])
    @pytest.mark.parametrize("is_there", [False, True])
    def test_sums_of_made_up_data_are_never_recorded(
        self, is_there: bool, force: bool, mine: Competition, raw: Path
    ) -> None:
        mine.checksums.write_text("v1: {public: {a.csv: published}}\n")
        if is_there:
            prepare(mine, raw, skip_verification=True)
        before = file_digests(mine.data_dir) if is_there else {}
        with pytest.raises(ConfigError, match="--overwrite-checksums"):
            prepare(mine, fixture=True, overwrite_checksums=True, force=force)
        assert (file_digests(mine.data_dir) if is_there else {}) == before
        assert "published" in mine.checksums.read_text()

    @pytest.mark.parametrize("real_first", [False, True])
    def test_interrupted_made_up_data_are_no_real_ones(
        self, real_first: bool, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prepare(mine, raw if real_first else None, fixture=not real_first)

        def stop(final: Path) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(publishing, "_take_steps", stop)
            with pytest.raises(KeyboardInterrupt):
                prepare(mine, fixture=True, force=True)
        (mine.public_dir / "half.csv").touch()
        prepare(mine, fixture=True)
        assert_prepared(mine, "fixture")
        assert not (mine.public_dir / "half.csv").exists()

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

    @pytest.mark.parametrize("zips", [0, 1, 2])
    def test_own_raw_folder_is_never_touched(self, zips: int, mine: Competition, raw: Path) -> None:
        for number in range(zips):
            zipped(raw, mine.data_dir / f"{number}.zip")
        (mine.data_dir / "old.zip").mkdir(parents=True)  # and no zip
        assert mine.task is not None
        mine.task.fixture(mine.raw_dir)
        (mine.raw_dir / "notes.txt").write_text("of mine")
        before = file_digests(mine.raw_dir)
        prepare(mine)
        assert file_digests(mine.raw_dir) == before

    def test_a_zip_may_be_called_so_in_capitals(
        self, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        assert prepare(mine, str(zipped(raw, tmp_path / "DOWNLOAD.ZIP")))
        zipped(raw, mine.data_dir / "OWN.ZIP")
        assert prepare(mine, force=True)

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

    @pytest.mark.parametrize("name", [".incomplete", INCOMPLETE_FILE])
    def test_a_raw_folder_with_any_hidden_file_is_never_emptied(
        self, name: str, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        assert mine.task is not None
        mine.task.fixture(mine.raw_dir)
        (mine.raw_dir / name).touch()
        before = file_digests(mine.raw_dir)
        prepare(mine, zipped(raw, tmp_path / "download.zip"), keep_raw=True)
        assert file_digests(mine.raw_dir) == before

    def test_kept_files_are_the_users_whatever_was_in_the_zip(
        self, mine: Competition, raw: Path, tmp_path: Path
    ) -> None:
        (raw / INCOMPLETE_FILE).touch()
        archive = zipped(raw, tmp_path / "download.zip")
        prepare(mine, archive, keep_raw=True)
        (mine.raw_dir / "notes.txt").write_text("of mine")
        prepare(mine, archive, keep_raw=True, force=True)
        assert (mine.raw_dir / "notes.txt").is_file()

    def test_raw_files_that_are_not_kept_are_told(
        self, mine: Competition, raw: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        archive = zipped(raw, tmp_path / "download.zip")
        prepare(mine, archive, keep_raw=True)
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
        (mine.raw_dir / "notes.txt").write_text("of mine")
        prepare(mine, archive, keep_raw=True, force=True)
        assert f"{mine.raw_dir} holds files already, so what was unpacked is not kept." in (
            caplog.messages
        )


class TestMountedRaw:
    """A ``raw`` folder that can be filled and emptied, but not be replaced."""

    @pytest.fixture(params=[errno.EXDEV, errno.EBUSY])
    def mounted(
        self, request: pytest.FixtureRequest, mine: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> Path:
        """The competition's own folder, which may not be renamed, replaced or removed."""
        mine.raw_dir.mkdir(parents=True)
        for name in ("rename", "replace", "rmdir"):
            change = getattr(os, name)

            def refuse(
                *paths: Path, change: Callable[..., None] = change, **options: object
            ) -> None:
                if mine.raw_dir in map(Path, paths):
                    raise OSError(request.param, os.strerror(request.param))
                change(*paths, **options)

            monkeypatch.setattr(os, name, refuse)
        return mine.raw_dir

    def test_is_filled(self, mine: Competition, raw: Path, mounted: Path) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        assert prepare(mine, keep_raw=True)
        assert file_digests(mounted) == file_digests(raw)
        assert_prepared(mine, "local")

    def test_keeps_what_is_in_it(self, mine: Competition, raw: Path, mounted: Path) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        prepare(mine, keep_raw=True)
        before = file_digests(mounted)
        assert before
        assert prepare(mine, force=True)
        assert file_digests(mounted) == before

    @pytest.mark.parametrize("keep", [False, True])
    def test_is_no_source_when_half_filled(
        self, keep: bool, mine: Competition, raw: Path, mounted: Path
    ) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        (mounted / INCOMPLETE_FILE).write_text(str(mounted.stat().st_ino))
        (mounted / "half.csv").touch()
        assert prepare(mine, keep_raw=keep)
        assert_prepared(mine, "local")
        if keep:
            assert file_digests(mounted) == file_digests(raw)

    def test_may_be_a_link(self, mine: Competition, raw: Path, tmp_path: Path) -> None:
        zipped(raw, mine.data_dir / "mine.zip")
        (tmp_path / "elsewhere").mkdir()
        mine.raw_dir.symlink_to(tmp_path / "elsewhere")
        assert prepare(mine, keep_raw=True)
        assert file_digests(tmp_path / "elsewhere") == file_digests(raw)


def test_grading_unprepared_data_is_an_error_of_its_own(mine: Competition) -> None:
    from mlebench.grading.single import grade_csv

    with pytest.raises(NotPreparedError):
        grade_csv("submission.csv", mine)
