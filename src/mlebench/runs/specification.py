"""What a run group is to do: the part of a command that makes two of them the same."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mlebench.sandbox.room import RoomLimits

IN_WORDS = {
    "agent_digest": "other files of the agent",
    "competitions": "other competitions",
    "seeds": "other seeds",
    "edition": "another edition",
    "sandbox": "another kind of room",
    "is_obfuscated": "other instructions",
    "container": "other container options",
    "model": "another model",
    "budget_usd": "another budget",
    "seconds": "another time limit",
    "memory": "another memory limit",
    "cpus": "other processors",
    "gpus": "other graphics cards",
    "processes": "another number of processes",
    "disk": "another disk limit",
    "printed": "another limit of what is printed",
}
"""What is said of a group that was begun with something else."""


@dataclass(frozen=True)
class Specification:
    """An agent, competitions and seeds, and the rooms to be used.

    Attributes:
        agent_id: Which agent.
        agent_digest: Of its files and facts: another version of it is another agent.
        competitions: In the order in which they are begun.
        seeds: How many attempts at each.
        edition: Of the competitions.
        sandbox: The kind of room.
        limits: What a room may use.
        is_obfuscated: Whether the agent reads instructions that do not name Kaggle.
        container: Further keyword arguments for containers.
        model: The language model behind the agent.
        budget_usd: What it may spend on that.
    """

    agent_id: str
    agent_digest: str
    competitions: tuple[str, ...]
    seeds: int
    edition: str
    sandbox: str
    limits: RoomLimits = field(default_factory=RoomLimits)
    is_obfuscated: bool = False
    container: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    budget_usd: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As it stands in JSON; no limit of time is null."""
        content = asdict(self)
        if math.isinf(self.limits.seconds):
            content["limits"]["seconds"] = None
        return content | {"competitions": list(self.competitions)}

    def differences(self, begun: Mapping[str, Any]) -> list[str]:
        """In which respects another one, as it stands in JSON, is not the same, in words."""
        own, other = (_flat(content) for content in (self.to_dict(), begun))
        return [name for key, name in IN_WORDS.items() if own.get(key) != other.get(key)]

    @property
    def digest(self) -> str:
        """Equal for two commands that ask for the same."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    return {**content, **content.get("limits", {})}
