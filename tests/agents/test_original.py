"""Folders in the original's format run as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.agents.catalog import find_agent, list_agents
from mlebench.errors import ConfigError
from tests.agents.folders import original_agent

AIDE = """
    vars:
      step_count: &step_count 500

    defaults: &defaults
      start: aide/start.sh
      dockerfile: aide/Dockerfile
      kwargs_type: omegaconf
      env_vars: &env_vars
        STEP_LIMIT: *step_count

    kwargs_common: &kwargs_common
      agent.search.debug_prob: 1
      copy_data: False

    aide:
      <<: *defaults
      kwargs:
        <<: *kwargs_common
        agent.code.model: gpt-4o
        agent.steps: *step_count
      env_vars:
        <<: *env_vars
        OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}

    aide/dev:
      <<: *defaults
      kwargs:
        <<: *kwargs_common
        agent.steps: 8
      privileged: true

    another-name:
      <<: *defaults
"""


WHOLE = "mine:\n  start: mine/start.sh\n  dockerfile: mine/Dockerfile\n"


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    return original_agent(tmp_path / "agents", "aide", AIDE).parent


def test_agents_and_what_they_share_are_told_apart(agents: Path) -> None:
    found = [
        agent.id for agent in list_agents([agents]) if not agent.id.startswith(("automl", "dummy"))
    ]
    assert found == ["aide", "aide/dev", "another-name"]


def test_an_agent_is_started_as_the_original_starts_it(agents: Path) -> None:
    agent = find_agent("aide", [agents])
    assert (agent.name, agent.image, agent.folder) == ("aide", "aide", agents / "aide")
    assert agent.dockerfile == agents / "aide" / "Dockerfile"
    assert agent.command({}) == (
        "bash", "start.sh", "agent.search.debug_prob=1", "copy_data=False",
        "agent.code.model=gpt-4o", "agent.steps=500",
    )  # fmt: skip
    assert agent.variables({"OPENAI_API_KEY": "k"}) == {"STEP_LIMIT": "500", "OPENAI_API_KEY": "k"}
    assert not agent.privileged
    assert find_agent("aide/dev", [agents]).privileged


def test_one_folder_may_be_named_by_itself(agents: Path) -> None:
    assert find_agent("aide/dev", [agents / "aide"]).name == "aide"


def test_a_secret_that_is_not_set_is_told_in_the_words_of_the_original(agents: Path) -> None:
    with pytest.raises(ConfigError, match="Environment variable `OPENAI_API_KEY` is not set!"):
        find_agent("aide", [agents]).variables({})


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("mine:\n  start: mine/start.sh", "line 1: Missing key 'dockerfile' in agent config!"),
        ("mine:\n  dockerfile: mine/Dockerfile", "line 1: Missing key 'start' in agent config!"),
        (
            "mine:\n  start: start.sh\n  dockerfile: mine/Dockerfile",
            "line 2: start: there is no file start.sh in ",
        ),
        (
            "mine: {start: mine/start.sh, dockerfile: mine/Dockerfile, kwargs: {a: 1}}",
            "line 1: kwargs are given, but not in which style",
        ),
        (
            "mine:\n  start: mine/start.sh\n  dockerfile: mine/Dockerfile\n  kwargs_type: click",
            "line 4: kwargs_type cannot be 'click'; choose one of argparse, omegaconf.",
        ),
        (
            f"{WHOLE}  env_var: {{A: b}}",
            "line 4: there is no field 'env_var'; did you mean 'env_vars'?",
        ),
        (f"{WHOLE}  kwarg_type: argparse", "line 4: there is no field 'kwarg_type'; did you mean"),
        (f"{WHOLE}  privileged: 'yes'", "line 4: privileged must be true or false, not text."),
        (f"{WHOLE}  env_vars: {{A: [b]}}", "line 4: env_vars must be "),
        (f"{WHOLE}  env_vars: {{A=B: c}}", "line 4: env_vars: 'A=B' is no name of a variable"),
        (f"{WHOLE}  env_vars: {{A: '${{{{ secret.A }}}}'}}", "line 4: env_vars: A names no secret"),
        (f"{WHOLE}  start: mine/start.sh", "line 4: the field 'start' is given twice"),
        ("vars:\n  a: 1", "there is no agent in it, such as one called mine."),
        ("- a", "must hold a field for each agent."),
        ("mine: &mine\n  <<: *mine", "line 1: Missing key 'start' in agent config!"),
    ],
)
def test_mistakes_are_told_with_their_line(config: str, told: str, tmp_path: Path) -> None:
    original_agent(tmp_path, "mine", config)
    with pytest.raises(ConfigError) as error:
        find_agent("mine", [tmp_path])
    assert told in str(error.value)


def test_merged_fields_cannot_grow_without_end(tmp_path: Path) -> None:
    rows = ["a0: &a0 {start: mine/start.sh, dockerfile: mine/Dockerfile}"]
    rows += [
        f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 20)}]\n  x{n}: 1" for n in range(1, 20)
    ]
    original_agent(tmp_path, "mine", "\n".join([*rows, "mine:\n  <<: *a19"]))
    assert find_agent("mine", [tmp_path]).start == ("bash", "start.sh")
