"""Agents that need an extra of mlebench run with its libraries, or are refused at once."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from mlebench.agents.catalog import find_agent
from mlebench.agents.environments import python_for
from mlebench.errors import ConfigError
from mlebench.extras import LIBRARIES
from tests.agents.folders import own_agent
from tests.command import run

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_libraries_of_extras_are_those_that_pip_is_told_of() -> None:
    stated = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = stated["optional-dependencies"]

    def brought(extra: str) -> set[str]:
        """The libraries of an extra, and of those extras of ours that it names."""
        names = {re.split(r"[<>=; ]", line)[0] for line in extras[extra]}
        own = {name for name in names if name.startswith("mlebench[")}
        return (names - own).union(*(brought(name.removeprefix("mlebench[")[:-1]) for name in own))

    told = {extra: brought(extra) for extra in extras if extra not in ("tests", "dev")}
    assert {extra: {*libraries} for extra, libraries in LIBRARIES.items()} == told
    assert told["services"] <= told["agents"], "no agent can run without them"


def test_an_agent_with_an_extra_has_the_python_that_we_run_in(tmp_path: Path) -> None:
    own_agent(tmp_path, "mine", "extra: services\n")
    agent = find_agent("mine", [tmp_path])
    home = python_for(agent, tmp_path / "cache")
    assert home.executables == Path(sys.prefix) / "bin"
    assert agent.needs == ["the libraries of mlebench[services]"]


@pytest.fixture
def without_lightgbm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that the extra is not installed on, wherever this test runs."""
    monkeypatch.setitem(LIBRARIES, "agents", {"lightgbm": "no_module_of_this_name"})


@pytest.mark.usefixtures("without_lightgbm")
def test_a_missing_library_is_told_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    own_agent(tmp_path, "mine", "extra: agents\n")
    with pytest.raises(ConfigError, match=r"Agent mine needs lightgbm.*'mlebench\[agents\]'$"):
        python_for(find_agent("mine", [tmp_path]), tmp_path / "cache")
    told = run(f"mlebench agents build mine --agents-dir {tmp_path}", monkeypatch, capfd)
    assert told.code == ConfigError.exit_code
    assert "pip install 'mlebench[agents]'" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_library_that_no_room_would_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "of_the_users_own.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    monkeypatch.setitem(LIBRARIES, "agents", {"own": "of_the_users_own"})
    own_agent(tmp_path, "mine", "extra: agents\n")
    with pytest.raises(ConfigError, match=r"needs own, which lies in .*elsewhere, outside"):
        python_for(find_agent("mine", [tmp_path]), tmp_path / "cache")


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ("extra: agent\n", r"line 1: extra: .*'agent'; did you mean 'agents'\?"),
        ("start: x\nextra: gpu-farm\n", r"line 2: extra: .*'gpu-farm'; there are agents, "),
        (
            "requirements: needs.txt\nextra: agents\n",
            r"line 2: extra: .* none of needs\.txt; leave one of the two fields out\.",
        ),
    ],
)
def test_an_extra_that_cannot_be_had_is_told_with_its_line(
    facts: str, told: str, tmp_path: Path
) -> None:
    folder = own_agent(tmp_path, "mine", facts)
    (folder / "needs.txt").touch()
    with pytest.raises(ConfigError, match=told):
        find_agent("mine", [tmp_path])
