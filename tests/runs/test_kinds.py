"""Runs in rooms of every kind, and agents in the original's format as they are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mlebench.errors import ConfigError
from mlebench.runs.verifying import verify
from tests.runs.conftest import COMPETITION, Runs, needs_bwrap
from tests.sandbox.image import IMAGE, Podman, podman

__all__ = ["podman"]  # found here by the tests

START = """#!/bin/bash
set -x
cd ${AGENT_DIR}
echo "arguments: $@"
echo "key: $MODEL_KEY"
cat /home/instructions.txt | head -n 1
python3 solve.py "$@"
bash /home/validate_submission.sh ${SUBMISSION_DIR}/submission.csv
touch ${LOGS_DIR}/agent.log
"""
SOLVE = """
import pathlib, shutil
shutil.copy("/home/data/sample_submission.csv", "/home/submission/submission.csv")
pathlib.Path("/home/code/train.py").write_text("nothing to train")
"""
CONFIG = """
defaults: &defaults
  start: mine/start.sh
  dockerfile: mine/Dockerfile
  kwargs_type: argparse

mine:
  <<: *defaults
  env_vars: &env_vars
    MODEL_KEY: ${{ secrets.MODEL_KEY }}

mine/large:
  <<: *defaults
  kwargs:
    steps: 500
    agent.name: large
  env_vars: *env_vars
"""


def add_original(runs: Runs) -> None:
    """An agent's folder as the original has them."""
    folder = runs.agents / "mine"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "start.sh").write_text(START)
    (folder / "solve.py").write_text(SOLVE)
    (folder / "Dockerfile").write_text("FROM mlebench-env\nCOPY . ${AGENT_DIR}\n")


@needs_bwrap
def test_an_unchanged_folder_of_the_original_runs(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_original(runs)
    monkeypatch.setenv("MODEL_KEY", "sesame")
    group = runs.run("mine/large", sandbox="bwrap")
    assert group.name.endswith("_run-group_mine")
    (run,) = group.state.runs()
    assert (run.status, run.cause) == ("graded", "finished")
    folder = group.run_folder(run.run_id)
    log = (folder / "run.log").read_text()
    assert "arguments: --steps 500 --agent.name large" in log
    assert "key: sesame" in log
    assert "Submission is valid." in log
    assert (folder / "logs" / "agent.log").is_file()
    assert (folder / "code" / "train.py").read_text() == "nothing to train"
    metadata = (group.folder / "metadata.json").read_text()
    ledger = (group.folder / "ledger.jsonl").read_text()
    assert "sesame" not in metadata + ledger
    assert json.loads(metadata)["runs"][run.run_id]["success"] is True
    assert verify(group).faults == ()


def test_the_dummy_runs_in_a_container(
    runs: Runs, podman: Podman, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", podman.url)
    folder = runs.agents / "dummy-in-a-container"
    folder.mkdir(parents=True)
    source = Path(__file__).parents[2] / "src" / "mlebench" / "agents" / "dummy"
    for path in source.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    facts = (folder / "agent.yaml").read_text()
    (folder / "agent.yaml").write_text(f"{facts}\nimage: {IMAGE}\n")
    group = runs.run("dummy-in-a-container", sandbox="container")
    (run,) = group.state.runs()
    assert (run.status, run.cause) == ("graded", "finished"), run.message
    found = json.loads((group.run_folder(run.run_id) / "logs" / "dummy.json").read_text())
    assert found["failed"] == []
    assert run.report is not None
    assert run.report["extra"]["conditions"]["sandbox"] == "container"
    assert verify(group).validations == 1


def test_a_room_without_walls_says_so(runs: Runs) -> None:
    group = runs.run("dummy", sandbox="process")
    (run,) = group.state.runs()
    assert run.status == "graded"
    log = (group.run_folder(run.run_id) / "run.log").read_text()
    assert "no walls" in log or "without walls" in log
    assert "ok     submission is valid" in log
    assert run.report is not None
    assert run.report["extra"]["conditions"]["network"] == "open"


WITH_LIBRARIES = """
import os, pathlib, shutil, sys
import starlette, uvicorn
assert sys.prefix in uvicorn.__file__, uvicorn.__file__
print("writable" if os.access(uvicorn.__file__, os.W_OK) else "read-only")
private = pathlib.Path({private!r})
assert {has_no_walls} or not private.exists()
sample = pathlib.Path(os.environ["DATA_DIR"], "sample_submission.csv")
shutil.copy(sample, pathlib.Path(os.environ["SUBMISSION_DIR"], "submission.csv"))
"""


@pytest.mark.parametrize("kind", ["process", pytest.param("bwrap", marks=needs_bwrap)])
def test_an_agent_with_an_extra_imports_its_libraries_in_a_room(runs: Runs, kind: str) -> None:
    private = runs.registry.get_competition(COMPETITION).private_dir
    assert private.is_dir()
    script = WITH_LIBRARIES.format(private=str(private), has_no_walls=kind == "process")
    runs.agent("mine", script, "extra: services\n")
    group = runs.run("mine", sandbox=kind)
    (run,) = group.state.runs()
    log = (group.run_folder(run.run_id) / "run.log").read_text()
    assert (run.status, run.cause) == ("graded", "finished"), log
    assert ("read-only" if kind == "bwrap" else "writable") in log


@needs_bwrap
def test_a_python_with_private_data_in_it_is_shown_to_nobody(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.agent("mine", "", "requirements: host\n")
    monkeypatch.setattr(sys, "prefix", str(runs.registry.get_data_dir().parent))
    with pytest.raises(ConfigError, match="a part of its Python, which rooms show"):
        runs.campaign("mine", sandbox="bwrap")
