from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox
from mlebench.sandbox.room import Sandbox
from tests.sandbox.rooms import Place, needs_bwrap


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "place")


@pytest.fixture(params=[pytest.param("bwrap", marks=needs_bwrap), "process"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of room in turn, for what is the same in all."""
    return BwrapSandbox() if request.param == "bwrap" else ProcessSandbox()
