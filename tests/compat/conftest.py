"""One prepared competition, under the names that the compatibility tests use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.registry import Registry
from mlebench.registry.competition import Competition

ID = "spaceship-titanic"


@pytest.fixture(scope="session")
def data_dir(prepared: Callable[..., Competition]) -> Path:
    return prepared(ID).data_dir.parent


@pytest.fixture
def competition(data_dir: Path) -> Competition:
    """A fresh object each time, because some tests break it open."""
    return Registry(data_dir).get_competition(ID)
