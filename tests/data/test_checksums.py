"""Published sums: by edition, in either form, verified before anything is put in place."""

from __future__ import annotations

import logging
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from mlebench.data.checksums import file_digest, load_checksums, published_checksums
from mlebench.data.content import content_digest, content_of
from mlebench.data.prepare import prepare
from mlebench.data.verifying import ZipCheck
from mlebench.errors import ChecksumMismatchError, ConfigError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared, zipped
from tests.helpers import add_competition, file_digests

WRONG = "0" * 32


def change(path: Path, *keys: str) -> None:
    """Make one published sum wrong."""
    sums = yaml.safe_load(path.read_text())
    entry = sums
    for key in keys[:-1]:
        entry = entry[key]
    assert keys[-1] in entry
    entry[keys[-1]] = WRONG
    path.write_text(yaml.safe_dump(sums, sort_keys=False))  # the order of columns counts


@pytest.fixture
def published(mine: Competition, raw: Path) -> Path:
    """The sums of these very data, with the zip's."""
    zipped(raw, mine.data_dir / "mine.zip")
    prepare(mine, overwrite_checksums=True)
    return mine.checksums


def test_overwriting_records_the_sums_of_these_data(published: Path, mine: Competition) -> None:
    assert list(yaml.safe_load(published.read_text())) == ["zip", "v1"]
    sums = load_checksums(published)
    assert sums is not None
    assert sums["zip"] == file_digest(mine.data_dir / "mine.zip")
    assert sums["private"] == {"test.csv": file_digest(mine.answers)}
    assert set(sums["public"]) == {"train.csv", "test.csv", "sample_submission.csv"}


@pytest.mark.parametrize("beside", [0, 1, 2])
def test_overwriting_records_the_zip_that_was_given(
    beside: int, mine: Competition, raw: Path, tmp_path: Path
) -> None:
    mine.data_dir.mkdir(parents=True)
    for number in range(beside):
        (mine.data_dir / f"{number}.zip").write_bytes(b"another")
    given = zipped(raw, tmp_path / "given.zip")
    prepare(mine, given, overwrite_checksums=True)
    assert yaml.safe_load(mine.checksums.read_text())["zip"] == file_digest(given)


def test_overwriting_from_a_folder_keeps_the_sum_of_the_zip(
    mine: Competition, raw: Path, tmp_path: Path
) -> None:
    mine.data_dir.mkdir(parents=True)
    (mine.data_dir / "another.zip").write_bytes(b"another")
    mine.checksums.write_text("zip: published\n")
    prepare(mine, raw, overwrite_checksums=True)
    assert yaml.safe_load(mine.checksums.read_text())["zip"] == "published"


def test_equal_sums_make_the_data_the_published_ones(published: Path, mine: Competition) -> None:
    prepare(mine, force=True)
    assert_prepared(mine, "kaggle")


def test_other_table_is_refused_with_a_comparison(
    published: Path, mine: Competition, raw: Path
) -> None:
    change(published, "v1", "private", "test.csv")
    with pytest.raises(ChecksumMismatchError) as caught:
        prepare(mine, raw, force=True)
    message = str(caught.value)
    assert "Checksums do not match for `mine`!" in message
    assert f"+private/test.csv: {WRONG}" in message
    assert "--skip-verification" in message
    assert isinstance(caught.value, ValueError)


class TestOtherZip:
    """A zip that is not the published one: what counts is what is made of it."""

    WORDS = r"Checksum for `.*mine\.zip` does not match the expected checksum! Expected `0{32}`"

    def test_counts_as_published_if_the_tables_agree(
        self, published: Path, mine: Competition, caplog: pytest.LogCaptureFixture
    ) -> None:
        change(published, "zip")
        with caplog.at_level(logging.INFO):
            prepare(mine, force=True)
        assert_prepared(mine, "kaggle")
        assert "mine.zip differs from the published zip, but what it holds does not" in caplog.text

    def test_is_named_beside_the_tables_that_differ(
        self, published: Path, mine: Competition
    ) -> None:
        change(published, "zip")
        change(published, "v1", "public", "train.csv")
        with pytest.raises(ChecksumMismatchError, match=self.WORDS) as caught:
            prepare(mine, force=True)
        assert str(caught.value).startswith("Checksums do not match for `mine`!\n")
        assert f"+public/train.csv: {WRONG}" in str(caught.value)

    def test_is_refused_if_no_tables_are_published(
        self, published: Path, mine: Competition
    ) -> None:
        published.write_text(f"zip: '{WRONG}'\n")
        with pytest.raises(ChecksumMismatchError, match=self.WORDS):
            prepare(mine, force=True)

    @pytest.mark.parametrize("damage", ["cut off", "lacks files"])
    def test_is_to_blame_for_what_cannot_be_prepared(
        self, damage: str, published: Path, mine: Competition, tmp_path: Path
    ) -> None:
        change(published, "zip")
        archive = mine.data_dir / "mine.zip"
        if damage == "cut off":
            archive.write_bytes(archive.read_bytes()[:100])
        else:
            (tmp_path / "empty").mkdir()
            (tmp_path / "empty" / "notes.txt").touch()
            archive.unlink()
            zipped(tmp_path / "empty", archive)
        with pytest.raises(ChecksumMismatchError, match=self.WORDS):
            prepare(mine, force=True)

    def test_is_told_and_not_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.zip"
        path.write_bytes(b"a")
        sum_ = file_digest(path)
        assert ZipCheck(path, None, sum_).agrees is None
        assert ZipCheck(path, sum_, None).agrees is None
        assert ZipCheck(path, sum_, sum_).agrees is True
        assert ZipCheck(path, WRONG, sum_).agrees is False


def test_refused_data_leave_what_was_there(published: Path, mine: Competition) -> None:
    before = file_digests(mine.prepared_dir)
    change(published, "v1", "public", "train.csv")
    with pytest.raises(ChecksumMismatchError):
        prepare(mine, force=True)
    assert file_digests(mine.prepared_dir) == before


def test_verification_can_be_skipped(published: Path, mine: Competition) -> None:
    change(published, "zip")
    change(published, "v1", "private", "test.csv")
    prepare(mine, force=True, skip_verification=True)
    assert_prepared(mine, "local")


def test_fixtures_are_not_verified(published: Path, mine: Competition) -> None:
    change(published, "v1", "private", "test.csv")
    prepare(mine, force=True, fixture=True)
    assert_prepared(mine, "fixture")


class TestForms:
    """``checksums.yaml``: sections of ours, or the original's form."""

    def load(self, text: str, tmp_path: Path, edition: str = "v1") -> object:
        path = tmp_path / "checksums.yaml"
        path.write_text(text)
        return load_checksums(path, edition)  # type: ignore[arg-type]

    def test_sections_are_told_apart(self, tmp_path: Path) -> None:
        text = "zip: a\nv1:\n  public: {x.csv: b}\n  private: {}\nv2:\n  private: {y.csv: c}\n"
        assert self.load(text, tmp_path) == {"zip": "a", "public": {"x.csv": "b"}, "private": {}}
        assert self.load(text, tmp_path, "v2") == {"zip": "a", "private": {"y.csv": "c"}}

    def test_the_originals_form_means_v1(self, tmp_path: Path) -> None:
        text = "public:\n  x.csv: b\nprivate:\n  y.csv: c\nzip: a\n"
        expected = {"zip": "a", "public": {"x.csv": "b"}, "private": {"y.csv": "c"}}
        assert self.load(text, tmp_path) == expected
        assert self.load(text, tmp_path, "v2") == {"zip": "a"}

    @pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
    def test_an_empty_file_publishes_nothing(self, text: str, tmp_path: Path) -> None:
        assert self.load(text, tmp_path) is None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("v3: {}", "v3"),
            ("v1: {pubic: {}}", "pubic"),
            ("v1: {public: [a]}", "public"),
            ("[1]", "object"),
            ("public: {}\nv1: {public: {}}", "twice"),
        ],
    )
    def test_a_wrong_file_is_refused(self, text: str, message: str, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=rf"checksums\.yaml.*{message}"):
            self.load(text, tmp_path)


PREPARE_V2 = """
def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    prepare(raw, public, private)
    (public / "train.csv").write_text("id,value\\n1,2\\n")
"""


class TestEditions:
    """Each edition has its own sums, or those of v1 if nothing in it differs."""

    def competitions(self, tmp_path: Path, code: str = "") -> tuple[Competition, Competition]:
        add_competition(tmp_path / "comps", "own", code)
        registry = Registry(tmp_path / "data", [tmp_path / "comps"])
        first = registry.get_competition("own")
        assert first.task
        first.task.fixture(tmp_path / "raw")
        return first, registry.set_edition("v2").get_competition("own")

    def test_v2_that_prepares_alike_has_the_sums_of_v1(self, tmp_path: Path) -> None:
        first, second = self.competitions(tmp_path)
        prepare(first, tmp_path / "raw", overwrite_checksums=True)
        assert published_checksums(second) == published_checksums(first)
        prepare(second, tmp_path / "raw")
        assert_prepared(second, "kaggle")
        change(first.checksums, "v1", "public", "train.csv")
        with pytest.raises(ChecksumMismatchError):
            prepare(second, tmp_path / "raw", force=True)

    def test_v2_that_prepares_otherwise_has_not(self, tmp_path: Path) -> None:
        first, second = self.competitions(tmp_path, PREPARE_V2)
        assert first.task
        assert second.task
        assert not first.task.has_own("prepare")
        assert second.task.has_own("prepare")
        assert not second.task.has_own("SUBMISSION")
        prepare(first, tmp_path / "raw", overwrite_checksums=True)
        prepare(second, tmp_path / "raw")
        assert_prepared(second, "local")

    @pytest.mark.parametrize("order", [1, -1])
    def test_overwriting_one_edition_leaves_the_other(self, order: int, tmp_path: Path) -> None:
        both = self.competitions(tmp_path, PREPARE_V2)
        for competition in both[::order]:
            prepare(competition, tmp_path / "raw", overwrite_checksums=True)
        assert list(yaml.safe_load(both[0].checksums.read_text())) == ["v1", "v2"]
        first, second = map(published_checksums, both)
        assert first is not None
        assert second is not None
        assert first["public"]["train.csv"] != second["public"]["train.csv"]
        for competition in both:
            prepare(competition, tmp_path / "raw", force=True)
            assert_prepared(competition, "kaggle")

    def test_overwriting_turns_the_originals_form_into_sections(self, tmp_path: Path) -> None:
        first, second = self.competitions(tmp_path, PREPARE_V2)
        first.checksums.write_text("zip: a\npublic: {x.csv: b}\nprivate: {}\n")
        prepare(second, tmp_path / "raw", overwrite_checksums=True)
        stated = yaml.safe_load(first.checksums.read_text())
        assert list(stated) == ["zip", "v1", "v2"]
        assert stated["v1"] == {"public": {"x.csv": "b"}, "private": {}}


class TestByContent:
    """Files whose bytes depend on the library that wrote them."""

    def forget_content(self, competition: Competition) -> None:
        stated = yaml.safe_load(competition.checksums.read_text())
        del stated["v1"]["content"]
        competition.checksums.write_text(yaml.safe_dump(stated))

    def test_what_tables_hold_is_recorded(self, tabular: Competition) -> None:
        sums = load_checksums(tabular.checksums)
        assert sums is not None
        assert set(sums["content"]) == {
            "public/meta.parquet",
            "public/sample_submission.csv",
            "private/test.csv",
        }
        content = sums["content"]["public/meta.parquet"]
        assert content == content_of(tabular.public_dir / "meta.parquet")
        stated = yaml.safe_load(tabular.checksums.read_text())
        assert list(stated["v1"]["content"]["public/meta.parquet"]) == ["rows", "columns"]

    @pytest.mark.parametrize("changed", ["", "1"])
    def test_one_digest_of_all_will_do(
        self, changed: str, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stated = yaml.safe_load(tabular.checksums.read_text())
        digest = content_digest(tabular.public_dir / "meta.parquet")
        stated["v1"]["content"] = {"public/meta.parquet": digest}
        tabular.checksums.write_text(yaml.safe_dump(stated))
        monkeypatch.setenv("COMPRESSION", "gzip")
        monkeypatch.setenv("CHANGE", changed)
        if changed:
            with pytest.raises(ChecksumMismatchError, match="what it holds differs"):
                prepare(tabular, force=True)
        else:
            prepare(tabular, force=True)
            assert_prepared(tabular, "kaggle")

    def test_another_zip_needs_all_tables_to_be_comparable(
        self, tabular: Competition, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        given = zipped(tabular.raw_dir, tmp_path / "given.zip")
        with tabular.checksums.open("a") as sums:
            sums.write(f"zip: '{WRONG}'\n")
        monkeypatch.setenv("COMPRESSION", "gzip")
        prepare(tabular, given, force=True)
        assert_prepared(tabular, "kaggle")
        self.forget_content(tabular)
        with pytest.raises(ChecksumMismatchError, match="Not all that was made from it"):
            prepare(tabular, given, force=True)

    def test_other_bytes_of_the_same_table_will_do(
        self, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COMPRESSION", "gzip")
        prepare(tabular, force=True)
        assert_prepared(tabular, "kaggle")
        table = pq.ParquetFile(tabular.public_dir / "meta.parquet")
        assert table.metadata.row_group(0).column(0).compression == "GZIP"

    def test_another_table_is_refused(
        self, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CHANGE", "1")
        with pytest.raises(
            ChecksumMismatchError, match=r"public/meta\.parquet \(content\)"
        ) as caught:
            prepare(tabular, force=True)
        assert "\npublic/meta.parquet: column `feature` differs.\n" in str(caught.value)

    @pytest.mark.parametrize(
        ("zip_sum", "source"), [("right", "kaggle"), ("unknown", "local"), (None, "local")]
    )
    def test_without_a_digest_the_zip_decides(
        self,
        zip_sum: str | None,
        source: str,
        tabular: Competition,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        """None: no zip at all, but a folder of raw files."""
        self.forget_content(tabular)
        raw = tabular.raw_dir
        given = raw if zip_sum is None else zipped(raw, tmp_path / "given.zip")
        if zip_sum == "right":
            with tabular.checksums.open("a") as sums:
                sums.write(f"zip: {file_digest(given)}\n")
        monkeypatch.setenv("COMPRESSION", "gzip")
        prepare(tabular, given, force=True)
        assert_prepared(tabular, source)
        monkeypatch.delenv("COMPRESSION")
        prepare(tabular, given, force=True)  # the same bytes as published
        assert_prepared(tabular, "kaggle")

    def test_nothing_vouches_for_a_file_without_any_sum(self, tabular: Competition) -> None:
        self.forget_content(tabular)
        stated = yaml.safe_load(tabular.checksums.read_text())
        del stated["v1"]["public"]["meta.parquet"]
        tabular.checksums.write_text(yaml.safe_dump(stated))
        prepare(tabular, force=True)
        assert_prepared(tabular, "local")

    def test_without_a_digest_the_difference_is_noted(
        self,
        tabular: Competition,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        self.forget_content(tabular)
        monkeypatch.setenv("COMPRESSION", "gzip")
        with caplog.at_level(logging.INFO):
            prepare(tabular, force=True)
        assert_prepared(tabular, "local")
        assert "public/meta.parquet has the md5 sum" in caplog.text

    def test_other_tables_are_compared_as_ever(
        self, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change(tabular.checksums, "v1", "private", "test.csv")
        monkeypatch.setenv("COMPRESSION", "gzip")
        with pytest.raises(ChecksumMismatchError) as caught:
            prepare(tabular, force=True)
        assert "\n-public/meta.parquet" not in str(caught.value)
        assert "\n-private/test.csv" in str(caught.value)

    @pytest.mark.parametrize("with_digest", [False, True])
    def test_a_missing_file_is_refused(
        self, with_digest: bool, tabular: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if not with_digest:
            self.forget_content(tabular)
        monkeypatch.setenv("COMPRESSION", "")
        with pytest.raises(ChecksumMismatchError, match=r"\+public/meta\.parquet"):
            prepare(tabular, force=True)
