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
    user_competitions_dirs,
)

if TYPE_CHECKING:
    from mlebench.registry import Registry
    from mlebench.registry.competition import Competition


def command(
    *words: str,
    data_dir: Path | None = None,
    competitions_dirs: Iterable[Path] = (),
    edition: str | None = None,
) -> str:
    """An ``mlebench`` command to paste; what the environment says already is left out."""
    options: list[str] = []
    if edition is not None and edition != os.environ.get(EDITION_VARIABLE, "v1"):
        options += ["--edition", edition]
    if data_dir is not None and data_dir != default_data_dir():
        options += ["--data-dir", str(data_dir)]
    folders = list(competitions_dirs)
    if not set(folders) <= set(user_competitions_dirs()):
        options += [word for folder in folders for word in ("--competitions-dir", str(folder))]
    return shlex.join(["mlebench", *words, *options])


def command_with(registry: Registry, *words: str) -> str:
    """A command that works with the same competitions, data and edition."""
    return command(
        *words,
        data_dir=registry.get_data_dir(),
        competitions_dirs=registry.user_dirs,
        edition=registry.edition,
    )


def command_for(competition: Competition, *words: str) -> str:
    """A command that works with the same competition, data and edition."""
    folder, data = competition.folder, competition.data_dir
    return command(
        *words,
        data_dir=data.parent if data.name == competition.id else None,
        competitions_dirs=[] if folder.parent == BUILT_IN_DIR else [folder.parent],
        edition=competition.edition,
    )
