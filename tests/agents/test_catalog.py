"""Which agents are found, and how agents are told apart."""

from __future__ import annotations

import dataclasses
import logging
import os
import shutil
from pathlib import Path

import pytest

from mlebench.agents.catalog import agent_digest, find_agent, list_agents
from mlebench.errors import ConfigError
from mlebench.settings import AGENTS_DIR_VARIABLE
from tests.agents.folders import original_agent, own_agent


def ids(*folders: Path) -> list[str]:
    return [agent.id for agent in list_agents(folders)]


def test_the_dummy_comes_with_us() -> None:
    assert "dummy" in ids()
    assert find_agent("dummy").start == ("bash", "start.sh")


def test_folders_of_the_user_hold_agents_or_are_one(tmp_path: Path) -> None:
    own_agent(tmp_path / "several", "first", "variants: {dev: {}}")
    own_agent(tmp_path / "several", ".hidden")
    (tmp_path / "several" / "no-agent").mkdir()
    single = own_agent(tmp_path, "second")
    found = ids(tmp_path / "several", single)
    own = [name for name in found if not name.startswith(("automl", "dummy"))]
    assert own == ["first", "first/dev", "second"]


def test_the_environment_names_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = own_agent(tmp_path / "a", "one"), own_agent(tmp_path / "b", "other")
    monkeypatch.setenv(AGENTS_DIR_VARIABLE, os.pathsep.join([str(one.parent), str(other)]))
    assert find_agent("one").folder == one
    assert find_agent("other").folder == other


def test_a_users_agent_hides_ours(tmp_path: Path) -> None:
    folder = own_agent(tmp_path, "dummy", "start: mine")
    assert find_agent("dummy", [tmp_path]).folder == folder


def test_a_broken_folder_hides_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    own_agent(tmp_path, "good")
    own_agent(tmp_path, "bad", "strat: x")
    original_agent(
        tmp_path,
        "half",
        "half/bad: {start: x}\nhalf: {start: half/start.sh, dockerfile: half/Dockerfile}",
    )
    with caplog.at_level(logging.WARNING):
        assert set(ids(tmp_path)) >= {"good", "half"}
    assert "bad is left out" in caplog.text
    assert "half/bad is left out" in caplog.text
    for broken in ("bad", "bad/variant"):
        with pytest.raises(ConfigError, match="did you mean 'start'"):
            find_agent(broken, [tmp_path])
    with pytest.raises(ConfigError, match="Missing key 'dockerfile'"):
        find_agent("half/bad", [tmp_path])


def test_a_broken_agent_does_not_fall_back_to_ours(tmp_path: Path) -> None:
    own_agent(tmp_path, "dummy", "strat: x")
    with pytest.raises(ConfigError, match="did you mean 'start'"):
        find_agent("dummy", [tmp_path])


def test_unknown_agents_get_a_suggestion(tmp_path: Path) -> None:
    own_agent(tmp_path, "mine", "variants: {long: {}}")
    with pytest.raises(ConfigError) as error:
        find_agent("mine/lang", [tmp_path])
    assert "Agent with id mine/lang not found. Did you mean 'mine/long'?" in str(error.value)
    assert f"`mlebench agents list --agents-dir {tmp_path}`" in str(error.value)


def test_folders_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name, what in (("file", "is a file"), ("nowhere", "does not exist")):
        with pytest.raises(ConfigError, match=what):
            list_agents([tmp_path / name])


def test_folders_nested_very_deeply_are_refused(tmp_path: Path) -> None:
    folder = own_agent(tmp_path / "one", "mine")
    agent = find_agent("mine", [tmp_path / "one"])
    folder.joinpath(*["x"] * 150).mkdir(parents=True)
    with pytest.raises(ConfigError, match="nested more than 100 levels"):
        agent_digest(agent)


def test_a_digest_is_of_content_and_facts_not_of_the_place(tmp_path: Path) -> None:
    folder = own_agent(tmp_path / "one", "mine", "options: {steps: 1}\nvariants: {dev: {}}")
    (folder / "lib").mkdir()
    (folder / "lib" / "code.py").write_text("x = 1\n")
    (folder / "link").symlink_to("lib/code.py")
    shutil.copytree(folder, tmp_path / "other" / "mine", symlinks=True)
    (tmp_path / "other" / "mine" / "__pycache__").mkdir()
    agent, copy = (find_agent("mine", [tmp_path / name]) for name in ("one", "other"))
    digest = agent_digest(agent)
    assert agent_digest(copy) == digest
    assert agent_digest(find_agent("mine/dev", [tmp_path / "one"])) != digest
    assert agent_digest(dataclasses.replace(agent, options={"steps": "2"})) != digest
    changes = (
        lambda path: (path / "lib" / "code.py").write_text("x = 2\n"),
        lambda path: (path / "start.sh").chmod(0o755),
        lambda path: (path / "lib" / "code.py").rename(path / "lib" / "moved.py"),
        lambda path: (path / "empty").mkdir(),
    )
    seen = {digest}
    for change in changes:
        change(copy.folder)
        seen.add(agent_digest(copy))
    assert len(seen) == len(changes) + 1
