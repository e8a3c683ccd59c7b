"""An agent: a program with facts on how to start it and what it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mlebench.errors import ConfigError
from mlebench.sandbox.room import RoomLimits

OptionStyle = Literal["argparse", "omegaconf"]
HOST_PACKAGES = "host"
"""In place of a requirements file: the libraries that mlebench itself runs with."""

SECRET = re.compile(r"\$\{\{\s*secrets\.(\w+)\s*\}\}")


@dataclass(frozen=True)
class Agent:
    """An agent as its folder describes it.

    Attributes:
        id: What it is called by, such as ``aide/o1-preview``.
        name: The folder's own name, which run groups and images bear.
        folder: All of it goes into the room.
        start: The command, in the folder.
        options: Given to the command, in its style; values may name secrets.
        option_style: ``--key value`` or ``key=value``.
        environment: Variables for the room; values may name secrets.
        requirements: A requirements file in the folder, ``host``, or nothing.
        extra: The extra of mlebench whose libraries it needs, beside those of the host.
        image: The container image that it needs.
        dockerfile: How that is built, if not known to be there.
        privileged: Whether its container gets all rights of the host.
        model: The language model that it uses, for the record.
        limits: What it wants to have, unless the user says otherwise.
        description: What it does, for people.
    """

    id: str
    name: str
    folder: Path
    start: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    option_style: OptionStyle = "argparse"
    environment: Mapping[str, str] = field(default_factory=dict)
    requirements: str | None = None
    extra: str | None = None
    image: str | None = None
    dockerfile: Path | None = None
    privileged: bool = False
    model: str | None = None
    limits: RoomLimits = field(default_factory=RoomLimits)
    description: str = ""

    @property
    def secrets(self) -> list[str]:
        """The names of the secrets that it needs."""
        stated = (*self.options.values(), *self.environment.values())
        return [*dict.fromkeys(name for value in stated for name in SECRET.findall(str(value)))]

    @property
    def python(self) -> str:
        """Which packages its Python has, in words."""
        if self.requirements is None:
            return "standard library" if self.image is None else "that of the image"
        ours = f"mlebench[{self.extra}]" if self.extra else "mlebench"
        known = {HOST_PACKAGES: f"the libraries of {ours}"}
        return known.get(self.requirements, self.requirements)

    @property
    def needs(self) -> list[str]:
        """What has to be there before it can run, in words."""
        needed = [self.python] if self.requirements else []
        if self.image:
            needed.append(f"image {self.image}")
        if self.privileged:
            needed.append("all rights")
        return needed + self.secrets

    def command(self, secrets: Mapping[str, str]) -> tuple[str, ...]:
        """What is started in the room."""
        words: list[str] = []
        for key, value in self.options.items():
            text = fill_in(str(value), secrets)
            words += [f"--{key}", text] if self.option_style == "argparse" else [f"{key}={text}"]
        return (*self.start, *words)

    def variables(self, secrets: Mapping[str, str]) -> dict[str, str]:
        """The agent's own environment variables."""
        return {name: fill_in(str(value), secrets) for name, value in self.environment.items()}


def fill_in(text: str, secrets: Mapping[str, str]) -> str:
    """A text with the secrets that it names; the host's environment holds them.

    Raises:
        ConfigError: One of them is not set.
    """

    def look_up(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in secrets:
            raise ConfigError(
                f"Environment variable `{name}` is not set! The agent needs it; set it with: "
                f"export {name}=..."
            )
        return secrets[name]

    return SECRET.sub(look_up, text)
