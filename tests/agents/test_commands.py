"""``mlebench agents`` and ``mlebench new-agent``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.agents.folders import own_agent
from tests.command import Result, run


@pytest.fixture
def typed(monkeypatch, capfd, tmp_path: Path):
    """Commands in a folder of their own."""
    monkeypatch.chdir(tmp_path)

    def type_(line: str) -> Result:
        return run(f"mlebench {line}", monkeypatch, capfd)

    return type_


def test_list_shows_ours_and_the_users(typed) -> None:
    typed("new-agent mine --requirements")
    typed("new-agent theirs --original")
    rows = [line.split() for line in typed("agents list --agents-dir agents").stdout.splitlines()]
    assert rows[0] == ["agent", "start", "needs", "where"]
    assert ["dummy", "bash", "start.sh", "-", "built", "in"] in rows
    assert ["mine/long", "bash", "start.sh", "requirements.txt", "agents/mine"] in rows
    assert ["theirs", "bash", "start.sh", "image", "theirs", "agents/theirs"] in rows
    listed = json.loads(typed("agents list --agents-dir agents --json").stdout)
    assert [agent["id"] for agent in listed] == [row[0] for row in rows[1:]]


def test_a_broken_agent_is_named_and_left_out(typed, tmp_path: Path) -> None:
    own_agent(tmp_path / "agents", "bad", "strat: x")
    result = typed("agents list --agents-dir agents")
    assert result.code == 0
    assert "warning: bad is left out: " in result.stderr
    assert "dummy" in result.stdout


def test_show_tells_which_secrets_are_set(typed, tmp_path: Path, monkeypatch) -> None:
    facts = "environment: {A: '${{ secrets.SECRET_A }}', B: '${{ secrets.SECRET_B }}'}"
    own_agent(tmp_path / "agents", "mine", facts)
    monkeypatch.setenv("SECRET_A", "never-shown")
    monkeypatch.delenv("SECRET_B", raising=False)
    shown = typed("agents show mine --agents-dir agents").stdout
    assert "SECRET_A (set)" in shown
    assert "SECRET_B (not set)" in shown
    as_json = typed("agents show mine --agents-dir agents --json").stdout
    assert json.loads(as_json)["secrets"] == ["SECRET_A", "SECRET_B"]
    assert "never-shown" not in shown + as_json


def test_an_unknown_agent_exits_with_two(typed) -> None:
    result = typed("agents show dumy")
    assert result.code == 2
    assert "Did you mean 'dummy'?" in result.stderr


def test_build_makes_a_python(typed) -> None:
    result = typed("agents build dummy")
    name, _, path = result.stdout.strip().partition(": ")
    assert (result.code, name) == (0, "Python")
    assert Path(path).is_file()


def test_build_makes_an_image_with_the_places_of_the_original(typed, monkeypatch) -> None:
    built = []

    def build_image(folder, tag, build_args=None, *, say=None, **_) -> None:  # as the real one
        say("step 1")
        built.append((folder.name, tag, build_args))

    module = ModuleType("mlebench.sandbox.images")
    module.build_image = build_image  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    typed("new-agent theirs --original")
    result = typed("agents build theirs --agents-dir agents --image --json")
    assert json.loads(result.stdout)["image"] == "theirs"
    assert "step 1" in result.stderr
    names = ("SUBMISSION", "LOGS", "CODE", "AGENT")
    args = {f"{name}_DIR": f"/home/{name.lower()}" for name in names}
    assert built == [("theirs", "theirs", args)]


def test_an_image_needs_a_dockerfile(typed) -> None:
    result = typed("agents build dummy --image")
    assert result.code == 2
    assert "has no Dockerfile" in result.stderr


def test_new_agent_says_what_to_do_next(typed) -> None:
    result = typed("new-agent mine --dir 'my agents'")
    assert "mlebench agents show mine --agents-dir 'my agents'" in result.stdout
    assert "hide the built-in dummy" in typed("new-agent dummy").stderr
    made = json.loads(typed("new-agent other --json").stdout)
    assert made["files"] == ["README.md", "agent.py", "agent.yaml", "start.sh"]
