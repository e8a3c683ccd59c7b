"""New agents: they work as they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mlebench.agents.catalog import find_agent
from mlebench.authoring.agent_scaffold import create_agent
from mlebench.errors import ConfigError
from mlebench.sandbox.layout import places


@pytest.mark.parametrize("original", [False, True])
@pytest.mark.parametrize("agent_id", ["mine", "mine/long"])
def test_a_new_agent_submits_the_sample(original: bool, agent_id: str, tmp_path: Path) -> None:
    create_agent("mine", tmp_path / "agents", original=original)
    agent = find_agent(agent_id, [tmp_path / "agents"])
    home = tmp_path / "home"
    for name in ("data", "submission", "logs", "code"):
        (home / name).mkdir(parents=True)
    (home / "data" / "sampleSubmission.csv").write_text("id,y\n")
    (home / "validate_submission.sh").write_text('echo "asked about $1"\n')
    printed = subprocess.run(
        agent.command({}),
        cwd=agent.folder,
        env={"PATH": os.environ["PATH"], **places(home)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    steps = 10 if agent_id == "mine/long" else 1
    assert f"Working for {steps} steps." in printed
    submission = home / "submission" / "submission.csv"
    assert submission.read_text() == "id,y\n"
    assert f"asked about {submission}" in printed
    assert (home / "code" / "agent.py").is_file()
    assert (home / "logs" / "agent.log").is_file()


def test_requirements_are_there_if_asked_for(tmp_path: Path) -> None:
    create_agent("with", tmp_path, requirements=True)
    create_agent("without", tmp_path)
    assert find_agent("with", [tmp_path]).requirements == "requirements.txt"
    assert find_agent("without", [tmp_path]).requirements is None
    assert not (tmp_path / "without" / "requirements.txt").exists()


def test_a_new_agent_knows_how_to_have_the_libraries_of_the_host(tmp_path: Path) -> None:
    facts = create_agent("mine", tmp_path) / "agent.yaml"
    facts.write_text(facts.read_text().replace("# requirements: host", "requirements: host"))
    assert find_agent("mine", [tmp_path]).requirements == "host"


@pytest.mark.parametrize("name", ["", "-x", "a/b", "../up", "a b"])
def test_bad_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="letters, digits and dashes"):
        create_agent(name, tmp_path)
    assert not any(tmp_path.iterdir())


def test_an_existing_folder_is_never_overwritten(tmp_path: Path) -> None:
    create_agent("mine", tmp_path)
    with pytest.raises(ConfigError, match="exists already"):
        create_agent("mine", tmp_path)
