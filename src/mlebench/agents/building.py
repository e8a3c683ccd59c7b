"""How the container image of an agent is built."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mlebench.agents.definition import Agent
from mlebench.errors import ConfigError
from mlebench.sandbox.layout import places

TOLD_TO_DOCKERFILES = ("SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR")


class ImagePlan(NamedTuple):
    """What it takes to build an image."""

    folder: Path
    tag: str
    build_args: dict[str, str]


def image_plan(agent: Agent) -> ImagePlan:
    """What the image of an agent is made of, as the original makes it.

    Raises:
        ConfigError: There is nothing to build it from.
    """
    if agent.dockerfile is None or agent.image is None:
        raise ConfigError(
            f"Agent {agent.id} has no Dockerfile in {agent.folder}; without one, there is no image "
            "to build. One that is there already can be named with `image: ...` in agent.yaml."
        )
    if agent.dockerfile != agent.folder / "Dockerfile":
        raise ConfigError(
            f"The image of {agent.id} is described by {agent.dockerfile}; only a file called "
            f"Dockerfile in {agent.folder} can be built from."
        )
    known = places()
    return ImagePlan(agent.folder, agent.image, {name: known[name] for name in TOLD_TO_DOCKERFILES})
