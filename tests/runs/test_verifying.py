"""`runs verify`: whatever is changed afterwards shows, and nothing else does."""

from __future__ import annotations

import json
import sqlite3
import textwrap
from pathlib import Path

import pytest

from mlebench.errors import LedgerError
from mlebench.runs.group import RunGroup
from mlebench.runs.state import RunState
from mlebench.runs.verifying import verify
from tests.runs.conftest import HAS_ITS_GROUP_STOPPED, SUBMITS_TWICE, Runs


def faults_with(group: RunGroup, path: Path, places: list[str], value: object) -> str:
    """What is said if a value in a file is another one, which it is not afterwards."""
    before = path.read_text()
    content = within = json.loads(before)
    for name in places[:-1]:
        within = within[name]
    within[places[-1]] = value
    path.write_text(json.dumps(content))
    faults = " ".join(verify(group).faults)
    path.write_text(before)
    return faults


class TestTampering:
    """Whatever is changed afterwards shows."""

    @pytest.fixture
    def group(self, runs: Runs) -> RunGroup:
        return runs.run(runs.agent("twice", SUBMITS_TWICE))

    def test_nothing_was_changed(self, group: RunGroup) -> None:
        proof = verify(group)
        assert proof.faults == ()
        assert proof.graded == 1

    def test_begun_again_after_its_end(self, group: RunGroup) -> None:
        """Whoever has a run done until the result pleases is found out."""
        (run,) = group.state.runs()
        with group.at_work() as ledger:
            ledger.add("started", run.run_id, attempt=1)
        assert "begun again after it had ended" in " ".join(verify(group).faults)

    def test_interruptions_are_counted(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        assert verify(group).interruptions == 0
        with group.at_work() as ledger:
            for _ in range(2):
                ledger.add("started", run.run_id, attempt=1)
        assert verify(group).interruptions == 1

    def test_another_submission(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        path = group.submission_of(run.run_id)
        path.write_text(path.read_text().replace("True", "False"))
        assert "not the one that the agent left" in " ".join(verify(group).faults)

    def test_files_that_are_gone(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        group.submission_of(run.run_id).unlink()
        for name in ("report.json", "run.log"):
            (group.run_folder(run.run_id) / name).unlink()
        told = " ".join(verify(group).faults)
        for what in ("the submission", "report.json", "run.log"):
            assert f"{what} is missing." in told

    def test_another_report(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        path = group.run_folder(run.run_id) / "report.json"
        path.write_text(path.read_text().replace('"score": 0', '"score": 1'))
        assert "report.json is not the one" in " ".join(verify(group).faults)

    def test_another_state(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        group.state.update(run.run_id, report={**(run.report or {}), "score": 1.0})
        assert "not the one that was recorded" in " ".join(verify(group).faults)

    def test_other_conditions_or_seeds(self, group: RunGroup) -> None:
        with sqlite3.connect(group.folder / "state.sqlite") as state:
            state.execute("UPDATE runs SET seed = 7")
        assert "not what was recorded" in " ".join(verify(group).faults)
        with sqlite3.connect(group.folder / "state.sqlite") as state:
            state.execute("UPDATE runs SET seed = 0")
            state.execute("UPDATE facts SET value = '{}' WHERE name = 'conditions'")
        assert "not what was recorded" in " ".join(verify(group).faults)

    def test_another_report_on_all_runs(self, group: RunGroup) -> None:
        path = group.report_path
        path.write_text(path.read_text().replace('"any_medal": false', '"any_medal": true'))
        assert "not about the results" in " ".join(verify(group).faults)

    def test_other_files_about_all_runs(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        path, whole = group.folder / "metadata.json", "metadata.json: "
        own = ("runs", run.run_id)
        for *places, told in (
            ("agent", whole + "agent is not what was recorded"),
            ("created_at", whole + "created_at is not"),
            ("specification", "agent_digest", whole + "specification is not"),
            ("conditions", "hardware", "cpus", whole + "conditions is not"),
            (*own, "seconds", f"{whole}seconds of {run.run_id} is not"),
            (*own, "success", f"{whole}success of {run.run_id} is not"),
            ("runs", "metadata.json is not about the runs of this group"),
        ):
            assert told in faults_with(group, path, places, {})
        told = "total_gold_medals is not what the results add up to"
        assert told in faults_with(group, group.report_path, ["total_gold_medals"], 1)
        path = group.folder / "submission.jsonl"
        for name in ("competition_id", "submission_path"):
            told = f"submission.jsonl: the line of {run.run_id} is not"
            assert told in faults_with(group, path, [name], "/else/where")
        assert verify(group).faults == ()
        group.state.update(run.run_id, seconds=1.0)
        assert "how it ended is not what was recorded" in " ".join(verify(group).faults)

    def test_a_group_that_was_moved_is_the_same(self, group: RunGroup) -> None:
        moved = RunGroup(group.folder.rename(group.folder.with_name("moved_run-group_twice")))
        assert verify(moved).faults == ()

    def test_an_end_that_was_cut_off_together_with_the_state(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        path = group.folder / "ledger.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
        group.state.update(run.run_id, status="ended", report=None)
        assert "its end was cut off" in " ".join(verify(group).faults)

    def test_another_end_log_or_snapshot(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        folder = group.run_folder(run.run_id)
        group.state.update(run.run_id, cause="time_limit")
        assert "how it ended" in " ".join(verify(group).faults)
        group.state.update(run.run_id, cause="finished")
        (folder / "run.log").write_text("all went well")
        next((folder / "snapshots").iterdir()).write_text("another one")
        told = " ".join(verify(group).faults)
        assert "run.log is not the one" in told
        assert "snapshot" in told

    def test_no_record_at_all(self, group: RunGroup) -> None:
        (run,) = group.state.runs()
        (group.folder / "ledger.jsonl").unlink()
        group.state.update(run.run_id, status="waiting", report=None)
        assert "The record is missing" in " ".join(verify(group).faults)

    def test_a_record_with_a_line_less_or_changed(self, group: RunGroup) -> None:
        path = group.folder / "ledger.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:1] + lines[2:]))
        assert verify(group).faults
        path.write_bytes(b"".join(lines[:-1]))
        assert "says otherwise" in " ".join(verify(group).faults)
        path.write_bytes(b"".join(lines).replace(b"finished", b"stopped"))
        assert verify(group).faults
        with pytest.raises(LedgerError), group.at_work():
            pass


HAS_ITS_GROUP_STOPPED_IN_ITS_SECOND_RUN = f"""
import os
if os.environ["SEED"] == "1":
{textwrap.indent(HAS_ITS_GROUP_STOPPED.strip(), "    ")}
"""


def test_files_older_than_the_record_are_no_sign_of_tampering(runs: Runs) -> None:
    campaign = runs.campaign(runs.agent("a", HAS_ITS_GROUP_STOPPED_IN_ITS_SECOND_RUN), seeds=3)
    group = campaign.open_group()
    campaign.run(group, lambda run: None)
    assert [run.status for run in group.state.runs()] == ["graded", "graded", "waiting"]
    assert verify(group).faults == ()
    looked = []

    def look(run: RunState) -> None:
        looked.append(run.status)
        if run.status == "ended":
            assert verify(group).faults == ()

    campaign.run(group, look)
    assert looked == ["running", "ended", "graded"]
    assert verify(group).faults == ()


def test_what_runs_or_was_killed_is_no_sign_of_tampering(runs: Runs) -> None:
    group = runs.run(runs.agent("idle", "pass"))
    (run,) = group.state.runs()
    begun = runs.campaign("idle", seeds=2).open_group()
    begun.state.update(begun.state.runs()[0].run_id, status="running", attempts=1)
    told = [fault for fault in verify(begun).faults if "has ended" in fault]
    assert not told
    assert not verify(group).faults
    assert run.is_final
