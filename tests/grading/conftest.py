"""A user's competitions with graders of every temper, prepared from made-up data."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.helpers import add_competition

GRADERS = {
    "plain": "",
    "aborts": """
def score(truth, predicted):
    import os, resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()
""",
    "exits": """
def score(truth, predicted):
    raise SystemExit(3)
""",
    "hangs": """
def score(truth, predicted):
    import time

    time.sleep(600)
""",
    "prints": """
def score(truth, predicted):
    import os

    print("chatter on stdout")
    os.system("echo chatter of a child")
    return 0.25
""",
    "raises": """
def score(truth, predicted):
    raise ZeroDivisionError("my own fault")
""",
    "undefined": """
def score(truth, predicted):
    return float("nan")
""",
    "waits": """
def score(truth, predicted):
    import os, time
    from pathlib import Path

    while not Path(os.environ["MLEBENCH_TEST_GATE"]).exists():
        time.sleep(0.02)
    return 0.75
""",
}


@pytest.fixture(scope="session")
def graders(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    """A registry with one competition for each grader above, all prepared in both editions."""
    work = tmp_path_factory.mktemp("graders")
    for name, code in GRADERS.items():
        add_competition(work / "competitions", name, code)
    registry = Registry(work / "data", [work / "competitions"])
    for name in GRADERS:
        prepare(registry.get_competition(name), fixture=True)
        prepare(registry.set_edition("v2").get_competition(name), fixture=True)
    return registry


@pytest.fixture(scope="session")
def sample(graders: Registry) -> Path:
    """A submission that all of them take: they come from one scaffold."""
    return graders.get_competition("plain").sample_submission
