"""Whole runs: an agent in a room, what it leaves, and what is recorded of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import BusyError, ConfigError, NotPreparedError, SandboxError
from mlebench.registry import Registry
from mlebench.runs.attempt import Assignment, Attempt
from mlebench.runs.executors import LocalExecutor
from mlebench.runs.finding import open_group
from mlebench.runs.group import RunGroup, groups_in
from mlebench.runs.ledger import read_entries
from mlebench.runs.overviews import submission_lines
from mlebench.runs.retrying import retry
from mlebench.runs.state import RunState
from mlebench.runs.verifying import verify
from tests.runs.conftest import COMPETITION, SUBMITS_NOTHING, SUBMITS_TWICE, Runs, needs_bwrap

FAILS = "import sys; print('no idea'); sys.exit(3)"
SUBMITS_AND_NEVER_ENDS = """
import os, pathlib, shutil, time
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
shutil.copy(data / "sample_submission.csv", folder / "submission.csv")
time.sleep(3600)
"""
NEVER_ENDS = "import time; print('here', flush=True); time.sleep(3600)"


def kinds_of(group: RunGroup) -> list[str]:
    return [entry.kind for entry, _ in read_entries(group.folder / "ledger.jsonl")]


@needs_bwrap
def test_the_dummy_finds_everything_in_order(runs: Runs) -> None:
    group = runs.run("dummy", sandbox="bwrap", seeds=2)
    states = group.state.runs()
    assert [run.status for run in states] == ["graded", "graded"]
    assert [run.seed for run in states] == [0, 1]
    for run in states:
        folder = group.run_folder(run.run_id)
        found = json.loads((folder / "logs" / "dummy.json").read_text())
        assert found["failed"] == []
        assert {path.name for path in folder.iterdir()} == {
            *("run.log", "submission", "logs", "code", "snapshots", "report.json"),
        }
        assert run.report is not None
        assert run.report["status"] == "graded"
        conditions = run.report["extra"]["conditions"]
        assert (conditions["sandbox"], conditions["network"]) == ("bwrap", "closed")
        assert conditions["test_feedback"] == "none"
    assert kinds_of(group) == [
        "group", *("started", "validation", "ended", "graded"),
        *("started", "validation", "ended", "graded"),
    ]  # fmt: skip
    assert verify(group).faults == ()


def test_files_are_those_that_programs_for_the_original_look_for(runs: Runs) -> None:
    group = runs.run(runs.agent("twice", SUBMITS_TWICE))
    assert group.name.endswith("_run-group_twice")
    (run,) = group.state.runs()
    assert run.run_id.startswith(f"{COMPETITION}_")
    metadata = json.loads((group.folder / "metadata.json").read_text())
    assert metadata["run_group"] == group.name
    assert metadata["runs"][run.run_id]["success"] is True
    (line,) = submission_lines(group.folder / "metadata.json")
    assert line["competition_id"] == COMPETITION
    assert line["submission_path"] == str(group.submission_of(run.run_id))
    written = (group.folder / "submission.jsonl").read_text().splitlines()
    assert [json.loads(text) for text in written] == [line]
    (report,) = group.folder.glob("*_grading_report.json")
    assert json.loads(report.read_text())["total_runs"] == 1
    log = (group.run_folder(run.run_id) / "run.log").read_text()
    assert f"seed 0 of {COMPETITION}" in log
    assert "Run completed in" in log


def test_rooms_tell_how_much_they_allow(runs: Runs) -> None:
    agent = runs.agent("idle", SUBMITS_NOTHING)
    for limits, told in (
        ({}, {}),
        (
            {"seconds": 60.0, "memory": 256_000_000, "cpus": 1.5},
            {"TIME_LIMIT_SECS": "60", "MEMORY_LIMIT_BYTES": "256000000", "CPU_LIMIT": "1.5"},
        ),
    ):
        campaign = runs.campaign(agent, limits=limits)
        (run,) = campaign.open_group().state.runs()
        environment = campaign.assignment(run).environment
        assert {name: environment[name] for name in told} == told
        assert told or not {name for name in environment if "LIMIT" in name}


def test_changed_submissions_are_kept_and_give_score_against_time(runs: Runs) -> None:
    group = runs.run(runs.agent("twice", SUBMITS_TWICE))
    (run,) = group.state.runs()
    report = json.loads((group.run_folder(run.run_id) / "report.json").read_text())
    points = report["snapshots"]
    assert len(points) == 2
    assert points[0]["seconds"] < points[1]["seconds"]
    assert points[1]["score"] == report["score"] == pytest.approx(1 - points[0]["score"])


@pytest.mark.parametrize(
    ("script", "cause", "status"),
    [
        (SUBMITS_NOTHING, "no_submission", "no_submission"),
        (FAILS, "agent_error", "no_submission"),
        (NEVER_ENDS, "time_limit", "no_submission"),
    ],
)
def test_causes_are_told_apart(runs: Runs, script: str, cause: str, status: str) -> None:
    group = runs.run(runs.agent("a", script), limits={"seconds": 3.0})
    (run,) = group.state.runs()
    assert (run.status, run.cause) == ("graded", cause)
    assert run.report is not None
    assert run.report["status"] == status
    assert run.report["extra"]["cause"] == cause


class Losing(LocalExecutor):
    """Loses runs, as machines do."""

    def __init__(self, times: int) -> None:
        super().__init__(1, Path("unused"))
        self.times = times

    def run(self, assignment: Assignment, folder: Path, *others: Any) -> Attempt | None:
        self.times -= 1
        if self.times >= 0:
            raise SandboxError("The machine is gone.")
        self._cache = folder.parent / "cache"
        return super().run(assignment, folder, *others)


def test_lost_runs_are_tried_again(runs: Runs) -> None:
    group = runs.run(runs.agent("a", SUBMITS_NOTHING), Losing(2))
    (run,) = group.state.runs()
    assert (run.status, run.attempts) == ("graded", 3)
    assert verify(group).faults == ()


def test_runs_that_are_always_lost_fail_and_can_be_retried(runs: Runs) -> None:
    agent = runs.agent("a", SUBMITS_NOTHING)
    group = runs.run(agent, Losing(99))
    (run,) = group.state.runs()
    assert (run.status, run.cause) == ("failed", "infrastructure")
    assert group.is_finished
    assert retry(group) == [run.run_id]
    again = runs.run(agent)
    assert again.folder == group.folder
    assert again.state.run(run.run_id).status == "graded"
    with pytest.raises(ConfigError, match="graded once"):
        retry(again, [run.run_id])
    assert verify(again).faults == ()


def test_the_same_command_goes_on_and_then_begins_anew(runs: Runs) -> None:
    agent = runs.agent("a", SUBMITS_NOTHING)
    begun = runs.campaign(agent, seeds=2).open_group()
    assert runs.run(agent, seeds=2).folder == begun.folder
    assert runs.run(agent, seeds=2).folder != begun.folder
    unfinished = runs.campaign(agent, seeds=3).open_group()
    assert runs.campaign(agent, seeds=4).open_group().folder != unfinished.folder
    assert runs.campaign(agent, seeds=3, begins_anew=True).open_group().folder != unfinished.folder


def test_a_changed_agent_is_another_one(runs: Runs) -> None:
    agent = runs.agent("a", SUBMITS_NOTHING)
    begun = runs.campaign(agent).open_group()
    (runs.agents / agent / "agent.py").write_text("print('better')")
    assert runs.campaign(agent).open_group().folder != begun.folder


def test_a_stopped_group_keeps_what_was_running_and_can_be_gone_on_with(runs: Runs) -> None:
    agent = runs.agent("a", SUBMITS_AND_NEVER_ENDS)
    campaign = runs.campaign(agent, limits={"seconds": 600.0}, seeds=2)
    group = campaign.open_group()
    thread = threading.Thread(target=campaign.run, args=(group, lambda run: None))
    thread.start()
    deadline = time.monotonic() + 60
    submitted = group.run_folder(group.state.runs()[0].run_id) / "room/submission/submission.csv"
    while not submitted.is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    with pytest.raises(BusyError, match="runs status"), group.at_work():
        pass
    (group.folder / ".stop").touch()
    thread.join(60)
    assert not thread.is_alive()
    first, second = group.state.runs()
    assert (first.status, first.cause) == ("graded", "stopped")
    assert first.report is not None
    assert first.report["status"] == "graded"
    assert second.status == "waiting"
    assert not (group.folder / ".stop").exists()
    assert campaign.open_group().folder == group.folder
    assert verify(group).faults == ()


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_no_half_run_and_no_keys(
    runs: Runs, blow: signal.Signals
) -> None:
    agent = runs.agent("a", NEVER_ENDS, "environment:\n  KEY: ${{ secrets.MY_KEY }}\n")
    command = [
        *(sys.executable, "-P", "-m", "mlebench", "run", "--agent", agent, "-c", COMPETITION),
        *("--agents-dir", str(runs.agents), "--runs-dir", str(runs.folder / "runs")),
        *("--data-dir", str(runs.registry.get_data_dir()), "--sandbox", "process"),
    ]
    environment = os.environ | {"MY_KEY": "open sesame", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not [*runs.folder.glob("runs/*/*/room/agent")] and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(blow)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if blow is signal.SIGINT else 143)
    assert "Traceback" not in errors
    (group,) = groups_in(runs.folder / "runs")
    (run,) = group.state.runs()
    assert (run.status, run.attempts) == ("waiting", 0)
    kept = [path for path in group.folder.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"open sesame" in path.read_bytes()]


def test_without_answers_a_submission_waits_to_be_graded(runs: Runs) -> None:
    data = runs.folder / "own-data"
    competition = Registry(data, ()).get_competition(COMPETITION)
    prepare(competition, fixture=True)
    runs.registry = Registry(data, ())
    agent = runs.agent("a", SUBMITS_TWICE)
    campaign = runs.campaign(agent)
    group = campaign.open_group()
    hidden = competition.private_dir.with_name("hidden")

    def hide(run: RunState) -> None:
        if run.status == "ended" and not hidden.exists():
            competition.private_dir.rename(hidden)

    campaign.run(group, hide)
    (run,) = group.state.runs()
    assert run.status == "ended"
    assert "cannot be graded yet" in (run.message or "")
    hidden.rename(competition.private_dir)
    assert runs.run(agent).folder == group.folder
    assert group.state.run(run.run_id).status == "graded"
    assert verify(group).faults == ()


LEAVES_LONG_NAMES = """
import os
for variable in ("CODE_DIR", "LOGS_DIR", "SUBMISSION_DIR"):
    os.chdir(os.environ[variable])
    for level in range(40):
        os.mkdir(b"\\x01" * 255)
        os.chdir(b"\\x01" * 255)
        for number in range(3):
            os.symlink("nowhere", (b"\\x02" * 250) + str(number).encode())
"""


def test_no_name_that_an_agent_leaves_breaks_the_record(runs: Runs) -> None:
    group = runs.run(runs.agent("a", LEAVES_LONG_NAMES))
    assert verify(group).faults == ()
    longest = max(map(len, (group.folder / "ledger.jsonl").read_bytes().splitlines()))
    assert longest < 200_000


def test_groups_of_the_same_second_have_names_in_their_order(runs: Runs) -> None:
    agent = runs.agent("a", SUBMITS_NOTHING)
    campaign = runs.campaign(agent, begins_anew=True)
    made = [campaign.open_group().name for _ in range(4)]
    assert [group.name for group in groups_in(runs.folder / "runs")] == made
    assert open_group(runs.folder / "runs", "latest").name == made[-1]


def test_a_single_run_can_be_stopped(runs: Runs) -> None:
    agent = runs.agent("a", NEVER_ENDS)
    campaign = runs.campaign(agent, limits={"seconds": 600.0})
    group = campaign.open_group()
    (run,) = group.state.runs()
    thread = threading.Thread(target=campaign.run, args=(group, lambda run: None))
    thread.start()
    folder = group.run_folder(run.run_id)
    log = folder / "run.log"
    deadline = time.monotonic() + 60
    while not (log.exists() and "here" in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    (folder / ".stop").touch()
    thread.join(60)
    assert group.state.run(run.run_id).status == "graded"
    assert group.state.run(run.run_id).cause == "stopped"


def test_ungraded_groups_can_be_graded_later(runs: Runs) -> None:
    group = runs.run(runs.agent("twice", SUBMITS_TWICE), is_graded=False)
    (run,) = group.state.runs()
    assert (run.status, run.report) == ("ended", None)
    assert "graded" not in kinds_of(group)
    assert (group.folder / "submission.jsonl").is_file()
    assert runs.run("twice").folder == group.folder
    assert group.state.run(run.run_id).status == "graded"
    assert verify(group).faults == ()


class TestWishes:
    """What cannot be fulfilled is told before anything starts."""

    def test_competitions_without_data(self, runs: Runs) -> None:
        with pytest.raises(NotPreparedError, match="2 competitions are not prepared"):
            runs.campaign("dummy", competitions=("leaf-classification", "AI4Code"))
        assert not (runs.folder / "runs").exists()

    def test_many_competitions_without_data_are_told_in_a_few_words(self, runs: Runs) -> None:
        registry = Registry(runs.folder / "none", ())
        lite, every = registry.get_lite_competition_ids(), registry.list_competition_ids()
        for names, words in ((lite, "prepare --lite"), (every, "prepare --list FILE")):
            with pytest.raises(NotPreparedError, match=words) as caught:
                runs.campaign("dummy", competitions=tuple(names))
            assert "without a login at Kaggle, add --fixture" in str(caught.value)
            assert len(str(caught.value).replace(str(runs.folder), "")) < 400

    def test_nothing_is_made_up_where_raw_data_are_at_hand(self, runs: Runs) -> None:
        names = ("leaf-classification", "AI4Code")
        raw = runs.registry.get_competition(names[0]).raw_dir
        raw.mkdir(parents=True)
        (raw / "train.csv").touch()
        try:
            with pytest.raises(NotPreparedError, match="2 competitions") as caught:
                runs.campaign("dummy", competitions=names)
        finally:
            shutil.rmtree(raw.parent)
        assert "--fixture" not in str(caught.value)

    def test_answers_and_results_that_a_room_would_show(self, runs: Runs) -> None:
        agent = runs.agent("a", FAILS)
        inside = runs.agents / agent / "runs"
        with pytest.raises(ConfigError, match="which rooms show to agents"):
            runs.campaign(agent, runs_dir=inside)
        public = runs.registry.get_competition(COMPETITION).public_dir
        with pytest.raises(ConfigError, match="which rooms show to agents"):
            runs.campaign(agent, runs_dir=public / "runs")
        data = runs.agents / agent / "data"
        prepare(Registry(data, ()).get_competition(COMPETITION), fixture=True)
        runs.registry = Registry(data, ())
        with pytest.raises(ConfigError, match="which rooms show to agents"):
            runs.campaign(agent)

    @pytest.mark.parametrize(
        ("wish", "words"),
        [
            ({"seeds": 0}, "at least one seed"),
            ({"competitions": ()}, "No competition"),
            ({"sandbox": "glass"}, "glass"),
        ],
    )
    def test_what_makes_no_sense(self, runs: Runs, wish: dict[str, object], words: str) -> None:
        with pytest.raises(ConfigError, match=words):
            runs.campaign("dummy", **wish)

    def test_secrets_that_are_not_set(self, runs: Runs) -> None:
        facts = "environment:\n  KEY: ${{ secrets.NO_SUCH_KEY }}\n"
        with pytest.raises(ConfigError, match="`NO_SUCH_KEY` is not set"):
            runs.campaign(runs.agent("a", FAILS, facts))

    def test_privileged_agents_that_nobody_accepted(self, runs: Runs) -> None:
        with pytest.raises(ConfigError, match="I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS"):
            runs.campaign(runs.agent("a", FAILS, "privileged: true\n"))
