"""What tests of the agent without a language model share: it as a package, and its runs."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import mlebench
from mlebench.agents.automl.automl import pace

FOLDER = Path(mlebench.__file__).parent / "agents" / "automl"
SECONDS = 60


@pytest.fixture(scope="session")
def module() -> Iterator[Callable[[str], ModuleType]]:
    """A function that imports a part of the agent, which is a program of its own in rooms."""
    pytest.importorskip("lightgbm")
    sys.path.insert(0, str(FOLDER))
    yield lambda name: import_module(f"automl.{name}")
    sys.path.remove(str(FOLDER))


@dataclass(frozen=True)
class Room:
    """Places for a run outside walls."""

    folder: Path

    @property
    def submission(self) -> Path:
        return self.folder / "submission" / "submission.csv"

    @property
    def journal(self) -> str:
        return (self.folder / "logs" / "journal.log").read_text()

    def start(self, data: Path, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start the agent."""
        for name in ("submission", "logs", "agent"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        places = {
            "DATA_DIR": str(data),
            "SUBMISSION_DIR": str(self.folder / "submission"),
            "LOGS_DIR": str(self.folder / "logs"),
            "AGENT_DIR": str(self.folder / "agent"),
            "TIME_LIMIT_SECS": "30",
            "PYTHONPATH": str(FOLDER),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "automl", *options],
            env=os.environ | places | environment,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )

    def run(self, data: Path, *options: str, **environment: str) -> None:
        """Let the agent work until it ends by itself."""
        assert self.start(data, *options, **environment).wait(SECONDS) == 0


@pytest.fixture
def room(tmp_path: Path) -> Room:
    pytest.importorskip("lightgbm")
    return Room(tmp_path / "room")


@dataclass
class StoppedClock:
    """Time that passes only when told to."""

    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[StoppedClock]:
    """The time of this process, which stands still; steps have a hundred seconds."""
    clock = StoppedClock()
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", clock.monotonic)
        pace.end_in(100)
        yield clock
        pace.end_in(math.inf)
