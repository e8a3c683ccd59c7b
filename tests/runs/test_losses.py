"""Runs that are lost, and what becomes of those beside them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from mlebench.runs.verifying import verify
from mlebench.sandbox.choosing import make_sandbox
from tests.runs.conftest import Runs

SUBMITS_AND_HANGS_ONCE = """
import os, pathlib, shutil, time
data, folder = (pathlib.Path(os.environ[name]) for name in ("DATA_DIR", "SUBMISSION_DIR"))
shutil.copy(data / "sample_submission.csv", folder / "submission.csv")
mark = pathlib.Path({mark!r})
if not mark.exists():
    mark.touch()
    time.sleep(3600)
"""


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.05)


def test_a_room_that_was_ended_from_outside_is_tried_again(runs: Runs) -> None:
    mark = runs.folder / "mark"
    agent = runs.agent("a", SUBMITS_AND_HANGS_ONCE.format(mark=str(mark)))
    campaign = runs.campaign(agent)
    group = campaign.open_group()
    (run,) = group.state.runs()

    def end() -> None:
        wait_for(mark)
        make_sandbox("process").clear_up([run.run_id])

    thread = threading.Thread(target=end)
    thread.start()
    campaign.run(group, lambda run: None)
    thread.join()
    (run,) = group.state.runs()
    assert (run.status, run.cause, run.attempts) == ("graded", "finished", 2)
    assert verify(group).faults == ()
