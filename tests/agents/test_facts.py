"""``agent.yaml``: what it may say, and what is told about mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.agents.facts import load_agents
from mlebench.errors import ConfigError
from mlebench.sandbox.room import RoomLimits
from tests.agents.folders import own_agent

FULL = """
    description: Tries things.
    start: python -m agent 'two words'
    options:
      agent.steps: 8
      fast: true
      key: ${{ secrets.KEY }}
    option_style: omegaconf
    environment:
      TIME_LIMIT_SECS: 86400
      TOKEN: Bearer ${{secrets.TOKEN}}
    requirements: host
    model: some-model
    resources:
      time: 1h 30m
      memory: 16GB
      cpus: 4
      gpus: -1
      disk: 1GiB
    image: my/image:1
    privileged: true
    variants:
      gpt-3.5:
        model: other-model
        options:
          agent.steps: 500
        resources:
          time: 24h
      dev: {}
"""


def test_every_field_is_read(tmp_path: Path) -> None:
    agent, *_ = load_agents(own_agent(tmp_path, "mine", FULL))
    assert (agent.id, agent.name, agent.folder) == ("mine", "mine", tmp_path / "mine")
    assert agent.start == ("python", "-m", "agent", "two words")
    secrets = {"KEY": "k", "TOKEN": "t"}
    assert agent.command(secrets)[4:] == ("agent.steps=8", "fast=true", "key=k")
    assert agent.variables(secrets) == {"TIME_LIMIT_SECS": "86400", "TOKEN": "Bearer t"}
    assert agent.secrets == ["KEY", "TOKEN"]
    assert (agent.requirements, agent.model, agent.image) == ("host", "some-model", "my/image:1")
    assert agent.privileged
    assert agent.limits == RoomLimits(5400.0, 16 * 10**9, 4.0, -1, disk=2**30)
    assert agent.description == "Tries things."


def test_variants_have_what_they_say_and_else_what_the_agent_has(tmp_path: Path) -> None:
    agent, variant, same = load_agents(own_agent(tmp_path, "mine", FULL))
    assert [variant.id, same.id] == ["mine/gpt-3.5", "mine/dev"]
    assert variant.name == same.name == "mine"
    assert variant.model == "other-model"
    assert variant.options == {**agent.options, "agent.steps": "500"}
    assert variant.limits == RoomLimits(86400.0, 16 * 10**9, 4.0, -1, disk=2**30)
    assert variant.environment == agent.environment
    assert same.options == agent.options


def test_an_empty_file_is_an_agent(tmp_path: Path) -> None:
    (agent,) = load_agents(own_agent(tmp_path, "mine"))
    assert agent.command({}) == ("bash", "start.sh")
    assert (agent.requirements, agent.image, agent.limits) == (None, None, RoomLimits())


def test_a_dockerfile_makes_an_image(tmp_path: Path) -> None:
    folder = own_agent(tmp_path, "Mine")
    (folder / "Dockerfile").touch()
    (agent,) = load_agents(folder)
    assert (agent.image, agent.dockerfile) == ("mine", folder / "Dockerfile")


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ("strat: x", "line 1: there is no field 'strat'; did you mean 'start'?"),
        ("model: a\ntime: 24h", "line 2: there is no field 'time'; it belongs below 'resources'."),
        ("model: [a]", "line 1: model must be text, not a list."),
        ("option_style: click", "line 1: option_style cannot be 'click'; choose one of argparse"),
        ("model: a\noptions:\n  x: [1]", "line 2: options must be "),
        ("resources:\n  memory: much", "line 2: resources: 'much' is no size"),
        ("resources:\n  time: soon", "line 2: resources: 'soon' is no time"),
        ("resources:\n  cpus: 0", "line 2: resources: cpus cannot be 0."),
        ("resources:\n  cpus: 1\n  time: 0", "line 3: resources: time cannot be 0."),
        (
            "variants:\n  a:\n    resources:\n      gpus: 1\n      disk: much",
            "line 5: resources: 'much' is no size",
        ),
        ("resources:\n  cpus: .inf", "line 2: resources: cpus cannot be inf."),
        ("resources:\n  memory: 1e30GB", "line 2: resources: memory cannot be 1e+39. It must be"),
        ("model: a\nenvironment:\n  A=B: c", "line 2: environment: 'A=B' is no name of a variable"),
        ("environment:\n  '': c", "line 1: environment: '' is no name of a variable"),
        ('environment:\n  "A\\0": c', "line 1: environment: 'A\\x00' holds a NUL"),
        ('environment:\n  A: "c\\0"', "line 1: environment: 'A' holds a NUL"),
        ('options:\n  a: "c\\0"', "line 1: options: 'a' holds a NUL"),
        ('model: a\nstart: "bash a\\0"', "line 2: start: 'a\\x00' holds a NUL"),
        ('start: [bash, "a\\0"]', "line 1: start: 'a\\x00' holds a NUL"),
        ("environment:\n  A: ${{ secret.A }}", "line 1: environment: A names no secret"),
        ("environment:\n  A: ${{ secrets.A B }}", "line 1: environment: A names no secret"),
        ("options:\n  a: ${{ secrets.A }} ${{Secrets.B}}", "line 1: options: a names no secret"),
        ("resources:\n  gpu: 1", "line 2: there is no field 'gpu'; did you mean 'gpus'?"),
        ("model: a\nmodel: b", "line 2: the field 'model' is given twice"),
        ("model: a\nrequirements: needs.txt", "line 2: requirements: there is no file needs.txt"),
        ("requirements: ../needs.txt", "line 1: requirements: there is no file ../needs.txt"),
        ("dockerfile: Other", "line 1: dockerfile: there is no file Other"),
        ("start: ''", "line 1: start is empty"),
        ("start: bash 'x", "line 1: start cannot be split into words"),
        ("[a]", "the file must be fields with values, not a list."),
        ("variants:\n  gpt-3.5:\n    modle: a", "line 3: there is no field 'modle'; did you mean"),
        ("variants:\n  a/b: {}", "line 2: 'a/b' is no good name of a variant"),
        ("variants:\n  a:\n    variants: {}", "line 3: there is no field 'variants'"),
        ("variants:\n  a:\n    requirements: x.txt", "line 3: requirements: there is no file"),
    ],
)
def test_mistakes_are_told_with_their_line(facts: str, told: str, tmp_path: Path) -> None:
    folder = own_agent(tmp_path, "mine", facts)
    with pytest.raises(ConfigError) as error:
        load_agents(folder)
    assert str(error.value).startswith(f"{folder / 'agent.yaml'}")
    assert told in str(error.value)


def test_a_secret_that_is_not_set_is_named(tmp_path: Path) -> None:
    agent, *_ = load_agents(own_agent(tmp_path, "mine", FULL))
    with pytest.raises(ConfigError, match="Environment variable `KEY` is not set!"):
        agent.command({"TOKEN": "t"})
