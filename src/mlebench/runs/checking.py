"""What is asked for in numbers and images, and whether this or any machine could do it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlebench.agents.definition import Agent
from mlebench.errors import ConfigError
from mlebench.registry.suggestions import command
from mlebench.runs.conditions import processors_here
from mlebench.sandbox.room import why_impossible

logger = logging.getLogger(__name__)

MOST_SEEDS = 100_000

OPTIONS = {
    "seconds": "--time-limit",
    "memory": "--memory-limit",
    "disk": "--disk-limit",
    "cpus": "--cpus",
    "gpus": "--gpus",
}


def require_limits(limits: Mapping[str, float]) -> None:
    """Refuse limits that no room can have, as an agent's facts refuse them.

    Raises:
        ConfigError: There is one.
    """
    for name, value in limits.items():
        if why := why_impossible(name, value):
            raise ConfigError(f"{OPTIONS.get(name, name)} {why}")


def require_counts(seeds: int, workers: int, budget_usd: float | None) -> None:
    """Refuse numbers of runs, workers and dollars that make no sense.

    Raises:
        ConfigError: One of them does not.
    """
    if seeds < 1:
        raise ConfigError(f"There must be at least one seed, not {seeds}.")
    if seeds > MOST_SEEDS:
        raise ConfigError(f"There can be at most {MOST_SEEDS:,} seeds, not {seeds:,}.")
    if workers < 1:
        raise ConfigError(f"There must be at least one worker, not {workers}.")
    if budget_usd is not None and not 0 <= budget_usd < float("inf"):
        raise ConfigError(f"--budget cannot be {budget_usd:g}. It must be 0 or more dollars.")


def require_cards(wanted: int, cards: Sequence[int]) -> None:
    """Refuse runs that would wait for ever for graphics cards that nobody has named.

    Raises:
        ConfigError: There are not enough.
    """
    if wanted > len(cards):
        raise ConfigError(
            f"A run wants {wanted} GPUs, and there are {len(cards)} to give. Name as many with "
            "--gpu-ids, or ask for fewer with --gpus."
        )


def require_processors(wanted: float | None) -> None:
    """Refuse runs that would be recorded with processors which this machine does not have.

    Raises:
        ConfigError: There are not enough.
    """
    there = processors_here()
    if wanted is not None and wanted > there:
        raise ConfigError(
            f"A run wants {wanted:g} processors, and there are {there} here. Ask for fewer with "
            "--cpus."
        )


def tell_of_crowding(at_once: int) -> None:
    """Say that so many runs at a time have to share the processors of this machine, if so."""
    there = processors_here()
    if at_once > there:
        logger.warning(
            "%d runs at a time, and %s here: each has less than one, and gets less done in its "
            "time.",
            at_once,
            f"{there} processors" if there > 1 else "1 processor",
        )


def require_image(agent: Agent, agents_dirs: Sequence[Path]) -> None:
    """Refuse runs in containers that there is no image to make from.

    Args:
        agent: Who would run.
        agents_dirs: Where the user said that agents are.

    Raises:
        ConfigError: There is none.
        SandboxError: No engine answers.
    """
    from mlebench.sandbox.images import has_image

    image = agent.image or agent.name
    if has_image(image):
        return
    if agent.dockerfile:
        mend = "To make it: " + command(
            "agents", "build", agent.id, "--image", agents_dirs=agents_dirs
        )
    elif agent.image:
        mend = f"{agent.folder} names it, but has no Dockerfile: pull or build the image yourself."
    else:
        mend = (
            "The agent has no Dockerfile to build one from, either. Name an image that has "
            f"Python 3 with `image: ...` in {agent.folder}/agent.yaml, or put a Dockerfile beside "
            "it. Rooms of the kind bwrap need none."
        )
    raise ConfigError(f"There is no container image {image} for agent {agent.id}. {mend}")
