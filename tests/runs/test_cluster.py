"""Runs, grading and preparing on a Ray cluster of two nodes, one of which is lost on the way."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mlebench.data.many import prepare_many
from mlebench.data.notes import Observer
from mlebench.grading.batch import grade_jsonl
from mlebench.grading.results import load_reports
from mlebench.registry import Registry
from mlebench.runs.cluster.ray_executor import RayExecutor
from mlebench.runs.cluster.relay import Admitted, Home, Relay
from mlebench.runs.verifying import verify
from tests.runs.conftest import COMPETITION, Runs, needs_bwrap

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    # Of Ray's own.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

WAITS = """
import os, pathlib, shutil, time
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
shutil.copy(data / "sample_submission.csv", folder / "submission.csv")
print(sorted(path.name for path in data.iterdir()), flush=True)
time.sleep(2)
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without processors, and two nodes with two each."""
    from ray.cluster_utils import Cluster

    # Nodes import what the tests import, and not what is installed.
    source = str(Path(__file__).parents[2] / "src")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([source, *([before] if before else [])])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    for _ in range(2):
        cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


@needs_bwrap
def test_a_lost_node_costs_no_run_and_no_answers_leave_home(cluster: Any, runs: Runs) -> None:
    agent = runs.agent("waits", WAITS)
    cache = runs.folder / "node-cache"
    executor = RayExecutor(cluster.address, 4, cache=cache)

    def lose_a_node() -> None:
        deadline = time.monotonic() + 120
        while not any(run.status == "running" for run in group.state.runs()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        time.sleep(1)
        cluster.remove_node(next(node for node in cluster.worker_nodes), allow_graceful=False)

    campaign = runs.campaign(agent, sandbox="bwrap", seeds=6)
    group = campaign.open_group()
    thread = threading.Thread(target=lose_a_node)
    thread.start()
    campaign.run(group, lambda run: None, executor)
    thread.join()
    cluster.add_node(num_cpus=2)
    states = group.state.runs()
    assert [run.status for run in states] == ["graded"] * 6
    assert {run.cause for run in states} == {"finished"}
    proof = verify(group)
    assert proof.faults == ()
    assert proof.graded == 6
    fetched = [path for path in cache.rglob("*") if path.is_file()]
    assert "sample_submission.csv" in {path.name for path in fetched}
    competition = runs.registry.get_competition(COMPETITION)
    answers = {path.read_bytes() for path in competition.private_dir.iterdir()}
    assert answers
    assert not [path for path in fetched if path.read_bytes() in answers]


def test_validation_travels_home(cluster: Any, runs: Runs) -> None:
    executor = RayExecutor(cluster.address, 2, cache=runs.folder / "node-cache")
    group = runs.run("dummy", executor, sandbox="process")
    (run,) = group.state.runs()
    found = json.loads((group.run_folder(run.run_id) / "logs" / "dummy.json").read_text())
    assert "submission is valid" not in found["failed"]
    assert verify(group).validations == 1


def test_many_submissions_are_graded_on_a_cluster(cluster: Any, runs: Runs) -> None:
    from mlebench.processes.cluster import ClusterRunner

    sample = runs.registry.get_competition(COMPETITION).sample_submission
    lines = runs.folder / "submissions.jsonl"
    entry = {"competition_id": COMPETITION, "submission_path": str(sample)}
    lines.write_text("".join(json.dumps({**entry, "n": n}) + "\n" for n in range(40)))
    make = partial(ClusterRunner, address=cluster.address)
    path = grade_jsonl(lines, runs.folder / "out", runs.registry, workers=4, make_runner=make)
    reports = load_reports([path])
    assert [report.extra["n"] for report in reports] == [*range(40)]
    assert {report.status for report in reports} == {"graded"}


def test_competitions_are_prepared_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    from mlebench.processes.cluster import ClusterRunner

    class Nobody(Observer):
        def update(self, *_: Any, **__: Any) -> None: ...

        def end(self, *_: Any) -> None: ...

    data = tmp_path / "data"
    data.mkdir()
    registry = Registry(data, ())
    names = ["spaceship-titanic", "nomad2018-predict-transparent-conductors"]
    results = prepare_many(
        dict.fromkeys(names),
        registry,
        {"fixture": True},
        jobs=2,
        observer=Nobody(),
        make_runner=partial(ClusterRunner, address=cluster.address),
    )
    assert {result.competition_id: result.status for result in results} == dict.fromkeys(
        names, "prepared"
    )
    assert all(registry.get_competition(name).answers.is_file() for name in names)


class TestRelay:
    """Without a token of a run's own nothing is to be had at home."""

    def test_strangers_get_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "a.txt").write_text("public")
        (tmp_path / "out").mkdir()
        relay = Relay("127.0.0.1")
        run = Admitted({}, {"data": tmp_path / "data"}, tmp_path / "out")
        try:
            with relay.admitted(run) as token:
                home = Home("127.0.0.1", relay.port, token)
                home.fetch("data", tmp_path / "out")
                assert (tmp_path / "out" / "a.txt").read_text() == "public"
                assert not home.wants_stop()
                run.stop.set()
                assert home.wants_stop()
                for what in ("fetch private", "fetch ../data", "door 80", "nonsense", ""):
                    with home.asked(what) as connection:
                        assert connection.recv(10) == b""
                stranger = Home("127.0.0.1", relay.port, "0" * 64)
                with stranger.asked("fetch data") as connection:
                    assert connection.recv(10) == b""
            with home.asked("fetch data") as connection:
                assert connection.recv(10) == b""
        finally:
            relay.close()
