"""Fixtures for all tests: isolation from the user's machine, prepared data, shared material."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.facts import Edition

CHECKOUT = Path(__file__).resolve().parents[1]
SHARED_VARIABLE = "MLEBENCH_SHARED_DIR"
# Looked up once, before the environment is cleaned for each test.
SHARED_DIR = Path(os.environ.get(SHARED_VARIABLE, CHECKOUT.parent / "shared"))
FOREIGN_PREFIXES = ("MLEBENCH_", "MLE_BENCH_", "KAGGLE_")

# Speed is the benchmarks' business; the same examples each time keep the suite repeatable.
# `--hypothesis-profile explore` looks further, and `brief` less far.
settings.register_profile(
    "repeatable",
    deadline=None,
    database=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("repeatable"), derandomize=False, max_examples=3000
)
settings.register_profile("brief", settings.get_profile("repeatable"), max_examples=10)
settings.load_profile("repeatable")


def pytest_configure() -> None:
    """Let the programs that tests start be interrupted, also where the suite is in the background.

    Shells have programs in the background ignore interrupts, and whoever these start likewise.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """Let reports travel between workers, also those of tests with names that are no text.

    One such name in what a test logged would end the whole suite.
    """
    return _as_text((yield))


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_as_text(key): _as_text(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_as_text(one) for one in value)
    return value


@pytest.fixture(autouse=True)
def _own_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep every test away from the user's home, cache, data and logins."""
    for name in [name for name in os.environ if name.startswith(FOREIGN_PREFIXES)]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of golden vectors, real data and leaderboards, kept outside the project."""
    if not SHARED_DIR.is_dir():
        pytest.skip(f"no folder {SHARED_DIR} (set {SHARED_VARIABLE})")
    return SHARED_DIR


Prepared = Callable[..., Competition]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A function that prepares a built-in competition from made-up data, once for all workers.

    The data are common to all tests: read them, never change them.
    """
    own = tmp_path_factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    @cache
    def get(competition_id: str, edition: Edition = "v1") -> Competition:
        folder = common / f"prepared-{edition}" / competition_id
        folder.mkdir(parents=True, exist_ok=True)
        competition = Registry(folder, (), edition).get_competition(competition_id)
        prepare(competition, fixture=True)  # whoever comes second waits, and finds it done
        return competition

    return get
