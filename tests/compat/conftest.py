"""One prepared competition, under the names that the compatibility tests use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.competition import Competition
from mlebench.registry import Registry

ID = "spaceship-titanic"


@pytest.fixture(scope="session")
def data_dir(prepared: Callable[..., Competition]) -> Path:
    return prepared(ID).data_dir.parent


@pytest.fixture
def competition(data_dir: Path) -> Competition:
    """A fresh object each time, because some tests break it open."""
    return Registry(data_dir).get_competition(ID)
