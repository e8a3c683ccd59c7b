"""Which agents there are: those that come with us, then those in folders of the user's."""

from __future__ import annotations

import difflib
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mlebench.agents.definition import Agent
from mlebench.agents.digests import agent_digest
from mlebench.agents.facts import AGENT_FILE, load_agents
from mlebench.agents.original import ORIGINAL_FILE, load_original, original_ids
from mlebench.errors import ConfigError
from mlebench.registry.suggestions import command
from mlebench.settings import BUILT_IN_AGENTS_DIR, resolved, user_agents_dirs

__all__ = ["Listing", "agent_digest", "find_agent", "list_agents", "look_for_agents"]

logger = logging.getLogger(__name__)


class Listing(NamedTuple):
    """What was found.

    Attributes:
        agents: By id; a user's agent hides one of ours.
        broken: What is wrong with those that cannot be read, by id or the folder's name.
    """

    agents: dict[str, Agent]
    broken: dict[str, ConfigError]


def find_agent(agent_id: str, agents_dirs: Iterable[Path | str] = ()) -> Agent:
    """The agent of this id.

    Args:
        agent_id: Such as ``dummy`` or ``aide/dev``.
        agents_dirs: Folders of the user's agents, or of one agent each; by default as the
            environment says.

    Raises:
        ConfigError: There is none, or what its folder says is wrong.
    """
    folders = _user_dirs(agents_dirs)
    agents, broken = look_for_agents(folders)
    if agent_id in agents:
        return agents[agent_id]
    for name in (agent_id, agent_id.partition("/")[0]):
        if name in broken:
            raise broken[name]
    close = difflib.get_close_matches(agent_id, [*agents, *broken], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    listing = command("agents", "list", agents_dirs=folders)
    own = "" if folders else "; --agents-dir names a folder of your own"
    raise ConfigError(
        f"Agent with id {agent_id} not found.{hint} `{listing}` lists all of them{own}."
    )


def list_agents(agents_dirs: Iterable[Path | str] = ()) -> list[Agent]:
    """All agents, sorted by id; a broken folder is logged and left out."""
    agents, broken = look_for_agents(agents_dirs)
    for name, error in broken.items():
        logger.warning("%s is left out: %s", name, error)
    return [agents[agent_id] for agent_id in sorted(agents)]


def look_for_agents(agents_dirs: Iterable[Path | str] = ()) -> Listing:
    """All agents, and what is wrong with those that cannot be read.

    Raises:
        ConfigError: A folder that was named is not there.
    """
    found = Listing({}, {})
    for parent in (BUILT_IN_AGENTS_DIR, *_user_dirs(agents_dirs)):
        for folder in _agent_folders(parent):
            _read(folder, found)
    return found


def _user_dirs(agents_dirs: Iterable[Path | str]) -> tuple[Path, ...]:
    given = tuple(resolved(path) for path in agents_dirs)
    return given or user_agents_dirs()


def _agent_folders(parent: Path) -> Iterator[Path]:
    if not parent.is_dir():
        what = "is a file, not a folder" if parent.exists() else "does not exist"
        raise ConfigError(f"The agents folder {parent} {what}.")
    if _is_agent(parent):
        yield parent
        return
    for folder in sorted(parent.iterdir()):
        if not folder.name.startswith((".", "_")) and folder.is_dir() and _is_agent(folder):
            yield folder


def _is_agent(folder: Path) -> bool:
    if not os.access(folder, os.R_OK | os.X_OK):
        return True  # whoever looks into it is told
    return any((folder / name).is_file() for name in (AGENT_FILE, ORIGINAL_FILE))


def _read(folder: Path, found: Listing) -> None:
    """Add the agents of a folder; what is wrong with one says nothing of the others."""
    try:
        if not (folder / AGENT_FILE).is_file():
            for agent_id in original_ids(folder):
                try:
                    _add(load_original(folder, agent_id), found)
                except ConfigError as error:
                    _add_broken(agent_id, error, found)
            return
        for agent in load_agents(folder):
            _add(agent, found)
    except ConfigError as error:
        _add_broken(folder.name, error, found)
    except OSError as error:
        told = ConfigError(f"{folder} cannot be read: {error.strerror}.")
        _add_broken(folder.name, told, found)


def _add(agent: Agent, found: Listing) -> None:
    found.agents[agent.id] = agent
    found.broken.pop(agent.id, None)


def _add_broken(name: str, error: ConfigError, found: Listing) -> None:
    found.broken[name] = error
    # Or another agent of this name would run, and nobody would notice.
    found.agents.pop(name, None)
