"""What a node does before and after a run: its folders, its sockets, and whether it can at all."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pytest

from mlebench.agents.definition import Agent
from mlebench.agents.digests import files_digest
from mlebench.runs.attempt import Assignment
from mlebench.runs.cluster import node
from mlebench.runs.cluster.node import Errand, run_errand
from mlebench.runs.cluster.ray_executor import why_waiting
from mlebench.runs.cluster.relay import Admitted, Home, Relay
from mlebench.sandbox.room import RoomLimits

SCRIPT = """
import os, pathlib
pathlib.Path(os.environ["SUBMISSION_DIR"], "submission.csv").write_text("id\\n1\\n")
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, with a path that is too long for sockets."""
    folder = tmp_path / ("long" * 20) / ("long" * 20)
    folder.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def work_off(folder: Path) -> str:
    """Do a run as a node would; how it ended."""
    for name in ("agent", "data", "out"):
        (folder / name).mkdir()
    (folder / "agent" / "agent.py").write_text(SCRIPT)
    (folder / "data" / "train.csv").write_text("id\n1\n")
    agent = Agent(id="a", name="a", start=("python3", "agent.py"), folder=folder / "agent")
    relay, stop = Relay("127.0.0.1"), threading.Event()
    places = {"data": folder / "data", "agent": folder / "agent"}
    admitted = Admitted({5000: folder / "nobody"}, places, folder / "out", stop)
    try:
        with relay.admitted(admitted) as token:
            assignment = Assignment(
                run_id="run",
                agent=agent,
                data=folder / "data",
                sandbox="process",
                limits=RoomLimits(seconds=120),
                environment={},
                command=("python3", "agent.py"),
                texts={},
            )
            home = Home("127.0.0.1", relay.port, token)
            digest = files_digest(folder / "agent")
            errand = Errand(assignment, home, (5000,), "data", digest, cache=folder / "cache")
            return run_errand(errand).end.cause
    finally:
        relay.close()


def test_run_on_a_node_with_a_long_path_for_temporary_files(
    tmp_path: Path, temporary: Path
) -> None:
    assert work_off(tmp_path) == "finished"
    assert (tmp_path / "out" / "submission" / "submission.csv").read_text() == "id\n1\n"
    assert list(temporary.iterdir()) == []


def test_what_killed_workers_left_is_removed_by_the_next(tmp_path: Path, temporary: Path) -> None:
    left = temporary / f"{node.WORK_PREFIX}left"
    (left / "run" / "room").mkdir(parents=True)
    (left / ".lock").write_text("process 1 on a machine")
    (temporary / "of-somebody-else").mkdir()
    assert work_off(tmp_path) == "finished"
    assert [entry.name for entry in temporary.iterdir()] == ["of-somebody-else"]


class TestWaiting:
    NODES = ({"CPU": 2.0, "memory": 8e9}, {"CPU": 4.0, "GPU": 1.0, "memory": 4e9})

    @pytest.mark.parametrize(
        "wanted", [{"CPU": 1, "GPU": 0, "memory": 0}, {"CPU": 4, "GPU": 1, "memory": 4 * 10**9}]
    )
    def test_some_node_can(self, wanted: dict[str, float]) -> None:
        assert why_waiting(wanted, self.NODES) is None

    @pytest.mark.parametrize(
        ("wanted", "option"),
        [
            ({"CPU": 64, "GPU": 0, "memory": 0}, "--cpus"),
            ({"CPU": 1, "GPU": 2, "memory": 0}, "--cpus, --gpus"),
            ({"CPU": 4, "GPU": 0, "memory": 8 * 10**9}, "--cpus, --memory-limit"),  # not one node
        ],
    )
    def test_no_node_can(self, wanted: dict[str, float], option: str) -> None:
        why = why_waiting(wanted, self.NODES)
        assert why is not None
        assert f"asks for {wanted['CPU']:g} CPU" in why
        assert "4 CPU, 1 GPU, 8 GB of memory" in why
        assert f"ask for less: {option}." in why
