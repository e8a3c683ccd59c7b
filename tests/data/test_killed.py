"""Killed, interrupted by each other, or at the same time: the data are whole or not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.data.manifest import find_gap
from mlebench.data.prepare import prepare
from mlebench.errors import BusyError
from mlebench.registry.competition import Competition
from tests.conftest import CHECKOUT
from tests.data.conftest import assert_prepared
from tests.data.killing import BUILT_IN, SCENES, WAYS
from tests.helpers import file_digests

PREPARE = """
import sys
from pathlib import Path
from mlebench.data.prepare import prepare
from mlebench.registry import Registry

data, competitions, raw, force = sys.argv[1:]
mine = Registry(data, [competitions]).get_competition("mine")
print(prepare(mine, Path(raw), force=force == "force"))
"""


class Others:
    """Other processes that prepare the same competition."""

    def __init__(self, mine: Competition, raw: Path, gate: Path) -> None:
        self.places = [mine.data_dir.parent, mine.folder.parent, raw]
        self.gate = gate
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, *, force: bool = True, waiting: bool = False) -> subprocess.Popen[str]:
        """Start one; it may wait at the gate in the middle of its work."""
        arguments = [*map(str, self.places), "force" if force else "-"]
        process = subprocess.Popen(
            [sys.executable, "-c", PREPARE, *arguments],
            env=os.environ | ({"GATE": str(self.gate)} if waiting else {}),
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        while waiting and not (self.gate / f"arrived-{process.pid}").exists():
            assert process.poll() is None, "ended before its middle"
            time.sleep(0.01)
        return process

    def open_gate(self) -> None:
        (self.gate / "open").touch()

    def results(self) -> list[str]:
        """What all of them say in the end: whether there was anything to do."""
        said = [process.communicate(timeout=120)[0].strip() for process in self.processes]
        assert {process.returncode for process in self.processes} == {0}
        return said

    def kill_in_the_middle(self) -> None:
        self.start(waiting=True)
        self.kill()

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            assert process.stdout
            process.stdout.close()


@pytest.fixture
def others(mine: Competition, raw: Path, tmp_path: Path) -> Iterator[Others]:
    (tmp_path / "gate").mkdir()
    others = Others(mine, raw, tmp_path / "gate")
    yield others
    others.kill()


MOMENTS = 5
"""Of each scene and each way to be disturbed; together more than two hundred."""


@pytest.mark.slow
@pytest.mark.parametrize("scene", [*SCENES, *BUILT_IN])
def test_disturbed_at_some_change_to_the_disk(scene: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.data.killing", scene, str(tmp_path), str(MOMENTS)]
    result = subprocess.run(
        command, cwd=CHECKOUT, check=True, capture_output=True, text=True, timeout=900
    )
    outcome = json.loads(result.stdout)
    assert outcome["wrong"] == {}
    assert outcome["tried"] == len(WAYS) * MOMENTS
    assert len([*SCENES, *BUILT_IN]) * outcome["tried"] >= 200


class TestKilled:
    """A killed preparation costs nothing but itself."""

    def test_nothing_half_made_is_left(self, mine: Competition, raw: Path, others: Others) -> None:
        others.kill_in_the_middle()
        assert find_gap(mine) is not None
        assert not mine.prepared_dir.exists()
        assert prepare(mine, raw, timeout=0)
        assert_prepared(mine, "local")

    def test_what_was_there_stays(self, mine: Competition, raw: Path, others: Others) -> None:
        prepare(mine, raw)
        before = file_digests(mine.prepared_dir)
        others.kill_in_the_middle()
        assert file_digests(mine.prepared_dir) == before
        assert prepare(mine, raw) is False
        assert prepare(mine, raw, force=True, timeout=0)
        assert_prepared(mine, "local")


class TestTwoAtOnce:
    """One prepares, the others wait."""

    def test_who_waited_finds_it_done(self, mine: Competition, others: Others) -> None:
        others.start(waiting=True)
        others.start(force=False)
        others.open_gate()
        assert others.results() == ["True", "False"]
        assert_prepared(mine, "local")

    def test_all_who_insist_do_it_one_after_the_other(
        self, mine: Competition, raw: Path, others: Others
    ) -> None:
        prepare(mine, raw)
        expected = file_digests(mine.public_dir), file_digests(mine.private_dir)
        for _ in range(4):
            others.start()
        assert others.results() == ["True"] * 4
        assert (file_digests(mine.public_dir), file_digests(mine.private_dir)) == expected
        assert_prepared(mine, "local")

    def test_waiting_ends_with_a_message_and_harms_nobody(
        self, mine: Competition, raw: Path, others: Others
    ) -> None:
        first = others.start(waiting=True)
        (staging,) = mine.data_dir.glob(".staging-*")
        with pytest.raises(BusyError, match=rf"in use by process {first.pid} on .* 0\.2 seconds"):
            prepare(mine, raw, timeout=0.2)
        assert staging.is_dir()
        others.open_gate()
        assert others.results() == ["True"]
        assert_prepared(mine, "local")

    def test_data_that_are_there_need_no_waiting(
        self, mine: Competition, raw: Path, others: Others
    ) -> None:
        prepare(mine, raw)
        others.start(waiting=True)
        assert prepare(mine, raw, timeout=0) is False
