"""Fingerprints of agents, by which the record of a run says what exactly ran."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import ConfigError, shortened

if TYPE_CHECKING:
    from hashlib import _Hash

    from mlebench.agents.definition import Agent

DEEPEST = 100
LEFT_OUT = "__pycache__"
"""Made by running; whether it is there says nothing."""


def agent_digest(agent: Agent) -> str:
    """The sha256 of an agent's facts and of all files of its folder.

    The same agent in another place has the same digest; one with another option does not.
    Secrets are part of it by their names only.

    Raises:
        ConfigError: Its folders are nested too deeply to be copied into rooms.
    """
    facts = asdict(agent) | {"folder": None}
    if agent.dockerfile:
        facts["dockerfile"] = os.path.relpath(agent.dockerfile, agent.folder)
    digest = hashlib.sha256()
    _add(digest, json.dumps(facts, sort_keys=True, default=str).encode())
    add_files(digest, agent.folder)
    return digest.hexdigest()


def files_digest(folder: Path) -> str:
    """The sha256 of all files of a folder, by which a copy is known to be the same."""
    digest = hashlib.sha256()
    add_files(digest, folder)
    return digest.hexdigest()


def add_files(digest: _Hash, place: Path) -> None:
    """Add a file, or all files below a folder: their names, kinds and content."""
    for path in [place] if not place.is_dir() else _below(place):
        _add(digest, os.fsencode(path.relative_to(place)))
        if path.is_symlink():
            _add(digest, b"link")
            _add(digest, os.fsencode(path.readlink()))
        elif path.is_dir():
            _add(digest, b"folder")
        elif path.is_file():
            # All rights would differ with the umask of whoever made the copy.
            _add(digest, b"program" if os.access(path, os.X_OK) else b"file")
            with path.open("rb") as file:
                _add(digest, hashlib.file_digest(file, "sha256").digest())
        else:
            _add(digest, b"other")  # a pipe or socket, which nobody could read


def _below(folder: Path, level: int = 0) -> Iterator[Path]:
    if level > DEEPEST:
        raise ConfigError(
            f"Folders are nested more than {DEEPEST} levels deep at {shortened(str(folder))}; "
            "an agent's must not be. Move what is in there further up, or remove it."
        )
    for path in sorted(folder.iterdir()):
        if path.name == LEFT_OUT or not (path.is_symlink() or path.is_dir() or path.is_file()):
            continue  # such as a pipe, which comes into no room
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path, level + 1)


def _add(digest: _Hash, part: bytes) -> None:
    """Add a part with its length, so that no two lists of parts look alike."""
    digest.update(len(part).to_bytes(8, "big"))
    digest.update(part)
