"""Many competitions at a time: each has its own result, whatever becomes of the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mlebench.data.manifest import find_gap
from mlebench.data.many import Result, prepare_many
from mlebench.data.prepare import prepare
from mlebench.errors import UnwritableFolderError
from mlebench.processes import Job, Runner
from mlebench.registry import Registry
from tests.data.conftest import PATIENT_PREPARE, zipped
from tests.helpers import add_competition, add_unwritten, file_digests
from tests.kaggle_server import Kaggle
from tests.leftovers import watched
from tests.rights import as_ordinary_user

SECONDS = 120

TALKS = """
prepare_in_silence = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    print("half way")
    prepare_in_silence(raw, public, private)
"""
ABORTS = """
def prepare(raw: Path, public: Path, private: Path) -> None:
    import os

    os.abort()
"""
RAISES = """
def prepare(raw: Path, public: Path, private: Path) -> None:
    raise ValueError("no such luck")
"""

# Notes when it begins and ends, and does not end before the data of another competition arrive.
JOURNAL = """
import os, time

prepare_at_once = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    work, own = Path(__file__).parents[2], Path(__file__).parent.name

    def note(word: str) -> None:
        with (work / "journal").open("a") as journal:
            journal.write(f"{word} {own}\\n")

    note("begin")
    deadline = time.monotonic() + 60
    others = [name for name in ("one", "two", "three") if name != own]
    parts = [f"{name}/{part}" for name in others for part in (f"{name}.zip", "prepared")]
    while not any((work / "data" / part).exists() for part in parts):
        if time.monotonic() > deadline:
            raise TimeoutError("no other data arrive")
        time.sleep(0.01)
    prepare_at_once(raw, public, private)
    note("end")
"""
# As large as the raw data say: bytes of a table, and number of files.
GROWS = """
prepare_little = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_little(raw, public, private)
    size, count = (raw / "size.txt").read_text().split()
    (public / "blob.bin").write_bytes(b"x" * int(size))
    for number in range(int(count)):
        (public / f"{number}.bin").touch()
"""


class Workshop:
    """Competitions of the user's, and the command line that prepares them."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.data = work / "data"
        self.registry = Registry(self.data, [work / "competitions"])

    def add(self, name: str, code: str = "") -> None:
        add_competition(self.work / "competitions", name, code)

    def raw(self, name: str, **files: str) -> Path:
        """Raw data of a competition in a folder, with further files."""
        folder = self.work / "raw" / name
        task = self.registry.get_competition(name).task
        assert task
        task.fixture(folder)
        for stem, text in files.items():
            (folder / f"{stem}.txt").write_text(text)
        return folder

    def command(self, *arguments: str, data: Path | None = None) -> list[str]:
        return [
            sys.executable, "-m", "mlebench", "prepare", *arguments,
            "--data-dir", str(data or self.data),
            "--competitions-dir", str(self.work / "competitions"),
        ]  # fmt: skip

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )

    def is_prepared(self, name: str) -> bool:
        return find_gap(self.registry.get_competition(name)) is None


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


class Unseen:
    """Looks at nothing."""

    def stage(self, competition_id: str, name: str) -> None: ...
    def advance(self, competition_id: str, done: int, total: int | None) -> None: ...
    def end(self, competition_id: str) -> None: ...


def prepared(
    shop: Workshop,
    sources: Mapping[str, str | None],
    jobs: int,
    make_runner: Any = Runner,
    **options: Any,
) -> dict[str, Result]:
    results = prepare_many(
        sources,
        shop.registry,
        options,
        jobs=jobs,
        observer=Unseen(),
        make_runner=make_runner,
    )
    return {result.competition_id: result for result in results}


class TestResults:
    """All are told, in the order in which they were named."""

    @pytest.fixture
    def mixed(self, shop: Workshop) -> list[str]:
        shop.add("fine", TALKS)
        shop.add("aborts", ABORTS)
        shop.add("raises", RAISES)
        add_unwritten(shop.work / "competitions", "planned")
        return ["planned", "raises", "aborts", "fine", "unknown"]

    def test_for_programs(self, shop: Workshop, mixed: list[str]) -> None:
        with watched() as watch:
            outcome = run(shop.command(*mixed, "--fixture", "--jobs", "1", "--json"))
            assert watch.left_after(10) == []
        results = json.loads(outcome.stdout)
        assert [result["competition_id"] for result in results] == mixed
        status = {result["competition_id"]: result["status"] for result in results}
        assert status == {
            "planned": "not written",
            "raises": "failed",
            "aborts": "failed",
            "fine": "prepared",
            "unknown": "failed",
        }
        detail = {result["competition_id"]: result["detail"] for result in results}
        assert "no such luck" in detail["raises"]
        assert "SIGABRT" in detail["aborts"]
        assert detail["fine"] == str(shop.data / "fine" / "prepared")
        assert outcome.returncode == 2
        events = [json.loads(line) for line in outcome.stderr.splitlines()]
        assert {event["event"] for event in events} <= {"stage", "bytes", "log"}
        assert {"event": "stage", "competition_id": "fine", "stage": "publish"} in events
        assert {"event": "log", "line": "fine: half way"} in events
        assert shop.is_prepared("fine")
        assert not any((shop.data / "raises").iterdir())

    def test_for_people(self, shop: Workshop, mixed: list[str]) -> None:
        outcome = run(shop.command(*mixed[1:], "--fixture", "--jobs", "1"))
        rows = dict(line.split(maxsplit=1) for line in outcome.stdout.splitlines()[1:5])
        assert rows["raises"] == rows["aborts"] == rows["unknown"] == "failed"
        assert rows["fine"] == "prepared"
        assert "fine: half way" in outcome.stderr.splitlines()
        assert "Traceback" not in outcome.stderr
        assert outcome.returncode == 2

    def test_one_alone_is_told_to_programs_likewise(self, shop: Workshop) -> None:
        shop.add("raises", RAISES)
        outcome = run(shop.command("raises", "--fixture", "--json"))
        (result,) = json.loads(outcome.stdout)
        assert (result["competition_id"], result["status"]) == ("raises", "failed")
        assert "no such luck" in result["detail"]
        assert all(json.loads(line)["event"] for line in outcome.stderr.splitlines())
        assert outcome.returncode == 2


def test_data_for_other_machines_go_into_a_new_folder(shop: Workshop) -> None:
    shop.add("mine")
    shop.data = shop.data / "new" / "folder"
    shop.registry = shop.registry.set_data_dir(shop.data)
    elsewhere = partial(Runner)
    results = prepared(shop, {"mine": None}, jobs=1, make_runner=elsewhere, fixture=True)
    assert results["mine"].status == "prepared", results
    assert [path.name for path in shop.data.iterdir()] == ["mine"]


def test_where_other_machines_may_not_write_is_told(shop: Workshop) -> None:
    shop.add("mine")
    shop.data.touch()
    with pytest.raises(UnwritableFolderError, match="--data-dir"):
        prepared(shop, {"mine": None}, jobs=1, make_runner=partial(Runner), fixture=True)


class Interrupted:
    """Does no job before the user interrupts it."""

    def __init__(self, *_: object, **__: object) -> None: ...
    def __enter__(self) -> Interrupted:
        return self

    def __exit__(self, *_: object) -> None: ...
    def run(self, _: object) -> Iterator[tuple[Job, Any]]:
        raise KeyboardInterrupt


def test_what_cannot_be_loaded_hides_no_interrupt(
    shop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    names = ["broken", "mine", "unknown"]
    for name in names[:2]:
        shop.add(name)
        (shop.data / name / ".staging-v1").mkdir(parents=True)
    (shop.work / "competitions" / "broken" / "competition.yaml").write_text("title: [")
    with pytest.raises(KeyboardInterrupt):
        prepared(shop, dict.fromkeys(names), jobs=1, make_runner=Interrupted)
    assert not (shop.data / "mine" / ".staging-v1").exists()
    assert "What broken may have left" in caplog.text


def test_one_at_work_while_others_download(shop: Workshop, kaggle: Kaggle) -> None:
    names = ["one", "two", "three"]
    for name in names:
        shop.add(name, JOURNAL)
        kaggle.archives[name] = zipped(shop.raw(name), shop.work / f"{name}.zip")
    results = prepared(shop, dict.fromkeys(names), jobs=1, keep_zip=True)
    assert {name: result.status for name, result in results.items()} == dict.fromkeys(
        names, "prepared"
    ), results
    journal = [line.split() for line in (shop.work / "journal").read_text().splitlines()]
    assert [word for word, _ in journal] == ["begin", "end"] * 3
    assert all(journal[k][1] == journal[k + 1][1] for k in (0, 2, 4))


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_made_up_data_leave_nothing_when_the_command_is_ended(
    blow: signal.Signals, shop: Workshop
) -> None:
    for name in ("one", "two", "three"):
        shop.add(name, PATIENT_PREPARE)
    gate, passing = shop.work / "gate", shop.work / "passing"
    gate.mkdir()
    passing.mkdir()
    words = ("one", "two", "three", "--fixture", "--quiet")
    with shop.start(*words, GATE=str(gate), TMPDIR=str(passing)) as process:
        wait_until(lambda: len([*gate.iterdir()]) == 2, process)
        process.send_signal(blow)
        said = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 128 + blow
    assert "Traceback" not in said
    assert [*passing.iterdir()] == []
    assert [path for path in shop.data.rglob("*") if path.name.startswith(".")] == []


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL])
def test_ended_in_the_middle_and_started_again(
    blow: signal.Signals, shop: Workshop, kaggle: Kaggle
) -> None:
    names = ["one", "two"]
    for name in names:
        shop.add(name, PATIENT_PREPARE)
        kaggle.archives[name] = zipped(shop.raw(name), shop.work / f"{name}.zip")
    gate = shop.work / "gate"
    gate.mkdir()
    with watched() as watch, shop.start(*names, "--jobs", "1", GATE=str(gate)) as process:
        # One is at work, the other has been downloaded and waits for its turn.
        wait_until(lambda: len([*gate.iterdir()]) == 1, process)
        wait_until(lambda: len([*shop.data.glob("*/*.zip")]) == 2, process)
        process.send_signal(blow)
        said = process.communicate(timeout=SECONDS)[1]
        assert watch.left_after(20) == []
    if blow == signal.SIGINT:
        assert process.returncode == 130
        assert said.splitlines().count("interrupted; run the same command to go on") == 1
        assert "Traceback" not in said
    assert not any(map(shop.is_prepared, names))
    assert len(finished(shop, "raw")) == 1
    with watched() as watch, shop.start(*names, "--jobs", "1", MLEBENCH_LOCK_TIMEOUT="30") as again:
        _, said = again.communicate(timeout=SECONDS)
        assert watch.left_after(10) == []
    assert again.returncode == 0, said
    assert all(map(shop.is_prepared, names))
    assert said.count("Going on where an interrupted preparation stopped.") == 1
    assert len(kaggle.storage.ranges) == 2
    for name in names:
        assert [path.name for path in (shop.data / name).iterdir()] == ["prepared"]


def finished(shop: Workshop, stage: str) -> list[str]:
    """The competitions of which this stage is on record."""
    records = {path: json.loads(path.read_bytes()) for path in shop.data.glob("*/*/stages.json")}
    return [path.parts[-3] for path, record in records.items() if stage in record["done"]]


def wait_until(is_so: Any, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_three_commands_at_once_download_once(shop: Workshop, kaggle: Kaggle) -> None:
    names = ["one", "two"]
    alone = Registry(shop.work / "alone", [shop.work / "competitions"])
    for name in names:
        shop.add(name)
        kaggle.archives[name] = zipped(shop.raw(name), shop.work / f"{name}.zip")
    expected = {}
    for result in prepare_many(dict.fromkeys(names), alone, {}, jobs=2, observer=Unseen()):
        expected[result.competition_id] = tree(alone, result.competition_id)
    before = len(kaggle.storage.ranges)
    commands = [shop.start(*names, "--json", MLEBENCH_LOCK_TIMEOUT="60") for _ in range(3)]
    outcomes = [command.communicate(timeout=SECONDS) for command in commands]
    assert [command.returncode for command in commands] == [0] * 3, outcomes
    said = [result["status"] for stdout, _ in outcomes for result in json.loads(stdout)]
    assert sorted(said) == ["already prepared"] * 4 + ["prepared"] * 2
    assert len(kaggle.storage.ranges) - before == 2
    assert {name: tree(shop.registry, name) for name in names} == expected


def tree(registry: Registry, name: str) -> tuple[dict[str, str], dict[str, str]]:
    competition = registry.get_competition(name)
    return file_digests(competition.public_dir), file_digests(competition.private_dir)


@contextmanager
def small_disk(place: Path, options: str) -> Iterator[Path]:
    """A disk of its own that is soon full; only root can make one."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if os.geteuid() != 0 or run(mount).returncode != 0:
        pytest.skip("only root may mount a small disk, and not everywhere")
    try:
        yield place
    finally:
        run(["umount", "--lazy", str(place)])


class TestDisks:
    """What the disk refuses is told once, costs no old data and none of the others."""

    @pytest.mark.parametrize(
        ("options", "size"), [("size=1m", "4000000 0"), ("size=20m,nr_inodes=200", "10 1000")]
    )
    def test_full(self, options: str, size: str, shop: Workshop) -> None:
        for name in ("large", "small"):
            shop.add(name, GROWS)
            shop.raw(name, size="10 3")
        (shop.work / "list.txt").write_text("large\nsmall\n")
        listed = ["--list", str(shop.work / "list.txt"), "--from", str(shop.work / "raw")]
        with small_disk(shop.work / "disk", options) as disk:
            data = disk / "data"
            registry = Registry(data, [shop.work / "competitions"])
            prepare(registry.get_competition("large"), shop.work / "raw" / "large")
            before = file_digests(data / "large")
            shop.raw("large", size=size)
            # One at a time, or the small one meets the disk that the large one has filled.
            outcome = run(shop.command(*listed, "--force", "--jobs", "1", data=data))
            assert outcome.returncode == 3, outcome.stderr
            rows = [line.split() for line in outcome.stdout.splitlines()]
            assert ["large", "failed"] in rows
            assert ["small", "prepared"] in rows
            assert "There is no room left on the disk of" in outcome.stdout
            assert "Traceback" not in outcome.stderr
            assert file_digests(data / "large") == before
            assert [path.name for path in (data / "large").iterdir()] == ["prepared"]

    def test_not_to_be_written(self, shop: Workshop) -> None:
        for name in ("one", "two"):
            shop.add(name)
        shop.data.mkdir()
        shop.data.chmod(0o555)
        outcome = run(as_ordinary_user(*shop.command("one", "two", "--fixture")))
        assert outcome.returncode == 3
        assert "one, two: " in outcome.stdout
        assert outcome.stdout.count("cannot be written") == 1
        assert "you have no right to write there" in outcome.stdout
        assert "Traceback" not in outcome.stderr
        assert [*shop.data.iterdir()] == []

    @pytest.mark.parametrize("inside", ["", "below"])
    @pytest.mark.parametrize("names", [("one",), ("one", "two")])
    def test_raw_data_that_nobody_may_read(
        self, names: tuple[str, ...], inside: str, shop: Workshop
    ) -> None:
        for name in names:
            shop.add(name)
        closed = shop.work / "closed"
        (closed / inside).mkdir(parents=True)
        closed.chmod(0o000)
        try:
            command = shop.command(*names, "--from", str(closed / inside))
            outcome = run(as_ordinary_user(*command))
        finally:
            closed.chmod(0o755)
        assert outcome.returncode == 3
        assert f"{closed / inside} cannot be read: you have no right to." in outcome.stderr
        assert "name other raw data with --from" in outcome.stderr
        assert "Errno" not in outcome.stderr + outcome.stdout

    def test_raw_data_of_one_that_nobody_may_read(self, shop: Workshop) -> None:
        for name in ("theirs", "mine"):
            shop.add(name)
            shop.raw(name)
        (shop.work / "raw" / "theirs").chmod(0o000)
        try:
            command = shop.command("theirs", "mine", "--from", str(shop.work / "raw"))
            outcome = run(as_ordinary_user(*command))
        finally:
            (shop.work / "raw" / "theirs").chmod(0o755)
        assert ["theirs", "failed"] in [line.split() for line in outcome.stdout.splitlines()]
        assert "theirs cannot be read: you have no right to." in outcome.stdout
        assert "--data-dir" not in outcome.stdout
        assert shop.is_prepared("mine")

    @pytest.mark.parametrize("rights", [0o000, 0o555])
    def test_of_somebody_else(self, rights: int, shop: Workshop) -> None:
        for name in ("theirs", "mine"):
            shop.add(name)
            shop.raw(name)
        (shop.data / "theirs").mkdir(parents=True)
        (shop.data / "theirs" / "note.txt").write_text("keep off")
        (shop.work / "list.txt").write_text("theirs\nmine\n")
        listed = ["--list", str(shop.work / "list.txt"), "--from", str(shop.work / "raw")]
        (shop.data / "theirs").chmod(rights)
        try:
            outcome = run(as_ordinary_user(*shop.command(*listed)))
        finally:
            (shop.data / "theirs").chmod(0o755)
        rows = [line.split() for line in outcome.stdout.splitlines()]
        assert ["theirs", "failed"] in rows, outcome.stderr
        assert ["mine", "prepared"] in rows
        assert "no right" in outcome.stdout or "Permission denied" in outcome.stdout
        assert outcome.returncode == 3
        assert "Traceback" not in outcome.stderr
        assert shop.is_prepared("mine")
        assert [path.name for path in (shop.data / "theirs").iterdir()] == ["note.txt"]
