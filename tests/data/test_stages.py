"""A preparation stage by stage: what is done is not done again, and nothing else is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mlebench.data import pipeline
from mlebench.data.checksums import file_digest, load_checksums
from mlebench.data.inspecting import inspect
from mlebench.data.inventory import remove_parts
from mlebench.data.locks import exclusive
from mlebench.data.manifest import find_gap, read_manifest
from mlebench.data.prepare import prepare
from mlebench.data.stamping import folder_stamp
from mlebench.data.watching import Nobody
from mlebench.errors import (
    ChecksumMismatchError,
    DataSourceError,
    KaggleAuthError,
    MlebenchError,
    TaskError,
)
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared
from tests.helpers import add_competition, file_digests
from tests.kaggle_server import Kaggle, zip_of
from tests.rights import as_ordinary_user

# Counts its calls in a file beside the competition, and shows media and an archive to agents.
COUNTED = """
import zipfile

from mlebench.preparing.files import place_tree

prepare_tables = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    with (Path(__file__).parents[2] / "calls").open("a") as calls:
        calls.write("x")
    prepare_tables(raw, public, private)
    if (raw / "media").is_dir():
        place_tree(raw / "media", public / "media")
        with zipfile.ZipFile(public / "more.zip", "w") as archive:
            for name, text in (("more/extra.csv", "id\\n1\\n"), ("more/notes.txt", "of use")):
                archive.writestr(zipfile.ZipInfo(name), text)  # which knows no time
    if (ending := Path(__file__).parents[2] / "ending").is_file():
        exec(ending.read_text())
"""


class Stop(Nobody):
    """Interrupts a preparation when a stage begins, as a user does or as the system kills."""

    def __init__(self, at: str, *, kills: bool = False) -> None:
        self.at, self.kills = at, kills

    def stage(self, name: str) -> None:
        if name == self.at and self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if name == self.at:
            raise KeyboardInterrupt


class Bench:
    """A competition that counts how often it is prepared, and raw data for it."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.folder = add_competition(work / "competitions", "mine", COUNTED)
        self.mine = self.edition("v1")
        assert self.mine.task
        self.raw = work / "users raw"
        self.mine.task.fixture(self.raw)
        (self.raw / "media").mkdir()
        (self.raw / "media" / "picture").write_text("dots")
        self.archive = self.zipped(work / "download.zip")

    def edition(self, name: str) -> Competition:
        registry = Registry(self.work / "data", [self.work / "competitions"], name)  # type: ignore[arg-type]
        return registry.get_competition("mine")

    def zipped(self, path: Path) -> Path:
        files = (file for file in self.raw.rglob("*") if file.is_file())
        pack(path, {str(file.relative_to(self.raw)): file for file in files})
        return path

    @property
    def calls(self) -> int:
        """How often prepare was called."""
        calls = self.work / "calls"
        return len(calls.read_text()) if calls.is_file() else 0

    @property
    def staging(self) -> Path:
        return self.mine.data_dir / ".staging-v1"

    @property
    def finished(self) -> list[str]:
        """The stages that are on record."""
        return [*json.loads((self.staging / "stages.json").read_bytes())["done"]]

    def interrupt(self, at: str, **options: object) -> None:
        with pytest.raises(KeyboardInterrupt):
            prepare(self.mine, watcher=Stop(at), **({"source": self.archive} | options))  # type: ignore[arg-type]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


KILLED = """
import sys
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.data.test_stages import Stop

work, at = Path(sys.argv[1]), sys.argv[2]
mine = Registry(work / "data", [work / "competitions"]).get_competition("mine")
prepare(mine, work / "download.zip", keep_raw=True, watcher=Stop(at, kills=True))
"""


class TestResuming:
    """Whoever comes next goes on after the last stage that was finished."""

    @pytest.mark.parametrize(
        ("at", "finished"),
        [
            ("verify", []),
            ("extract", ["zip"]),
            ("prepare", ["zip", "raw"]),
            ("check", ["zip", "raw", "prepared"]),
            ("publish", ["zip", "raw", "prepared", "check"]),
        ],
    )
    def test_a_killed_preparation_repeats_no_finished_stage(
        self, at: str, finished: list[str], bench: Bench
    ) -> None:
        bench.mine.checksums.write_text(f"zip: {file_digest(bench.archive)}\n")
        command = [sys.executable, "-c", KILLED, str(bench.work), at]
        killed = subprocess.run(command, check=False, timeout=120, capture_output=True)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert bench.finished == finished
        assert find_gap(bench.mine) is not None
        places = {"raw": bench.mine.raw_dir, "prepared": bench.mine.prepared_dir}
        before = {name: inodes(bench.staging / name) for name in finished if name in places}
        assert prepare(bench.mine, bench.archive, keep_raw=True)
        assert bench.calls == 1
        for name, kept in before.items():
            assert kept.items() <= inodes(places[name]).items(), name
        assert_prepared(bench.mine, "local")

    def test_the_result_is_that_of_an_undisturbed_preparation(self, bench: Bench) -> None:
        prepare(bench.mine, bench.archive)
        expected = file_digests(bench.mine.public_dir), file_digests(bench.mine.private_dir)
        shutil.rmtree(bench.mine.data_dir)
        for at in ("extract", "prepare", "check", "publish"):
            bench.interrupt(at)
        assert prepare(bench.mine, bench.archive)
        found = file_digests(bench.mine.public_dir), file_digests(bench.mine.private_dir)
        assert found == expected

    @pytest.mark.parametrize("change", ["zip", "task.py", "option", "folder", "nothing"])
    def test_work_for_something_else_is_of_no_use(self, change: str, bench: Bench) -> None:
        bench.interrupt("publish")
        options: dict[str, object] = {"source": bench.archive}
        if change == "zip":
            (bench.raw / "media" / "picture").write_text("strokes")
            bench.zipped(bench.archive)
        elif change == "task.py":
            with (bench.folder / "task.py").open("a") as code:
                code.write("\n# improved\n")
        elif change == "option":
            options["layout"] = "extracted"
        elif change == "folder":
            options["source"] = bench.raw
        assert prepare(bench.edition("v1"), **options)  # type: ignore[arg-type]
        assert bench.calls == (1 if change == "nothing" else 2)
        assert_prepared(bench.mine, "local")
        if change == "zip":
            assert (bench.mine.public_dir / "media" / "picture").read_text() == "strokes"

    @pytest.mark.parametrize(
        ("at", "layout"),
        [("publish", "archived"), ("save_checksums", "extracted"), ("conclude", "archived")],
    )
    def test_sums_are_recorded_once_data_are_published_and_cost_no_work(
        self, at: str, layout: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        options: dict[str, Any] = {"overwrite_checksums": True, "layout": layout}
        old = "v2:\n  public:\n    other.csv: another\n"
        bench.mine.checksums.write_text(old)

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(pipeline, at, interrupt)
            with pytest.raises(KeyboardInterrupt):
                prepare(bench.mine, bench.archive, **options)
        assert (bench.mine.checksums.read_text() == old) == (at != "conclude")
        assert prepare(bench.mine, bench.archive, **options)
        assert bench.calls == 1
        assert inspect(bench.mine).status == "verified"
        assert load_checksums(bench.mine.checksums, "v2") is not None
        assert prepare(bench.mine, bench.archive, force=True)
        assert_prepared(bench.mine, "kaggle")

    def test_each_edition_has_work_of_its_own(self, bench: Bench) -> None:
        bench.interrupt("publish")
        second = bench.edition("v2")
        assert prepare(second, bench.archive)
        assert bench.calls == 2
        assert bench.staging.is_dir()
        assert prepare(bench.mine, bench.archive)
        assert bench.calls == 2
        assert_prepared(bench.mine, "local")
        assert find_gap(second) is None

    def test_a_record_that_cannot_be_read_counts_for_nothing(self, bench: Bench) -> None:
        bench.interrupt("publish")
        (bench.staging / "stages.json").write_bytes(b'{"identity": {"compet')
        assert prepare(bench.mine, bench.archive)
        assert bench.calls == 2
        assert_prepared(bench.mine, "local")

    def test_interrupted_made_up_data_leave_nothing(self, bench: Bench) -> None:
        bench.interrupt("publish", source=None, fixture=True)
        assert [*bench.mine.data_dir.iterdir()] == []
        assert prepare(bench.mine, fixture=True)
        assert bench.calls == 2
        assert_prepared(bench.mine, "fixture")


class TestFailing:
    """An error leaves what was there before, and nothing else."""

    @pytest.mark.parametrize(
        ("code", "expected"),
        [
            ("raise ValueError('no such thing')", TaskError),
            ("(private / 'test.csv').write_text('')", TaskError),
            ("(private / 'test.csv').unlink()", TaskError),
            ("(public / 'sample_submission.csv').write_bytes(b'')", TaskError),
            ("Path('/dev/full').write_text('more than fits')", OSError),
        ],
    )
    @pytest.mark.parametrize("is_there", [False, True])
    def test_old_data_stay_and_no_staging(
        self, is_there: bool, code: str, expected: type[Exception], bench: Bench
    ) -> None:
        if is_there:
            prepare(bench.mine, bench.archive)
        before = file_digests(bench.work / "data") if is_there else {}
        (bench.work / "ending").write_text(code)
        with pytest.raises(expected):
            prepare(bench.mine, bench.archive, force=True)
        assert not bench.staging.exists()
        assert (file_digests(bench.work / "data") if is_there else {}) == before
        assert (find_gap(bench.mine) is None) == is_there

    def test_other_sums_leave_the_old_data_and_the_users_zip(self, bench: Bench) -> None:
        prepare(bench.mine, bench.archive)
        before = file_digests(bench.mine.data_dir)
        bench.mine.checksums.write_text("v1: {private: {test.csv: another}}\n")
        with pytest.raises(ChecksumMismatchError):
            prepare(bench.mine, bench.archive, force=True)
        assert file_digests(bench.mine.data_dir) == before
        assert bench.archive.is_file()


class TestDownloads:
    """What we downloaded goes once it is used; what is the user's never does."""

    @pytest.fixture(autouse=True)
    def _served(self, bench: Bench, kaggle: Kaggle) -> None:
        kaggle.archives["mine"] = bench.archive
        kaggle.add_to_mirror("mine.zip", bench.archive)

    @pytest.mark.parametrize("keep", [False, True])
    def test_from_kaggle(self, keep: bool, bench: Bench) -> None:
        assert prepare(bench.mine, keep_zip=keep)
        assert_prepared(bench.mine, "local")
        names = sorted(path.name for path in bench.mine.data_dir.iterdir())
        assert names == (["mine.zip"] if keep else []) + ["prepared"]

    @pytest.mark.parametrize("keep", [False, True])
    def test_from_a_mirror(self, keep: bool, bench: Bench, kaggle: Kaggle) -> None:
        assert prepare(bench.mine, kaggle.mirror, keep_zip=keep)
        assert (bench.mine.data_dir / "mine.zip").is_file() == keep

    @pytest.mark.parametrize("name", ["a.7z", "a.tar.gz", "a.csv", "a", "a.zip%00", "a.zip.part"])
    def test_what_the_storage_calls_a_zip_does_not_matter(
        self, name: str, bench: Bench, kaggle: Kaggle
    ) -> None:
        kaggle.archive_name = name
        assert prepare(bench.mine)
        assert [path.name for path in bench.mine.data_dir.iterdir()] == ["prepared"]

    def test_what_is_no_zip_is_not_kept(self, bench: Bench, kaggle: Kaggle) -> None:
        kaggle.archive_name = "archive.7z"
        kaggle.archives["mine"] = bench.raw / "train.csv"
        with pytest.raises(DataSourceError, match="is not a whole zip"):
            prepare(bench.mine)
        assert [*bench.mine.data_dir.iterdir()] == []

    def test_a_download_that_was_kept_is_the_users(self, bench: Bench, kaggle: Kaggle) -> None:
        prepare(bench.mine, keep_zip=True)
        prepare(bench.mine, force=True)
        assert (bench.mine.data_dir / "mine.zip").is_file()
        assert len(kaggle.storage.ranges) == 1

    def test_an_interrupted_preparation_does_not_download_again(
        self, bench: Bench, kaggle: Kaggle
    ) -> None:
        for at in ("extract", "check", "publish"):
            bench.interrupt(at, source=None)
            assert (bench.mine.data_dir / "mine.zip").is_file()
        assert prepare(bench.mine)
        assert len(kaggle.storage.ranges) == 1
        assert bench.calls == 1
        assert [path.name for path in bench.mine.data_dir.iterdir()] == ["prepared"]

    def test_a_zip_that_was_there_stays(self, bench: Bench, kaggle: Kaggle) -> None:
        own = bench.zipped(bench.mine.data_dir / "mine.zip")
        prepare(bench.mine)
        prepare(bench.mine, kaggle.mirror, force=True)
        assert own.is_file()

    def test_a_zip_put_there_after_a_download_failed_stays(
        self, bench: Bench, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("KAGGLE_API_TOKEN", "wrong")
        with pytest.raises(KaggleAuthError, match="--from"):
            prepare(bench.mine)
        own = bench.zipped(bench.mine.data_dir / "mine.zip")
        assert prepare(bench.mine)
        assert own.is_file()

    def test_a_zip_put_there_after_a_download_was_interrupted_stays(
        self, bench: Bench, kaggle: Kaggle
    ) -> None:
        class Impatient(Nobody):
            def advance(self, done: int, total: int | None) -> None:
                if done:
                    raise KeyboardInterrupt

        kaggle.storage.cut_after, kaggle.storage.cuts = 200, 1
        with pytest.raises(KeyboardInterrupt):
            prepare(bench.mine, watcher=Impatient())
        own = bench.zipped(bench.mine.data_dir / "mine.zip")
        assert prepare(bench.mine)
        assert own.is_file()

    @pytest.mark.parametrize("arrived", [0, 200])
    def test_a_zip_put_there_after_a_download_was_killed_stays(
        self, arrived: int, bench: Bench, kaggle: Kaggle
    ) -> None:
        kill_download(bench, kaggle, arrived)
        remove_parts(bench.mine, ["unfinished"])
        bench.mine.data_dir.mkdir()  # which was empty, and is gone
        own = bench.zipped(bench.mine.data_dir / "mine.zip")
        assert prepare(bench.mine)
        assert own.is_file()

    @pytest.mark.parametrize("arrived", [0, 200])
    def test_nothing_of_a_killed_download_is_left_beside_prepared_data(
        self, arrived: int, bench: Bench, kaggle: Kaggle
    ) -> None:
        kill_download(bench, kaggle, arrived)
        assert prepare(bench.mine, bench.archive)
        assert [path.name for path in bench.mine.data_dir.iterdir()] == ["prepared"]

    def test_nor_what_was_to_be_known_about_it(self, bench: Bench, kaggle: Kaggle) -> None:
        kill_download(bench, kaggle, 0)
        draft = bench.mine.data_dir / "mine.zip.part.json.new"
        draft.write_text("{")  # as if killed while writing it
        remove_parts(bench.mine, ["unfinished"])
        assert not draft.exists()
        draft.parent.mkdir()
        draft.write_text("{")
        assert prepare(bench.mine, bench.archive)
        assert not draft.exists()

    def test_a_download_under_way_elsewhere_goes_on(self, bench: Bench, kaggle: Kaggle) -> None:
        kill_download(bench, kaggle, 200)
        with exclusive(bench.mine.data_dir / ".mine.zip.lock"):
            assert prepare(bench.mine, bench.archive)
            assert (bench.mine.data_dir / "mine.zip.part").is_file()

    def test_a_full_disk_is_not_the_fault_of_a_download(
        self, bench: Bench, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        full = shutil._ntuple_diskusage(1 << 40, 1 << 40, 0)
        monkeypatch.setattr(
            "mlebench.preparing.extraction.limits.shutil.disk_usage", lambda _: full
        )
        with pytest.raises(MlebenchError, match="Make room") as caught:
            prepare(bench.mine)
        assert "--zip" not in str(caught.value)
        assert (bench.mine.data_dir / "mine.zip").is_file()

    def test_a_zip_put_in_the_place_of_a_useless_download_stays(
        self, bench: Bench, kaggle: Kaggle
    ) -> None:
        bench.mine.checksums.write_text("v1: {private: {test.csv: another}}\n")
        with pytest.raises(ChecksumMismatchError):
            prepare(bench.mine)
        own = bench.mine.data_dir / "mine.zip"
        own.write_bytes(bench.archive.read_bytes())
        assert prepare(bench.mine, skip_verification=True)
        assert own.is_file()
        assert not (bench.mine.data_dir / ".download").exists()

    def test_a_zip_put_there_during_a_download_stays(self, bench: Bench, kaggle: Kaggle) -> None:
        own = bench.mine.data_dir / "mine.zip"

        class Busy(Nobody):
            def advance(self, done: int, total: int | None) -> None:
                if done == 0:
                    bench.zipped(own)

        kaggle.add_to_mirror("mine.zip", zip_of({"other.csv": b"id"}))
        assert prepare(bench.mine, kaggle.mirror, watcher=Busy())
        assert own.read_bytes() == bench.archive.read_bytes()
        assert {path.name for path in bench.mine.data_dir.iterdir()} == {"mine.zip", "prepared"}

    @pytest.mark.parametrize("note", ["mine", "ours"])
    def test_nothing_beside_a_zip_from_elsewhere_is_touched(
        self, note: str, bench: Bench, kaggle: Kaggle
    ) -> None:
        elsewhere = Registry(bench.work / "elsewhere", [bench.work / "competitions"])
        other = elsewhere.get_competition("mine")
        with pytest.raises(KeyboardInterrupt):
            prepare(other, kaggle.mirror, watcher=Stop("extract"))
        if note == "mine":
            (other.data_dir / ".download").write_text("of mine")
        before = file_digests(other.data_dir)
        assert prepare(bench.mine, other.data_dir / "mine.zip")
        assert file_digests(other.data_dir) == before

    def test_a_failed_preparation_keeps_the_download(self, bench: Bench, kaggle: Kaggle) -> None:
        bench.mine.checksums.write_text("v1: {private: {test.csv: another}}\n")
        with pytest.raises(ChecksumMismatchError):
            prepare(bench.mine)
        assert prepare(bench.mine, skip_verification=True)
        assert len(kaggle.storage.ranges) == 1
        assert [path.name for path in bench.mine.data_dir.iterdir()] == ["prepared"]


KILLED_DOWNLOAD = """
import sys
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.registry import Registry

work, address = Path(sys.argv[1]), sys.argv[2]
prepare(Registry(work / "data", [work / "competitions"]).get_competition("mine"), address)
"""


def kill_download(bench: Bench, kaggle: Kaggle, arrived: int) -> None:
    """Prepare from a mirror, and be killed after so many bytes have arrived."""
    kaggle.storage.stall_after, kaggle.storage.stalls = arrived, 1
    part = bench.mine.data_dir / "mine.zip.part"
    command = [sys.executable, "-c", KILLED_DOWNLOAD, str(bench.work), kaggle.mirror]
    with subprocess.Popen(command) as process:
        while not part.exists() or part.stat().st_size < arrived:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()


class TestExtracted:
    """Archives among the public files may be unpacked for agents."""

    def test_what_is_published_decides_before_anything_is_unpacked(self, bench: Bench) -> None:
        prepare(bench.mine, bench.raw, overwrite_checksums=True)
        assert "extra.csv" not in bench.mine.checksums.read_text()
        prepare(bench.mine, bench.raw, force=True, layout="extracted")
        assert_prepared(bench.mine, "kaggle")
        manifest = read_manifest(bench.mine)
        assert manifest
        assert manifest.layout == "extracted"
        assert inspect(bench.mine).status == "verified"

    def test_agents_find_and_are_told_what_was_unpacked(self, bench: Bench) -> None:
        prepare(bench.mine, bench.raw, layout="extracted")
        public = bench.mine.public_dir
        assert not (public / "more.zip").exists()
        assert (public / "more" / "notes.txt").read_text() == "of use"
        told = (public / "description.md").read_text()
        assert told.startswith(bench.mine.description.rstrip())
        assert "`more.zip` is `more`" in told
        assert bench.mine.answers.is_file()
        assert bench.mine.sample_submission.is_file()
        assert inspect(bench.mine).is_good

    def test_a_file_changed_afterwards_is_found(self, bench: Bench) -> None:
        prepare(bench.mine, bench.raw, layout="extracted")
        changed = bench.mine.public_dir / "more" / "extra.csv"
        changed.chmod(0o644)
        changed.write_text("id\n1\n2\n")
        assert inspect(bench.mine).status == "changed"

    def test_an_archive_that_cannot_be_unpacked_leaves_the_old_data(self, bench: Bench) -> None:
        prepare(bench.mine, bench.raw)
        before = file_digests(bench.mine.data_dir)
        (bench.raw / "media" / "broken.zip").write_bytes(b"PK\x03\x04")
        with pytest.raises(DataSourceError, match=r"broken\.zip"):
            prepare(bench.mine, bench.raw, force=True, layout="extracted")
        assert file_digests(bench.mine.data_dir) == before
        assert not bench.staging.exists()

    def test_the_layout_of_what_is_there_is_kept(self, bench: Bench) -> None:
        prepare(bench.mine, bench.raw, layout="extracted")
        prepare(bench.mine, bench.raw, force=True)
        manifest = read_manifest(bench.mine)
        assert manifest
        assert manifest.layout == "extracted"
        assert (bench.mine.public_dir / "more" / "notes.txt").is_file()

    def test_another_layout_is_prepared_anew(self, bench: Bench) -> None:
        assert prepare(bench.mine, bench.raw)
        assert not prepare(bench.mine, bench.raw, layout="archived")
        assert prepare(bench.mine, bench.raw, layout="extracted")
        assert not prepare(bench.mine, bench.raw, layout="extracted")
        assert not prepare(bench.mine, bench.raw)
        assert (bench.mine.public_dir / "more" / "notes.txt").is_file()
        assert prepare(bench.mine, bench.raw, layout="archived")
        assert (bench.mine.public_dir / "more.zip").is_file()

    def test_no_other_layout(self, bench: Bench) -> None:
        with pytest.raises(MlebenchError, match="archived, extracted"):
            prepare(bench.mine, bench.raw, layout="flat")


def test_nobody_writes_through_public_files_to_raw_ones(bench: Bench) -> None:
    prepare(bench.mine, bench.raw)
    before = file_digests(bench.raw)
    public = [path for path in bench.mine.public_dir.rglob("*") if path.is_file()]
    placed = bench.mine.public_dir / "media" / "picture"
    assert placed.samefile(bench.raw / "media" / "picture")
    assert {stat.S_IMODE(path.stat().st_mode) & 0o222 for path in public} == {0}
    for path in public:
        command = as_ordinary_user("sh", "-c", 'echo changed >> "$0"', str(path))
        outcome = subprocess.run(command, check=False, capture_output=True, timeout=30)
        assert outcome.returncode != 0, path
    assert file_digests(bench.raw) == before
    assert inspect(bench.mine).is_good


def inodes(folder: Path) -> dict[str, int]:
    """Which file on the disk each name below a folder is."""
    return {
        str(path.relative_to(folder)): path.stat().st_ino
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("through", ["file", "folder"])
def test_changes_behind_links_begin_anew(through: str, bench: Bench, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    if through == "folder":
        linked.mkdir()
        (linked / "media").symlink_to(bench.raw / "media")
        (linked / "train.csv").symlink_to(bench.raw / "train.csv")
        changed = bench.raw / "media" / "picture"
    else:
        linked.mkdir()
        (linked / "train.csv").symlink_to(bench.raw / "train.csv")
        changed = bench.raw / "train.csv"
    bench.interrupt("publish", source=linked)
    changed.chmod(0o644)
    changed.write_text(changed.read_text() + "\n")
    prepare(bench.mine, linked)
    assert bench.calls == 2


def test_links_in_circles_have_a_stamp(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to("self")
    before = folder_stamp(tmp_path)
    assert folder_stamp(tmp_path) == before
    (tmp_path / "a" / "new").touch()
    assert folder_stamp(tmp_path) != before


@pytest.mark.parametrize("is_folder", [True, False])
def test_paths_need_not_be_utf8(
    is_folder: bool, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("ERROR", "mlebench")  # tests side by side cannot hand over such names
    odd = Path(os.fsdecode(bytes(bench.work / "bad") + b"\xff.zip"))
    (bench.raw if is_folder else bench.archive).rename(odd)
    bench.interrupt("publish", source=odd)
    assert prepare(bench.mine, odd)
    assert bench.calls == 1
    assert_prepared(bench.mine, "local")


@pytest.mark.parametrize("name", [b"bad\xff", b"deep/bad\xff"])
def test_public_names_that_are_not_utf8_are_refused_before_the_end(
    name: bytes, bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("ERROR", "mlebench")  # as above
    odd = bench.raw / "media" / os.fsdecode(name)
    odd.parent.mkdir(exist_ok=True)
    (bench.work / "ending").write_text("place_tree(raw / 'media', public)")
    odd.touch()
    with pytest.raises(TaskError, match=r"bad\\xff, which has a name that is not UTF-8") as caught:
        prepare(bench.mine, bench.raw)
    assert str(caught.value).isprintable()
    assert not bench.mine.prepared_dir.exists()
    odd.rename(odd.with_name("good"))
    assert prepare(bench.mine, bench.raw)


DAMAGED = [
    b"",
    b"5",
    b"{",
    b"\xff",
    b"null",
    b'{"identity": {}, "done": {"check": 5}}',
    b'{"identity": {}, "done": {"check": {}}}',
    b'{"identity": {}, "done": {"check": {"result": 1, "archive": []}}}',
    b'{"identity": 1, "done": []}',
]


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_records_are_of_no_use(content: bytes, bench: Bench) -> None:
    prepare(bench.mine, bench.archive)
    bench.staging.mkdir()
    (bench.staging / "stages.json").write_bytes(content)
    assert prepare(bench.mine, bench.archive) is False
    assert prepare(bench.mine, bench.archive, force=True)
    assert_prepared(bench.mine, "local")


def test_a_pipe_in_the_place_of_the_record_is_not_read(bench: Bench) -> None:
    prepare(bench.mine, bench.archive)
    bench.staging.mkdir()
    os.mkfifo(bench.staging / "stages.json")
    assert prepare(bench.mine, bench.archive) is False
    assert prepare(bench.mine, bench.archive, force=True)
    assert_prepared(bench.mine, "local")
