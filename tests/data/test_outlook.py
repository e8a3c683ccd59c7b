"""What stands before preparations: told for all of them at once, before anything is begun."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.cli.outlooks import room_sentence
from mlebench.data.outlook import GIGABYTE, Outlook, free_bytes, in_gigabytes, look_ahead
from mlebench.data.prepare import prepare
from mlebench.errors import (
    DataSourceError,
    KaggleAuthError,
    RulesNotAcceptedError,
    TaskNotWrittenError,
    UnavailableError,
    UnknownCompetitionError,
    UnwritableFolderError,
)
from mlebench.registry import Registry
from tests.data.conftest import zipped
from tests.helpers import add_competition, add_unwritten
from tests.kaggle_server import Kaggle


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    for name in ("one", "two", "done"):
        add_competition(tmp_path / "competitions", name)
    add_unwritten(tmp_path / "competitions", "planned")
    registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
    done = registry.get_competition("done")
    assert done.task
    done.task.fixture(tmp_path / "raw")
    prepare(done, tmp_path / "raw")
    return registry


def outlook(registry: Registry, *names: str, **options: bool) -> dict[str, Outlook]:
    found = look_ahead(dict.fromkeys(names), registry, **options)
    assert [one.competition_id for one in found] == [*names]
    return {one.competition_id: one for one in found}


def give_size(registry: Registry, name: str, gigabytes: float) -> Registry:
    """The same competitions, one of which states its size."""
    with (registry.get_competition(name).folder / "competition.yaml").open("a") as facts:
        facts.write(f"\nsize_gb: {gigabytes}\n")
    return Registry(registry.get_data_dir(), registry.user_dirs)


class TestKaggle:
    """Login and rules are asked for once, and one answer never stands for another."""

    def test_all_is_well(self, registry: Registry, kaggle: Kaggle) -> None:
        found = outlook(registry, "one", "two", "done")
        assert {name: (one.source, one.rules) for name, one in found.items()} == {
            "one": ("Kaggle", "accepted"),
            "two": ("Kaggle", "accepted"),
            "done": ("prepared", None),
        }
        assert not any(one.problem for one in found.values())
        assert not (registry.get_data_dir() / "one").exists()

    @pytest.mark.parametrize("login", ["missing", "refused"])
    def test_without_a_login(
        self, login: str, registry: Registry, kaggle: Kaggle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if login == "missing":
            monkeypatch.delenv("KAGGLE_API_TOKEN")
        else:
            monkeypatch.setenv("KAGGLE_API_TOKEN", "stale")
        found = outlook(registry, "one", "done", "two")
        for name in ("one", "two"):
            assert isinstance(found[name].problem, KaggleAuthError)
            assert "--from" in str(found[name].problem)
        assert found["done"].problem is None

    def test_each_competition_has_rules_of_its_own(
        self, registry: Registry, kaggle: Kaggle
    ) -> None:
        kaggle.unaccepted = {"one"}
        found = outlook(registry, "one", "two")
        assert found["one"].rules == "not accepted"
        assert isinstance(found["one"].problem, RulesNotAcceptedError)
        assert "https://www.kaggle.com/competitions/one/rules" in str(found["one"].problem)
        assert (found["two"].rules, found["two"].problem) == ("accepted", None)

    def test_kaggle_may_be_silent_on_rules(self, registry: Registry, kaggle: Kaggle) -> None:
        kaggle.is_silent_on_rules = True
        one = outlook(registry, "one")["one"]
        assert (one.rules, one.problem) == ("unknown", None)

    @pytest.mark.parametrize("what", ["missing", "private"])
    def test_one_that_kaggle_does_not_show_stops_no_other(
        self, what: str, registry: Registry, kaggle: Kaggle
    ) -> None:
        getattr(kaggle, what).add("one")
        found = outlook(registry, "one", "two", "nonsense", "planned", "done")
        assert isinstance(found["one"].problem, DataSourceError)
        assert isinstance(found["nonsense"].problem, UnknownCompetitionError)
        assert isinstance(found["planned"].problem, TaskNotWrittenError)
        assert found["two"].problem is found["done"].problem is None

    @pytest.mark.slow
    def test_nobody_answers(
        self, registry: Registry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        pytest.importorskip("httpx")
        monkeypatch.setenv("MLEBENCH_KAGGLE_API", "http://127.0.0.1:9/api/v1")
        monkeypatch.setenv("KAGGLE_API_TOKEN", "any")
        archive = zipped(tmp_path / "raw", registry.get_data_dir() / "two" / "two.zip")
        found = outlook(registry, "one", "two")
        assert isinstance(found["one"].problem, UnavailableError)
        assert (found["two"].source, found["two"].problem) == ("archive", None)
        assert archive.is_file()


class TestRoom:
    """Figures before the disk is full."""

    def test_there_is_none(self, registry: Registry, kaggle: Kaggle) -> None:
        free = free_bytes(registry.get_data_dir())
        registry = give_size(registry, "one", 2 * free / GIGABYTE)
        found = outlook(registry, "one", "two")
        problem = found["one"].problem
        assert isinstance(problem, UnwritableFolderError)
        figures = re.findall(r"([0-9.e+]+) GB", str(problem))
        needed, left = map(float, figures)
        assert needed == pytest.approx(6 * free / GIGABYTE, rel=0.05)
        assert left == pytest.approx(free / GIGABYTE, rel=0.2)
        assert "--skip-room-check" in str(problem)
        assert found["two"].problem is None
        assert outlook(registry, "one", at_once=0)["one"].problem is None

    def test_what_comes_before_takes_room(self, registry: Registry, kaggle: Kaggle) -> None:
        free = free_bytes(registry.get_data_dir())
        for name in ("one", "two"):
            registry = give_size(registry, name, 0.3 * free / GIGABYTE)
        found = outlook(registry, "one", "two")
        assert found["one"].problem is None
        assert isinstance(found["two"].problem, UnwritableFolderError)

    @pytest.mark.parametrize("at_once", [2, 4])
    def test_a_refusal_names_what_is_worked_on_at_the_same_time(
        self, at_once: int, registry: Registry, kaggle: Kaggle
    ) -> None:
        free = free_bytes(registry.get_data_dir())
        for name in ("one", "two"):  # which take three times as much, and keep a third of it
            registry = give_size(registry, name, 0.19 * free / GIGABYTE)
        names = dict.fromkeys(["one", "two"])
        one, two = look_ahead(names, registry, at_once=1)
        assert one.problem is two.problem is None
        one, two = look_ahead(names, registry, at_once=at_once)
        assert one.problem is None
        own, beside, left = map(float, re.findall(r"([0-9.e+]+) GB", str(two.problem)))
        assert own < left < beside
        assert (own, beside, left) == pytest.approx(
            tuple(share * free / GIGABYTE for share in (0.57, 0.95, 0.81)), rel=0.05
        )
        assert "beside another one that is worked on then" in str(two.problem)
        assert ("--jobs" in str(two.problem)) == (at_once > 2)
        needed, there = map(
            float, re.findall(r"([0-9.e+]+) GB", room_sentence([one, two], free, at_once))
        )
        assert needed - there == pytest.approx(beside - left, rel=0.05)

    def test_what_is_prepared_takes_none(self, registry: Registry) -> None:
        registry = give_size(registry, "done", 1e9)
        done = outlook(registry, "done")["done"]
        assert (done.source, done.problem, done.need) == ("prepared", None, None)
        again = look_ahead({"done": str(registry.get_data_dir())}, registry, force=True)
        assert isinstance(again[0].problem, UnwritableFolderError)

    def test_an_archive_tells_its_size(self, registry: Registry, tmp_path: Path) -> None:
        archive = zipped(tmp_path / "raw", tmp_path / "one.zip")
        (found,) = look_ahead({"one": str(archive)}, registry)
        size = sum(path.stat().st_size for path in (tmp_path / "raw").iterdir())
        assert found.need
        assert (found.need.download, found.need.extracted) == (0, size)


def mlebench(registry: Registry, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, of which nobody is there to be asked."""
    options = [
        "--data-dir", str(registry.get_data_dir()),
        "--competitions-dir", str(registry.user_dirs[0]),
    ]  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "mlebench", *arguments, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"COLUMNS": "200"},
    )


def test_one_table_for_all_and_no_question(
    registry: Registry, kaggle: Kaggle, tmp_path: Path
) -> None:
    kaggle.unaccepted = {"one"}
    kaggle.archives["two"] = zipped(tmp_path / "raw", tmp_path / "two.zip")
    outcome = mlebench(registry, "prepare", "one", "two", "done", "nonsense", "--jobs", "1")
    heads = [line for line in outcome.stderr.splitlines() if line.startswith("competition ")]
    assert len(heads) == 1
    rows = [line.split() for line in outcome.stderr.splitlines()]
    assert ["one", "Kaggle", "not", "accepted"] in [row[:4] for row in rows]
    assert ["two", "Kaggle", "accepted"] in [row[:3] for row in rows]
    assert ["done", "prepared"] in [row[:2] for row in rows]
    assert "https://www.kaggle.com/competitions/one/rules" in outcome.stderr
    results = [line.split(maxsplit=1) for line in outcome.stdout.splitlines()]
    for row in (
        ["one", "failed"],
        ["two", "prepared"],
        ["done", "already prepared"],
        ["nonsense", "failed"],
    ):
        assert row in results
    assert outcome.returncode == RulesNotAcceptedError.exit_code


@pytest.mark.parametrize(
    ("sizes", "says"),
    [({}, "unknown"), ({"one": 2.0}, "at least 6 GB"), ({"one": 2.0, "two": 2.0}, "8 GB")],
)
def test_room_that_nobody_knows_is_not_called_little(
    sizes: dict[str, float], says: str, registry: Registry, kaggle: Kaggle
) -> None:
    for name, size in sizes.items():
        registry = give_size(registry, name, size)
    found = look_ahead(dict.fromkeys(["one", "two", "done", "nonsense"]), registry, at_once=0)
    assert room_sentence(found, 10**9, 1) == f"Room needed: {says}; free: 1 GB."
    assert room_sentence(found[2:], 10**9, 1) == "Room needed: none; free: 1 GB."


def test_little_room_is_told_in_small_units() -> None:
    assert [in_gigabytes(size) for size in (0, 12_345, 850_123.7, 2e6, 16e9)] == [
        *("0 B", "12.3 KB", "850 KB", "0.002 GB", "16 GB"),
    ]


def test_all_that_is_worked_on_at_a_time_takes_room(registry: Registry, kaggle: Kaggle) -> None:
    for name in ("one", "two"):
        registry = give_size(registry, name, 2.0)
    found = look_ahead(dict.fromkeys(["one", "two"]), registry, at_once=0)
    assert room_sentence(found, 10**9, 2) == "Room needed: 12 GB; free: 1 GB."


def test_another_layout_is_not_prepared_yet(registry: Registry, kaggle: Kaggle) -> None:
    kaggle.unaccepted = {"done"}
    for layout in (None, "archived"):
        (found,) = look_ahead({"done": None}, registry, layout=layout)
        assert (found.source, found.problem) == ("prepared", None)
    outcome = mlebench(registry, "prepare", "done", "--layout", "extracted")
    assert outcome.returncode == RulesNotAcceptedError.exit_code
    assert "https://www.kaggle.com/competitions/done/rules" in outcome.stderr
    assert ["done", "Kaggle", "not"] in [row.split()[:3] for row in outcome.stderr.splitlines()]
    outcome = mlebench(registry, "prepare", "done", "--layout", "flat")
    assert outcome.returncode == 2
    assert "archived, extracted" in outcome.stderr


def test_programs_are_told_of_what_is_prepared_already(registry: Registry, kaggle: Kaggle) -> None:
    outcome = mlebench(registry, "prepare", "done", "--json")
    first = json.loads(outcome.stderr.splitlines()[0])
    assert (first["event"], first["competition_id"]) == ("outlook", "done")
    assert first["source"] == "prepared"


def test_made_up_data_ask_nobody(registry: Registry, kaggle: Kaggle) -> None:
    kaggle.unaccepted = {"one"}
    outcome = mlebench(registry, "prepare", "one", "--fixture")
    assert outcome.returncode == 0, outcome.stderr
    assert kaggle.paths == []
