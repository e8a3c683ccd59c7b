"""Whoever has to prepare again is told how, from what the data were made of before."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path
from typing import NoReturn

import pytest

from mlebench.data import inventory
from mlebench.data.inspecting import inspect
from mlebench.data.layout import MANIFEST_FILE
from mlebench.data.manifest import read_manifest
from mlebench.data.prepare import prepare
from mlebench.data.remedies import prepare_command
from mlebench.errors import UnwritableFolderError
from mlebench.registry.competition import Competition
from tests.data.conftest import zipped
from tests.kaggle_server import Kaggle


def remedy(competition: Competition) -> str:
    """What is advised once a file is gone."""
    competition.sample_submission.unlink()
    told = inspect(competition).remedy
    assert told is not None
    assert told.startswith(f"mlebench prepare -c {competition.id} --force")
    return told


class TestVerify:
    """The command that mends data names what they were made from."""

    def test_a_folder_of_the_users(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        assert f"--from '{raw}'" in remedy(mine)

    def test_a_path_is_the_same_from_everywhere(
        self, mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(raw.parent)
        prepare(mine, raw.name)
        assert f"--from '{raw}'" in remedy(mine)

    def test_a_zip_of_the_users(self, mine: Competition, raw: Path) -> None:
        archive = zipped(raw, raw.parent / "mine.zip")
        prepare(mine, archive)
        assert f"--from {archive}" in remedy(mine)

    def test_what_is_gone_is_told(self, mine: Competition, raw: Path) -> None:
        prepare(mine, raw)
        raw.rename(raw.with_name("elsewhere"))
        mine.sample_submission.unlink()
        assert f"{raw}, which is not there any more" in inspect(mine).sentences[-1]

    def test_what_lies_among_the_data_needs_no_name(self, mine: Competition, raw: Path) -> None:
        mine.data_dir.mkdir(parents=True)
        raw.rename(mine.raw_dir)
        prepare(mine)
        assert "--from" not in (told := remedy(mine))
        assert "--fixture" not in told

    def test_made_up_data(self, mine: Competition) -> None:
        prepare(mine, fixture=True)
        assert "--fixture" in remedy(mine)

    def test_a_download(self, mine: Competition, raw: Path, kaggle: Kaggle) -> None:
        kaggle.archives["mine"] = zipped(raw, raw.parent / "at kaggle.zip")
        prepare(mine)
        assert "--from" not in (told := remedy(mine))
        assert "--fixture" not in told

    def test_a_mirror_without_its_secrets(self, mine: Competition, raw: Path) -> None:
        pytest.importorskip("fsspec")
        zipped(raw, raw.parent / "mine.zip")
        address = f"file://{raw.parent}"
        prepare(mine, address)
        assert f"--from {address}" in remedy(mine)

    def test_nobody_is_sent_to_kaggle_with_a_competition_of_ones_own(
        self, mine: Competition, raw: Path
    ) -> None:
        prepare(mine, raw)
        (mine.prepared_dir / MANIFEST_FILE).unlink()
        mine.sample_submission.unlink()
        assert "--from PATH" in prepare_command(mine)

    def test_data_that_are_not_the_published_ones_are_not_compared_again(
        self, mine: Competition, raw: Path
    ) -> None:
        mine.checksums.write_text("v1: {public: {a.csv: x}, private: {}}\n")
        prepare(mine, raw, skip_verification=True)
        assert "--skip-verification" in remedy(mine)


def test_a_disk_that_must_not_be_written_is_told_in_a_sentence(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)

    def read_only(lock: Path, timeout: float | None = None) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(lock))

    monkeypatch.setattr(inventory, "exclusive", read_only)
    with pytest.raises(UnwritableFolderError, match="--data-dir"):
        inventory.remove_parts(mine, ["prepared"])


def test_a_path_that_is_no_text_is_not_noted(mine: Competition, raw: Path) -> None:
    odd = raw.rename(raw.with_name("odd\udcff"))
    prepare(mine, odd)
    logging.getLogger(__name__).warning("This report holds %s, and arrives.", odd)
    manifest = read_manifest(mine)
    assert manifest is not None
    assert manifest.origin == ""


class TestDoneAlready:
    """A source that was named in vain is told of, with what the data there come from."""

    def told(self, caplog: pytest.LogCaptureFixture) -> str:
        (record,) = [one for one in caplog.records if one.levelno == logging.WARNING]
        return record.getMessage()

    def test_another_source(
        self, mine: Competition, raw: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        prepare(mine, raw)
        assert prepare(mine, raw.with_name("another")) is False
        manifest = read_manifest(mine)
        assert manifest is not None
        message = self.told(caplog)
        assert f"prepared already, from {raw} at {manifest.created_at[:10]}" in message
        assert f"{raw.with_name('another')} was not read" in message
        assert "--force" in message

    def test_secrets_of_an_address(
        self, mine: Competition, raw: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        prepare(mine, raw)
        prepare(mine, "https://me:hush@mirror.example/zips?key=hush")
        assert "https://mirror.example/zips" in self.told(caplog)
        assert "hush" not in caplog.text

    def test_without_a_source_there_is_nothing_to_warn_of(
        self, mine: Competition, raw: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        prepare(mine, raw)
        prepare(mine)
        assert not [one for one in caplog.records if one.levelno >= logging.WARNING]
