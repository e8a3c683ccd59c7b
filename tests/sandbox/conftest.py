from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.process import ProcessSandbox
from mlebench.sandbox.room import Sandbox
from tests.sandbox.image import ImageRooms, containers, podman
from tests.sandbox.rooms import Place, needs_bwrap

__all__ = ["containers", "podman"]  # found here by all tests


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "place")


WALLED = [pytest.param("bwrap", marks=needs_bwrap), "container"]


@pytest.fixture(params=[*WALLED, "process"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of room in turn, for what is the same in all."""
    return sandbox_of(request.param, request)


@pytest.fixture(params=WALLED)
def walled_sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of room that keeps an agent in."""
    return sandbox_of(request.param, request)


def sandbox_of(kind: str, request: pytest.FixtureRequest) -> Sandbox:
    if kind == "container":
        rooms: ImageRooms = request.getfixturevalue("containers")
        return rooms
    return BwrapSandbox() if kind == "bwrap" else ProcessSandbox()
