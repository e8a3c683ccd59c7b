"""What several compatibility tests use: a prepared competition, an imitation of Kaggle."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mlebench.data.kaggle import API_VARIABLE
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.kaggle_server import KEY, USER, Kaggle, serve_kaggle

ID = "spaceship-titanic"


@pytest.fixture(scope="session")
def data_dir(prepared: Callable[..., Competition]) -> Path:
    return prepared(ID).data_dir.parent


@pytest.fixture
def competition(data_dir: Path) -> Competition:
    """A fresh object each time, because some tests break it open."""
    return Registry(data_dir).get_competition(ID)


@pytest.fixture
def no_official_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which the package ``kaggle`` is not installed."""
    monkeypatch.setitem(sys.modules, "kaggle", None)


@pytest.fixture
def kaggle(no_official_client: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kaggle]:
    """A server on this machine, and a login that it knows."""
    pytest.importorskip("httpx")
    with serve_kaggle() as server:
        monkeypatch.setenv(API_VARIABLE, server.api)
        monkeypatch.setenv("KAGGLE_USERNAME", USER)
        monkeypatch.setenv("KAGGLE_KEY", KEY)
        yield server
