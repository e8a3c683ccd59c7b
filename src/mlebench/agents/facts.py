"""What an agent's folder says about it: ``agent.yaml``, typed."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, TypeVar

import msgspec

from mlebench.agents.definition import HOST_PACKAGES, SECRET, Agent, OptionStyle
from mlebench.errors import ConfigError
from mlebench.extras import LIBRARIES
from mlebench.quantities import read_size, read_time
from mlebench.registry.mistakes import at_line, describe_field
from mlebench.registry.yaml_files import load_yaml, read_text
from mlebench.sandbox.room import RoomLimits, why_impossible

AGENT_FILE = "agent.yaml"
VARIABLES = ("environment", "env_vars")
"""What variables are called in our files and in those of the original."""
NAMES_SECRET = re.compile(r"\$\{\{\s*secrets?\b", re.IGNORECASE)
"""What somebody writes who means a secret."""

READ: Mapping[str, Callable[[str], float]] = {
    "time": read_time,
    "memory": read_size,
    "disk": read_size,
}
"""How resources are read that may have a unit."""

Scalar = str | int | float | bool
Kind = TypeVar("Kind", bound=msgspec.Struct)


class Resources(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an agent wants to have; whoever runs it may say otherwise."""

    time: str | float | None = None
    """By the clock: seconds, or such as `24h` or `1h 30m`."""
    memory: str | int | None = None
    """Bytes, or such as `16GB`."""
    cpus: float | None = None
    """How many processors' worth of time."""
    gpus: int | None = None
    """How many graphics cards; -1 for all."""
    processes: int | None = None
    """How many there may be at a time."""
    disk: str | int | None = None
    """What it may write: bytes, or such as `100GB`."""


class AgentFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that a variant may have otherwise than the agent it is a variant of."""

    description: str = ""
    """What it does, for people."""
    start: str | list[str] = "bash start.sh"
    """The command, in the agent's folder: a line, or a list of words."""
    options: dict[str, Scalar] = {}
    """Given to the command, in their order; values may name secrets."""
    option_style: OptionStyle = "argparse"
    """How options are given: `--key value` or `key=value`."""
    environment: dict[str, Scalar] = {}
    """Variables of the room; values may name secrets."""
    requirements: str | None = None
    """A requirements file in the folder, or `host` for the libraries that mlebench runs with; without it, Python has its standard library only."""  # noqa: E501
    extra: str | None = None
    """An extra of mlebench whose libraries it needs, such as `agents`; it then runs with the libraries that mlebench runs with."""  # noqa: E501
    model: str | None = None
    """The language model that it uses, for the record."""
    resources: Resources = Resources()
    """What it wants to have."""
    image: str | None = None
    """The container image that it needs; by default named like the folder, if there is a Dockerfile."""  # noqa: E501
    dockerfile: str | None = None
    """How the image is built; by default the `Dockerfile` in the folder, if there is one."""
    privileged: bool = False
    """Whether its container gets all rights of the host."""


class AgentFile(AgentFacts, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that may stand in ``agent.yaml``."""

    variants: dict[str, dict[str, Any]] = {}
    """Further agents, called `<folder>/<variant>`: what each has otherwise."""


def load_agents(folder: Path) -> list[Agent]:
    """The agent of a folder, and its variants.

    Raises:
        ConfigError: The file does not say what it should; the message names the line.
    """
    path = folder / AGENT_FILE
    stated = load_yaml(path, strict=True)
    if stated is None:
        stated = {}  # an empty file: all is as usual
    variants = _convert(stated, AgentFile, path).variants
    base = {name: value for name, value in stated.items() if name != "variants"}
    agents = [_agent(folder, folder.name, _convert(base, AgentFacts, path))]
    for name, own in variants.items():
        below = ("variants", name)
        if not _is_part(name):
            raise ConfigError(
                f"{path}: {at_line('', read_text(path), below)}{name!r} is no good name of a "
                "variant; use letters, digits, dots, dashes and underscores."
            )
        _convert(own, AgentFacts, path, below)  # by itself, where its lines can be named
        facts = _convert(_overridden(base, own), AgentFacts, path, below)
        agents.append(_agent(folder, f"{folder.name}/{name}", facts, below))
    return agents


def _overridden(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """What a variant has: its own fields, and within maps its own entries."""
    merged = dict(base)
    for name, value in own.items():
        before = base.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[name] = before | value
        else:
            merged[name] = value
    return merged


def _convert(stated: object, kind: type[Kind], path: Path, below: Sequence[str] = ()) -> Kind:
    try:
        return msgspec.convert(stated, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{path}: {describe_field(str(error), read_text(path), kind, below)}"
        ) from error


def _agent(folder: Path, agent_id: str, facts: AgentFacts, below: Sequence[str] = ()) -> Agent:
    path = folder / AGENT_FILE

    def told_wrong(field: str, why: str) -> ConfigError:
        return ConfigError(f"{path}: {at_line(field, read_text(path), below)}{why}")

    dockerfile = facts.dockerfile or ("Dockerfile" if (folder / "Dockerfile").is_file() else None)
    for field, name in (("requirements", facts.requirements), ("dockerfile", dockerfile)):
        if name is None or (field == "requirements" and name == HOST_PACKAGES):
            continue
        if not _is_below(name) or not (folder / name).is_file():
            raise told_wrong(field, f"{field}: there is no file {name} in the folder of the agent.")
    if why := _why_no_extra(facts):
        raise told_wrong("extra", why)
    start = _words(facts.start, lambda why: told_wrong("start", why))
    options = {name: _as_text(value) for name, value in facts.options.items()}
    environment = {name: _as_text(value) for name, value in facts.environment.items()}
    given = (
        ("start", dict.fromkeys(start, "")),
        ("options", options),
        ("environment", environment),
    )
    for field, values in given:
        if why := why_unusable(field, values):
            raise told_wrong(field, why)
    return Agent(
        id=agent_id,
        name=folder.name,
        folder=folder,
        start=start,
        options=options,
        option_style=facts.option_style,
        environment=environment,
        requirements=HOST_PACKAGES if facts.extra else facts.requirements,
        extra=facts.extra,
        image=facts.image or (folder.name.lower() if dockerfile else None),
        dockerfile=folder / dockerfile if dockerfile else None,
        privileged=facts.privileged,
        model=facts.model,
        limits=_limits(facts.resources, lambda field, why: told_wrong(f"resources.{field}", why)),
        description=facts.description,
    )


def _why_no_extra(facts: AgentFacts) -> str | None:
    """Why an agent cannot have the extra that it names; None if it can, or names none."""
    if facts.extra is None:
        return None
    if facts.extra not in LIBRARIES:
        close = difflib.get_close_matches(facts.extra, LIBRARIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(LIBRARIES)}."
        return f"extra: mlebench has no extra {facts.extra!r}; {hint}"
    if facts.requirements not in (None, HOST_PACKAGES):
        return (
            f"extra: with the libraries of mlebench, there are none of {facts.requirements}; "
            "leave one of the two fields out."
        )
    return None


def why_unusable(field: str, values: Mapping[str, str]) -> str | None:
    """Why names and values cannot be given to a program; None if they can."""
    for name, value in values.items():
        if "\0" in name + value:
            return f"{field}: {name!r} holds a NUL, which no program can be given."
        if field in VARIABLES and (not name or "=" in name):
            return f"{field}: {name!r} is no name of a variable; it must not hold '='."
        if NAMES_SECRET.search(SECRET.sub("", value)):
            return (
                f"{field}: {name} names no secret, though it looks like that; write it as "
                "${{ secrets.NAME }}."
            )
    return None


def _words(start: str | list[str], told_wrong: Callable[[str], ConfigError]) -> tuple[str, ...]:
    try:
        words = shlex.split(start) if isinstance(start, str) else start
    except ValueError as error:
        raise told_wrong(f"start cannot be split into words: {error}.") from error
    if not words or not words[0]:
        raise told_wrong("start is empty; write the command, such as: bash start.sh")
    return tuple(words)


def _limits(resources: Resources, told_wrong: Callable[[str, str], ConfigError]) -> RoomLimits:
    """What was asked for; the rest is as usual."""
    asked: dict[str, Any] = {}
    for field, value in msgspec.structs.asdict(resources).items():
        if value is None:
            continue
        limit = "seconds" if field == "time" else field
        try:
            asked[limit] = READ[field](str(value)) if field in READ else value
        except ConfigError as error:
            raise told_wrong(field, f"resources: {error}") from error
        if why := why_impossible(limit, asked[limit]):
            raise told_wrong(field, f"resources: {field} {why}")
    return RoomLimits(**asked)


def _as_text(value: Scalar) -> str:
    """A value as it stands in the file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_part(name: str) -> bool:
    """Whether a name can be the second half of an id, which paths are made of."""
    return bool(name) and all(sign.isalnum() or sign in "._-" for sign in name) and name[0] != "."


def _is_below(name: str) -> bool:
    return not PurePath(name).is_absolute() and ".." not in PurePath(name).parts
