"""Whatever the task, something valid is left: with little memory, and when it is interrupted."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from mlebench.grading.validation import validate
from mlebench.registry import Registry
from mlebench.runs.campaign import Campaign, Wish
from tests.agents.automl.conftest import Room
from tests.conftest import Prepared
from tests.helpers import READY_IDS
from tests.runs.conftest import needs_bwrap

LITTLE = {"memory": 256_000_000, "cpus": 1, "seconds": 15}
MOMENTS = 10
LATEST = 2.0
PATIENCE = 60


@needs_bwrap
@pytest.mark.wide
@pytest.mark.parametrize("competition_id", READY_IDS)
def test_a_room_with_little_memory_and_one_core_is_enough(
    competition_id: str, prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lightgbm")
    competition = prepared(competition_id)
    data = competition.data_dir.parent
    monkeypatch.setenv("XDG_CACHE_HOME", str(data.parent / "cache-of-runs"))
    wish = Wish(
        "automl", (competition_id,), tmp_path,
        sandbox="bwrap", limits=LITTLE, is_graded=False,
    )  # fmt: skip
    campaign = Campaign(wish, Registry(data, ()))
    group = campaign.open_group()
    campaign.run(group, lambda run: None)
    (run,) = group.state.runs()
    assert run.cause in ("finished", "time_limit"), run.message
    found = validate(group.submission_of(run.run_id), competition)
    assert found.is_valid, found.result


@pytest.mark.wide
@pytest.mark.parametrize("competition_id", ["spaceship-titanic", "tweet-sentiment-extraction"])
def test_killed_at_any_moment_it_has_left_something_valid(
    competition_id: str, prepared: Prepared, tmp_path: Path
) -> None:
    pytest.importorskip("lightgbm")
    competition = prepared(competition_id)
    chance = random.Random(0)
    for moment in range(MOMENTS // 2):
        room = Room(tmp_path / f"room-{moment}")
        agent = room.start(competition.public_dir)
        try:
            until = time.monotonic() + PATIENCE
            while not room.submission.exists() and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, LATEST))
        finally:
            os.killpg(agent.pid, signal.SIGKILL)
            agent.wait()
        found = validate(room.submission, competition)
        assert found.is_valid, found.result
