"""Prepared data are compared with their manifest and the published sums, as they lie there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from mlebench.data.checksums import file_digest
from mlebench.data.content import content_of
from mlebench.data.inspecting import inspect
from mlebench.data.layout import LOCK_FILE, MANIFEST_FILE, PUBLISHING_FILE
from mlebench.data.locks import exclusive
from mlebench.data.manifest import read_manifest
from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import file_digests

NEW_FIELDS = ("public_md5", "content", "files", "bytes")


@pytest.fixture
def published(mine: Competition, raw: Path) -> Competition:
    """Data that are the published ones."""
    prepare(mine, raw, overwrite_checksums=True)
    prepare(mine, raw, force=True)
    return mine


def forget(competition: Competition, *fields: str) -> None:
    """Make a manifest one of former times."""
    path = competition.prepared_dir / MANIFEST_FILE
    stated = json.loads(path.read_text())
    for name in fields:
        del stated[name]
    path.write_text(json.dumps(stated))


def state_md5_only(competition: Competition) -> None:
    """Turn the published sums into the original's form."""
    stated = yaml.safe_load(competition.checksums.read_text())["v1"]
    del stated["content"]
    competition.checksums.write_text(yaml.safe_dump({"zip": "a", **stated}))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_the_manifest_tells_what_was_prepared(mine: Competition, raw: Path) -> None:
    prepare(mine, raw)
    manifest = read_manifest(mine)
    assert manifest is not None
    tables = {"train.csv", "test.csv", "sample_submission.csv"}
    assert manifest.public_md5 == {
        name: file_digest(mine.public_dir / name) for name in sorted(tables)
    }
    assert set(manifest.content) == {f"public/{name}" for name in tables} | {"private/test.csv"}
    assert manifest.content["private/test.csv"] == content_of(mine.answers)
    files = [*mine.public_dir.rglob("*"), *mine.private_dir.rglob("*")]
    assert manifest.files == len(files)
    assert manifest.bytes == sum(path.stat().st_size for path in files)


def test_manifests_of_former_times_are_read(published: Competition) -> None:
    forget(published, *NEW_FIELDS)
    manifest = read_manifest(published)
    assert manifest is not None
    assert (manifest.public_md5, manifest.content, manifest.files) == ({}, {}, 0)
    assert inspect(published).status == "verified"
    replace(published.public_dir / "train.csv", "id", "ID")
    assert inspect(published).status == "changed"


class TestStatus:
    """The word for each state of the data."""

    def test_published_data_are_verified_and_left_alone(self, published: Competition) -> None:
        before = file_digests(published.data_dir)
        found = inspect(published)
        assert (found.competition_id, found.edition) == ("mine", "v1")
        assert (found.status, found.sentences) == ("verified", ())
        assert file_digests(published.data_dir) == before

    @pytest.mark.parametrize("fixture", [False, True])
    def test_data_of_ones_own_are_unchanged(
        self, fixture: bool, mine: Competition, raw: Path
    ) -> None:
        prepare(mine, None if fixture else raw, fixture=fixture)
        assert (inspect(mine).status, inspect(mine).sentences) == ("unchanged", ())

    def test_made_up_data_are_never_compared_with_published_ones(
        self, published: Competition
    ) -> None:
        published.checksums.write_text("v1: {public: {a.csv: x}, private: {}}\n")
        prepare(published, fixture=True, force=True)
        assert (inspect(published).status, inspect(published).sentences) == ("unchanged", ())

    def test_unverified_data_are_unchanged_and_told_apart_from_published_ones(
        self, published: Competition, raw: Path
    ) -> None:
        replace(raw / "train.csv", "\n", "\n9999,0.5,0.5\n")
        prepare(published, raw, force=True, skip_verification=True)
        found = inspect(published)
        assert found.status == "unchanged"
        assert any(
            told.startswith("Not as published: ") and "1 row more" in told
            for told in found.sentences
        )

    def test_nothing_is_there(self, mine: Competition) -> None:
        assert inspect(mine).status == "not prepared"
        mine.public_dir.mkdir(parents=True)
        found = inspect(mine)
        assert found.status == "not prepared"
        assert "is missing or empty" in found.sentences[0]

    def test_another_edition_is_there(self, published: Competition, tmp_path: Path) -> None:
        registry = Registry(tmp_path / "data", [tmp_path / "competitions"]).set_edition("v2")
        second = registry.get_competition("mine")
        shutil.copytree(published.prepared_dir, second.prepared_dir)
        found = inspect(second)
        assert (found.status, found.edition) == ("not prepared", "v2")
        assert "holds edition v1" in found.sentences[0]

    @pytest.mark.parametrize("name", ["answers", "sample_submission"])
    def test_a_needed_file_is_missing(self, name: str, published: Competition) -> None:
        getattr(published, name).unlink()
        found = inspect(published)
        assert found.status == "incomplete"
        assert found.sentences[0].endswith(" is missing or empty.")

    def test_a_preparation_was_interrupted(self, published: Competition) -> None:
        manifest = published.prepared_dir / MANIFEST_FILE
        (published.prepared_dir / PUBLISHING_FILE).write_bytes(manifest.read_bytes())
        with exclusive(published.data_dir / LOCK_FILE):
            assert inspect(published).status == "incomplete"
        assert inspect(published).status == "verified"

    def test_another_file_is_missing(self, published: Competition) -> None:
        (published.public_dir / "train.csv").unlink()
        (published.public_dir / "description.md").unlink()
        found = inspect(published)
        assert found.status == "incomplete"
        assert found.sentences == (
            "public/train.csv is missing.",
            "There are 3 files; 5 were prepared.",
        )

    def test_a_table_has_changed(self, published: Competition) -> None:
        table = published.public_dir / "train.csv"
        replace(table, "feature", "Feature")
        found = inspect(published)
        assert found.status == "changed"
        assert found.sentences == (
            "public/train.csv: column missing: `feature`; column too many: `Feature`.",
        )

    def test_only_the_encoding_has_changed(self, published: Competition) -> None:
        path = published.answers
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        found = inspect(published)
        assert (found.status, found.sentences) == (
            "changed",
            ("private/test.csv: only its encoding differs.",),
        )

    def test_another_file_has_changed(self, published: Competition) -> None:
        with (published.public_dir / "description.md").open("a") as file:
            file.write("!")
        found = inspect(published)
        assert found.status == "changed"
        assert "bytes; those prepared had" in found.sentences[0]

    def test_a_file_too_many(self, published: Competition) -> None:
        (published.public_dir / "more.csv").write_text("a\n")
        found = inspect(published)
        assert found.status == "changed"
        assert found.sentences[0] == "public/more.csv should not be there."


class TestOriginal:
    """Folders made by the original, which say nothing about themselves."""

    @pytest.fixture
    def originals(self, published: Competition) -> Competition:
        (published.prepared_dir / MANIFEST_FILE).unlink()
        return published

    def test_are_verified(self, originals: Competition) -> None:
        assert (inspect(originals).status, inspect(originals).sentences) == ("verified", ())
        state_md5_only(originals)
        assert inspect(originals).status == "verified"

    def test_are_found_changed(self, originals: Competition) -> None:
        path = originals.public_dir / "train.csv"
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        found = inspect(originals)
        assert (found.status, found.sentences) == (
            "changed",
            ("public/train.csv: only its encoding differs.",),
        )
        state_md5_only(originals)
        (sentence,) = inspect(originals).sentences
        assert sentence.startswith("public/train.csv: only line ends differ; it has ")

    def test_are_found_incomplete(self, originals: Competition) -> None:
        (originals.public_dir / "train.csv").unlink()
        found = inspect(originals)
        assert (found.status, found.sentences) == ("incomplete", ("public/train.csv is missing.",))

    def test_cannot_be_judged_where_nothing_is_published(self, originals: Competition) -> None:
        originals.checksums.unlink()
        assert inspect(originals).status == "unknown"


class TestByContent:
    """Files whose bytes depend on the library that wrote them."""

    @pytest.mark.parametrize("with_digest", [True, False])
    def test_other_bytes_need_a_digest(
        self, with_digest: bool, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not with_digest:
            state_md5_only(tabular)
        monkeypatch.setenv("COMPRESSION", "gzip")
        prepare(tabular, force=True)
        assert inspect(tabular).status == ("verified" if with_digest else "unchanged")
        (tabular.prepared_dir / MANIFEST_FILE).unlink()
        assert inspect(tabular).status == ("verified" if with_digest else "unknown")

    def test_a_damaged_file_is_told(self, tabular: Competition) -> None:
        (tabular.public_dir / "meta.parquet").write_bytes(b"PAR1")
        (tabular.prepared_dir / MANIFEST_FILE).unlink()
        found = inspect(tabular)
        assert found.status == "changed"
        assert found.sentences[0].startswith("public/meta.parquet is damaged: ")
