"""``mlebench data``: what is there, how much room it takes, if it is sound, and removing it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlebench.data.prepare import prepare
from mlebench.data.staging import sole_use
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.command import Result, run
from tests.grading.original import add_original
from tests.helpers import add_competition, file_digests
from tests.rights import as_ordinary_user

MEDIA = """
from mlebench.preparing.files import place_tree

prepare_tables = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_tables(raw, public, private)
    place_tree(raw / "media", public / "media")
"""
MEDIA_BYTES = 300_000

Command = Callable[[str], Result]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Competitions with all kinds of data: real, made-up, of the original, and none."""
    competitions, data = tmp_path / "competitions", tmp_path / "data"
    add_competition(competitions, "real", MEDIA)
    add_competition(competitions, "made-up")
    add_competition(competitions, "none")
    add_original(competitions, data, "original")
    registry = Registry(data, [competitions])
    real = registry.get_competition("real")
    assert real.task
    real.task.fixture(real.raw_dir)
    (real.raw_dir / "media").mkdir()
    (real.raw_dir / "media" / "film").write_bytes(os.urandom(MEDIA_BYTES))
    prepare(real)
    prepare(registry.get_competition("made-up"), fixture=True)
    return registry


@pytest.fixture
def real(registry: Registry) -> Competition:
    return registry.get_competition("real")


@pytest.fixture
def data(
    registry: Registry, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(registry.get_data_dir()))
    monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", str(registry.user_dirs[0]))
    return lambda words: run(f"mlebench data {words}", monkeypatch, capfd)


def told(result: Result) -> list[dict[str, Any]]:
    return list(json.loads(result.stdout))


class TestList:
    """What is prepared, from what."""

    def test_all_that_is_there(self, data: Command) -> None:
        found = {entry["competition_id"]: entry for entry in told(data("list --json"))}
        assert {name: (one["status"], one["source"]) for name, one in found.items()} == {
            "real": ("prepared", "local"),
            "made-up": ("prepared", "fixture"),
            "original": ("prepared", "original"),
        }
        assert found["real"]["layout"] == "archived"
        assert found["real"]["created_at"]

    def test_for_people(self, data: Command) -> None:
        outcome = data("list")
        rows = [line.split() for line in outcome.stdout.splitlines()]
        assert ["original", "v1", "prepared", "original"] in [row[:4] for row in rows]
        assert outcome.code == 0

    def test_each_edition_and_what_was_asked_for(self, data: Command, registry: Registry) -> None:
        second = Registry(registry.get_data_dir(), registry.user_dirs, "v2")
        prepare(second.get_competition("made-up"), fixture=True)
        found = told(data("list made-up none --json"))
        assert [(one["competition_id"], one["edition"], one["status"]) for one in found] == [
            ("made-up", "v1", "prepared"),
            ("made-up", "v2", "prepared"),
            ("none", "v1", "not prepared"),
            ("none", "v2", "not prepared"),
        ]

    def test_of_the_original_by_name(self, data: Command) -> None:
        (found,) = told(data("list original --json"))
        assert (found["edition"], found["status"]) == ("v1", "prepared")

    def test_incomplete_data(self, data: Command, real: Competition) -> None:
        real.answers.unlink()
        (found,) = [one for one in told(data("list real --json")) if one["edition"] == "v1"]
        assert found["status"] == "incomplete"

    @pytest.mark.parametrize("words", ["", "real "])
    def test_data_of_another_competition(
        self, words: str, data: Command, real: Competition, registry: Registry
    ) -> None:
        shutil.rmtree(real.prepared_dir)
        registry.get_competition("made-up").prepared_dir.rename(real.prepared_dir)
        found = told(data(f"list {words}--json"))
        (listed,) = [one for one in found if one["reason"]]
        verified = data(f"verify {words}--json")
        (inspected,) = [one for one in told(verified) if one["competition_id"] == "real"]
        assert listed["competition_id"] == "real"
        assert listed["status"] == inspected["status"] == "not prepared"
        assert listed["reason"] in inspected["sentences"]
        assert "holds data of made-up, not of real" in listed["reason"]
        assert verified.code == 1

    def test_nobody_of_that_name(self, data: Command) -> None:
        outcome = data("list nonsense")
        assert outcome.code == 2
        assert "nonsense" in outcome.stderr


class TestDu:
    """How much room data take."""

    def test_links_count_once(self, data: Command, real: Competition) -> None:
        film = real.raw_dir / "media" / "film"
        assert film.samefile(real.public_dir / "media" / "film")
        (found,) = told(data("du real --json"))
        assert found["prepared"] >= MEDIA_BYTES
        assert found["raw"] < MEDIA_BYTES
        assert found["total"] == sum(
            found[part] for part in ("prepared", "raw", "zip", "unfinished")
        )
        assert MEDIA_BYTES <= found["total"] < 2 * MEDIA_BYTES

    def test_downloads_and_unfinished_work(self, data: Command, real: Competition) -> None:
        (real.data_dir / "real.zip").write_bytes(b"z" * 50_000)
        (real.data_dir / "real.zip.part").write_bytes(b"p" * 90_000)
        (found,) = told(data("du real --json"))
        assert 50_000 <= found["zip"] < 90_000 <= found["unfinished"]

    def test_what_was_set_aside(self, data: Command, real: Competition) -> None:
        (real.data_dir / "set-aside-20260101-000000").mkdir()
        (real.data_dir / "set-aside-20260101-000000" / "notes").write_bytes(b"n" * 70_000)
        (found,) = told(data("du real --json"))
        assert 70_000 <= found["set_aside"] <= found["total"] - found["prepared"]

    def test_for_people(self, data: Command, registry: Registry) -> None:
        outcome = data("du")
        assert outcome.code == 0
        assert "original" in outcome.stdout
        assert outcome.stdout.rstrip().endswith(f"kB in all, in {registry.get_data_dir()}")

    def test_sizes_have_a_unit_that_fits(self, data: Command, real: Competition) -> None:
        (real.data_dir / "real.zip").write_bytes(b"z" * 2_500_000)
        lines = [line.split() for line in data("du").stdout.splitlines()]
        (row,) = [line for line in lines if line[:1] == ["real"]]
        assert [word for word in row[1:] if word[0].isalpha()] == ["kB", "kB", "MB", "MB"]
        (small,) = [line for line in lines if line[:1] == ["made-up"]]
        assert float(small[1]) > 0
        assert small[2:6] == ["kB", "0", "0", "0"]

    def test_folders_without_files_are_left_out(self, data: Command, registry: Registry) -> None:
        (registry.get_data_dir() / "none" / "prepared").mkdir(parents=True)
        assert "none" not in {one["competition_id"] for one in told(data("du --json"))}
        assert "none" not in data("du").stdout
        assert [one["total"] for one in told(data("du none --json"))] != []


class TestVerify:
    """Exit code 1 if anything is not as it should be."""

    def test_all_that_is_prepared(self, data: Command) -> None:
        outcome = data("verify --json")
        status = {one["competition_id"]: one["status"] for one in told(outcome)}
        assert status == {"real": "unchanged", "made-up": "unchanged", "original": "unknown"}
        assert outcome.code == 0

    def test_the_command_that_mends_it_is_named(self, data: Command, registry: Registry) -> None:
        made_up = registry.get_competition("made-up")
        (table,) = made_up.public_dir.glob("train.csv")
        table.chmod(0o644)
        table.write_text(table.read_text().replace("0", "1"))
        for name, options in (("none", ""), ("made-up", " --force")):
            remedy = f"mlebench prepare -c {name}{options} --fixture"
            outcome = data(f"verify {name}")
            assert outcome.code == 1
            assert f"\nTo mend it: {remedy}" in outcome.stdout
            assert told(data(f"verify {name} --json"))[0]["remedy"].startswith(remedy)
        assert told(data("verify real --json"))[0]["remedy"] is None

    def test_data_of_the_original_beside_the_published_sums(
        self, data: Command, registry: Registry
    ) -> None:
        original = registry.get_competition("original")
        sums = file_digests(original.prepared_dir)
        original.checksums.write_text(
            f"public: {{sample_submission.csv: {sums['public/sample_submission.csv']}}}\n"
            f"private: {{answers.csv: {sums['private/answers.csv']}}}\n"
        )
        (found,) = told(data("verify original --json"))
        assert found["status"] == "verified"
        with original.answers.open("a") as answers:
            answers.write("5,1\n")
        outcome = data("verify original --json")
        assert told(outcome)[0]["status"] == "changed"
        assert outcome.code == 1

    def test_what_is_wrong_is_said(self, data: Command, real: Competition) -> None:
        (real.public_dir / "media" / "film").unlink()
        outcome = data("verify")
        assert outcome.code == 1
        assert ["real", "incomplete"] in [line.split() for line in outcome.stdout.splitlines()]
        assert "real: There are" in outcome.stdout

    def test_what_is_not_there(self, data: Command) -> None:
        outcome = data("verify none --json")
        assert told(outcome)[0]["status"] == "not prepared"
        assert outcome.code == 1


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("list", "Nothing is prepared"),
        ("verify", "Nothing is prepared"),
        ("du", "There are no data"),
    ],
)
def test_where_there_is_nothing_the_next_step_is_told(
    command: str, says: str, data: Command, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    outcome = data(f"{command} --data-dir {nowhere}")
    assert outcome.code == 0
    (line,) = outcome.stdout.splitlines()
    assert line.startswith(f"{says} in {nowhere}. ")
    assert f": mlebench prepare spaceship-titanic --fixture --data-dir {nowhere}" in line
    assert told(data(f"{command} --data-dir {nowhere} --json")) == []


class TestRemove:
    """Only what was named, and only if somebody says so."""

    def test_nobody_to_ask(
        self, data: Command, real: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = file_digests(real.data_dir)
        monkeypatch.setattr("sys.stdin", None)
        outcome = data("remove real --prepared")
        assert outcome.code == 2
        assert "--yes" in outcome.stderr
        assert str(real.prepared_dir) in outcome.stderr
        assert file_digests(real.data_dir) == before

    def test_prepared_only(self, data: Command, real: Competition) -> None:
        before = file_digests(real.raw_dir)
        outcome = data("remove real --prepared --yes --json")
        assert json.loads(outcome.stdout) == [str(real.prepared_dir)]
        assert [path.name for path in real.data_dir.iterdir()] == ["raw"]
        assert file_digests(real.raw_dir) == before

    def test_everything(self, data: Command, real: Competition) -> None:
        for name in ("real.zip", "real.zip.part", "real.zip.part.json"):
            (real.data_dir / name).write_text("bytes")
        (real.data_dir / ".staging-v1" / "raw").mkdir(parents=True)
        outcome = data("remove real --prepared --raw --zip --unfinished -y")
        assert outcome.code == 0
        assert outcome.stdout.count("Removed ") == 6
        assert not real.data_dir.exists()
        assert "nothing to remove" in data("remove real --prepared -y").stdout

    def test_while_somebody_prepares(self, data: Command, real: Competition) -> None:
        before = file_digests(real.prepared_dir)
        with sole_use(real.data_dir):
            outcome = data("remove real --prepared --yes")
        assert outcome.code == 3
        assert "is being prepared just now" in outcome.stderr
        assert file_digests(real.prepared_dir) == before

    @pytest.mark.parametrize("options", ["", " --json"])
    def test_what_cannot_be_removed_keeps_no_other(
        self, options: str, data: Command, registry: Registry, real: Competition
    ) -> None:
        break_facts(registry, "none")
        made_up = registry.get_competition("made-up")
        with sole_use(real.data_dir):
            outcome = data(f"remove none real made-up --prepared --yes{options}")
        assert outcome.code == 2
        gone = json.loads(outcome.stdout) if options else outcome.stdout.splitlines()
        assert gone == [f"{'' if options else 'Removed '}{made_up.prepared_dir}"]
        assert "none/competition.yaml" in outcome.stderr
        assert "error: real is being prepared just now" in outcome.stderr
        assert real.prepared_dir.exists()
        assert not made_up.prepared_dir.exists()

    def test_nothing_goes_if_a_name_is_mistyped(self, data: Command, real: Competition) -> None:
        before = file_digests(real.data_dir)
        assert data("remove real rael --prepared --yes").code == 2
        assert file_digests(real.data_dir) == before

    def test_what_is_gone_is_told_though_the_rest_stays(
        self, data: Command, real: Competition, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (archive := real.data_dir / "real.zip").write_bytes(b"z")
        unlink = Path.unlink

        def keep(path: Path, **options: bool) -> None:
            if path == archive:
                raise PermissionError(errno.EPERM, "no", str(path))
            unlink(path, **options)

        monkeypatch.setattr(Path, "unlink", keep)
        outcome = data("remove real --raw --zip --yes")
        assert outcome.code == 3
        assert outcome.stdout == f"Removed {real.raw_dir}\n"
        assert f"{archive} cannot be removed" in outcome.stderr

    @pytest.mark.parametrize("words", ["remove real --yes", "remove --prepared --yes"])
    def test_too_little_was_said(self, words: str, data: Command, real: Competition) -> None:
        before = file_digests(real.data_dir)
        assert data(words).code == 2
        assert file_digests(real.data_dir) == before


def break_facts(registry: Registry, name: str) -> None:
    (registry.user_dirs[0] / name / "competition.yaml").write_text("title: [")


class TestBrokenCompetitions:
    """What is wrong with one is told beside the others."""

    @pytest.mark.parametrize("named", ["", " made-up real"])
    def test_facts(self, named: str, data: Command, registry: Registry) -> None:
        break_facts(registry, "made-up")
        for words, good in (("list", "prepared"), ("du", None), ("verify", "unchanged")):
            outcome = data(f"{words}{named} --json")
            found = {one["competition_id"]: one for one in reversed(told(outcome))}
            assert "made-up/competition.yaml" in str(found["made-up"])
            assert found["made-up"].get("status", "unreadable") == "unreadable"
            assert found["real"].get("status") == good
            assert outcome.code == (1 if words == "verify" else 0)
            assert "made-up/competition.yaml" in data(f"{words}{named}").stdout

    def test_checksums(self, data: Command, registry: Registry, real: Competition) -> None:
        for text in ("v1: {public: 5}", "v1: ["):
            real.checksums.write_text(text)
            outcome = data("verify --json")
            status = {one["competition_id"]: one["status"] for one in told(outcome)}
            assert status == {"real": "unreadable", "made-up": "unchanged", "original": "unknown"}
            assert outcome.code == 1
            assert str(real.checksums) in data("verify").stdout

    def test_a_competition_without_this_edition(self, data: Command, registry: Registry) -> None:
        second = Registry(registry.get_data_dir(), registry.user_dirs, "v2")
        prepare(second.get_competition("made-up"), fixture=True)
        outcome = data("verify --edition v2 --json")
        assert [one["competition_id"] for one in told(outcome)] == ["made-up"]
        assert outcome.code == 0
        assert told(data("verify original --edition v2 --json"))[0]["status"] == "unreadable"


@pytest.mark.parametrize("place", ["", "prepared/private", "prepared/prepared.json"])
def test_what_must_not_be_read_hides_nothing_else(place: str, registry: Registry) -> None:
    closed = registry.get_competition("made-up").data_dir / place
    closed.chmod(0o000)
    where = ["--data-dir", str(registry.get_data_dir()), "--competitions-dir"]
    options = [*where, str(registry.get_competition("real").folder.parent)]
    try:
        for words in (["data", "list"], ["data", "du"], ["data", "verify"], ["doctor"]):
            if words == ["doctor"] and place:
                continue  # which takes a while
            command = as_ordinary_user(sys.executable, "-m", "mlebench", *words, *options)
            told = subprocess.run(command, capture_output=True, text=True, check=False)
            assert told.stderr == ""
            if words == ["data", "du"] and place == "prepared/prepared.json":
                continue  # whose size everybody may know
            assert "cannot be read: Permission denied" in " ".join(told.stdout.split())
            if words == ["data", "verify"]:  # which must not call good what nobody looked at
                assert told.returncode == 1
            if words[0] == "data":
                assert str(closed) in told.stdout
                assert "real" in told.stdout
    finally:
        closed.chmod(0o755)
