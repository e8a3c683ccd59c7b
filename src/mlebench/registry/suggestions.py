"""Commands that messages tell people to type, with the options without which they would fail."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.settings import (
    BUILT_IN_DIR,
    EDITION_VARIABLE,
    default_data_dir,
    resolved,
    user_agents_dirs,
    user_competitions_dirs,
)

if TYPE_CHECKING:
    from mlebench.registry import Registry
    from mlebench.registry.competition import Competition


def command(
    *words: str | Path,
    data_dir: Path | None = None,
    competitions_dirs: Iterable[Path] = (),
    agents_dirs: Iterable[Path] = (),
    edition: str | None = None,
) -> str:
    """An ``mlebench`` command to paste; what the environment says already is left out.

    Files among the words are given as paths, so that none is taken for an option.
    """
    options: list[str | Path] = []
    if edition is not None and edition != os.environ.get(EDITION_VARIABLE, "v1"):
        options += ["--edition", edition]
    if data_dir is not None and data_dir != default_data_dir():
        options += ["--data-dir", data_dir]
    options += _folders("--competitions-dir", competitions_dirs, user_competitions_dirs())
    options += _folders("--agents-dir", agents_dirs, user_agents_dirs())
    return shlex.join(["mlebench", *map(_as_text, (*words, *options))])


def _folders(option: str, needed: Iterable[Path], known: Iterable[Path]) -> list[str | Path]:
    """The options that name folders, unless the environment names them all."""
    folders = list(needed)
    if {resolved(folder) for folder in folders} <= set(known):
        return []
    return [word for folder in folders for word in (option, folder)]


def _as_text(word: str | Path) -> str:
    text = str(word)
    return f"./{text}" if isinstance(word, Path) and text.startswith("-") else text


def command_with(registry: Registry, *words: str | Path) -> str:
    """A command that works with the same competitions, data and edition."""
    return command(
        *words,
        data_dir=registry.get_data_dir(),
        competitions_dirs=registry.user_dirs,
        edition=registry.edition,
    )


def command_for(competition: Competition, *words: str | Path) -> str:
    """A command that works with the same competition, data and edition."""
    data = competition.data_dir
    return command(
        *words,
        data_dir=data.parent if data.name == competition.id else None,
        competitions_dirs=own_dirs(competition.folder),
        edition=competition.edition,
    )


def own_dirs(folder: Path) -> list[Path]:
    """The folders of competitions that have to be named to find one; built-in ones need none."""
    return [] if folder.parent == BUILT_IN_DIR else [folder.parent]
