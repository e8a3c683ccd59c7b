"""What tests of runs share: agents, and campaigns that take them through competitions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlebench.registry import Registry
from mlebench.runs.campaign import Campaign, Wish
from mlebench.runs.executors import Executor
from mlebench.runs.group import RunGroup
from mlebench.sandbox.bwrap import BwrapSandbox
from tests.conftest import Prepared

COMPETITION = "spaceship-titanic"

SUBMITS_TWICE = """
import os, pathlib, time
folder = pathlib.Path(os.environ["SUBMISSION_DIR"])
data = pathlib.Path(os.environ["DATA_DIR"])
sample = (data / "sample_submission.csv").read_text()
(folder / "submission.csv").write_text(sample)
time.sleep(2.5)
(folder / "submission.csv").write_text(sample.replace("False", "True"))
print("seed", os.environ["SEED"], "of", os.environ["COMPETITION_ID"])
"""
HAS_ITS_GROUP_STOPPED = """
import os, pathlib, time
(pathlib.Path(os.environ["SUBMISSION_DIR"]).parents[2] / ".stop").touch()
time.sleep(3600)
"""
SUBMITS_NOTHING = "print('nothing comes to my mind')"

needs_bwrap = pytest.mark.skipif(
    (BwrapSandbox().why_unusable() or "") != "", reason="no rooms of the kind bwrap here"
)


class Runs:
    """Makes agents and lets them run."""

    def __init__(self, folder: Path, registry: Registry) -> None:
        self.folder = folder
        self.registry = registry
        self.agents = folder / "agents"

    def agent(self, name: str, script: str, facts: str = "") -> str:
        """An agent that is one Python script; its id."""
        folder = self.agents / name
        folder.mkdir(parents=True)
        (folder / "agent.yaml").write_text(f"start: python3 agent.py\n{facts}")
        (folder / "agent.py").write_text(script)
        return name

    def campaign(self, agent_id: str, **wishes: Any) -> Campaign:
        """What is asked for, looked at."""
        given = {
            "competitions": (COMPETITION,),
            "runs_dir": self.folder / "runs",
            "agents_dirs": [self.agents] if self.agents.is_dir() else [],
            "sandbox": "process",
        }
        return Campaign(Wish(agent_id=agent_id, **given | wishes), self.registry)

    def run(self, agent_id: str, executor: Executor | None = None, **wishes: Any) -> RunGroup:
        """A group that has been worked off."""
        campaign = self.campaign(agent_id, **wishes)
        group = campaign.open_group()
        campaign.run(group, lambda run: None, executor)
        return group


MakeRuns = Callable[..., Runs]


@pytest.fixture
def runs(tmp_path: Path, prepared: Prepared, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Runs in a competition on made-up data, with a cache of Pythons common to all tests."""
    competition = prepared(COMPETITION)
    data = competition.data_dir.parent
    monkeypatch.setenv("XDG_CACHE_HOME", str(data.parent / "cache-of-runs"))
    return Runs(tmp_path, Registry(data, ()))


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is lost is tried again at once."""
    monkeypatch.setattr("mlebench.runs.desk.PAUSE_SECONDS", 0.0)
