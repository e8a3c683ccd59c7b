"""Agent folders in the original's format, run unchanged.

Such a folder holds ``config.yaml``, ``start.sh`` and a Dockerfile; several agents may share it.
Paths in the file are relative to the folder that holds all agents.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from mlebench.agents.definition import Agent, OptionStyle
from mlebench.agents.facts import Scalar, why_unusable
from mlebench.errors import ConfigError
from mlebench.registry.mistakes import at_line, describe_field
from mlebench.registry.yaml_files import load_yaml, read_text

ORIGINAL_FILE = "config.yaml"
START = ("bash", "start.sh")
"""What the original starts, whatever ``start`` is called."""

Value = Scalar | list[Scalar] | None


class _Entry(msgspec.Struct, frozen=True):
    """An agent of the file.

    What else stands there, the original does not look at; what was mistyped, it would miss.
    """

    start: str
    dockerfile: str
    kwargs: dict[str, Value] | None = None
    kwargs_type: OptionStyle | None = None
    env_vars: dict[str, Scalar] | None = None
    privileged: bool = False


def original_ids(folder: Path) -> list[str]:
    """The agents of a folder: those named after it, and what looks like an agent.

    Other entries are parts that agents share: what others merge in is no agent, unless it bears
    the folder's name.
    """
    path = folder / ORIGINAL_FILE
    stated = _stated(path)
    shared = set(_merged_in(read_text(path)))
    ids = [
        name
        for name, entry in stated.items()
        if isinstance(entry, dict)
        and (
            name.partition("/")[0] == folder.name
            or (name not in shared and {"start", "dockerfile"} & entry.keys())
        )
    ]
    if not ids:
        raise ConfigError(f"{path}: there is no agent in it, such as one called {folder.name}.")
    return ids


def load_original(folder: Path, agent_id: str) -> Agent:
    """One of the agents of a folder.

    Raises:
        ConfigError: It is not as it should be; the message names the line.
    """
    path = folder / ORIGINAL_FILE
    stated = _stated(path)
    if agent_id not in stated:
        raise ConfigError(f"{path}: Agent with id {agent_id} not found.")
    text = read_text(path)
    entry = _convert(stated[agent_id], path, text, agent_id)
    for field in ("start", "dockerfile"):
        if not (folder.parent / getattr(entry, field)).is_file():
            raise ConfigError(
                f"{path}: {at_line(field, text, [agent_id])}{field}: there is no file "
                f"{getattr(entry, field)} in {folder.parent}; paths are relative to the folder "
                "that holds the agents."
            )
    if entry.kwargs and entry.kwargs_type is None:
        raise ConfigError(
            f"{path}: {at_line('kwargs', text, [agent_id])}kwargs are given, but not in which "
            "style; add kwargs_type: argparse or kwargs_type: omegaconf."
        )
    for field in ("kwargs", "env_vars"):
        given = {name: str(value) for name, value in (getattr(entry, field) or {}).items()}
        if why := why_unusable(field, given):
            raise ConfigError(f"{path}: {at_line(field, text, [agent_id])}{why}")
    return Agent(
        id=agent_id,
        name=folder.name,
        folder=folder,
        start=START,
        options=entry.kwargs or {},
        option_style=entry.kwargs_type or "argparse",
        environment={name: str(value) for name, value in (entry.env_vars or {}).items()},
        image=folder.name,
        dockerfile=folder.parent / entry.dockerfile,
        privileged=entry.privileged,
    )


def _stated(path: Path) -> dict[str, Any]:
    stated = load_yaml(path, strict=True, merges=True)
    if not isinstance(stated, dict):
        raise ConfigError(f"{path} must hold a field for each agent.")
    return {str(name): entry for name, entry in stated.items()}


def _convert(stated: object, path: Path, text: str, agent_id: str) -> _Entry:
    for field in ("start", "dockerfile"):
        if isinstance(stated, dict) and field not in stated:
            raise ConfigError(
                f"{path}: {at_line('', text, [agent_id])}Missing key {field!r} in agent config! "
                f"Agent {agent_id} needs it."
            )
    _refuse_mistyped(stated, path, text, agent_id)
    try:
        return msgspec.convert(stated, _Entry)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{path}: {describe_field(str(error), text, _Entry, [agent_id])}"
        ) from error


def _refuse_mistyped(stated: object, path: Path, text: str, agent_id: str) -> None:
    """Refuse fields that are called almost like one that counts."""
    known = _Entry.__struct_fields__
    for field in stated if isinstance(stated, dict) else ():
        alike = difflib.get_close_matches(str(field), known, n=1, cutoff=0.75)
        if field not in known and alike:
            raise ConfigError(
                f"{path}: {at_line(str(field), text, [agent_id])}there is no field {field!r}; "
                f"did you mean {alike[0]!r}?"
            )


def _merged_in(text: str) -> Iterator[str]:
    """The entries at the top that others take over with ``<<``."""
    import yaml

    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    sources = {id(source) for source in _sources(root, set())}
    return (str(key.value) for key, value in root.value if id(value) in sources)


def _sources(node: Any, seen: set[int]) -> Iterator[Any]:
    """What is taken over anywhere below a node, each of which is looked at once."""
    import yaml

    if id(node) in seen or isinstance(node, yaml.ScalarNode):
        return
    seen.add(id(node))
    for entry in node.value:
        key, value = entry if isinstance(node, yaml.MappingNode) else (None, entry)
        if key is not None and key.value == "<<":
            yield from value.value if isinstance(value, yaml.SequenceNode) else [value]
        yield from _sources(value, seen)
