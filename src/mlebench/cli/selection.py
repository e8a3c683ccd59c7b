"""Which competitions a command is about: named, listed in a file, or all of a kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli import completing
from mlebench.errors import ConfigError

if TYPE_CHECKING:
    from mlebench.registry import Registry

Named = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[COMPETITION_ID]...",
        help="These competitions.",
        autocompletion=completing.competition_ids,
    ),
]
All = Annotated[bool, typer.Option("--all", "-a", help="All competitions.")]
Lite = Annotated[bool, typer.Option("--lite", help="The low split.")]
ListFile = Annotated[
    Path | None,
    typer.Option("--list", "-l", help="The ids in a text file, or a split such as mini."),
]


def chosen(
    registry: Registry,
    named: list[str] | None,
    *,
    lite: bool = False,
    all_: bool = False,
    list_file: Path | None = None,
) -> list[str]:
    """The ids of the competitions that were chosen, none of them twice; maybe none at all.

    Raises:
        typer.BadParameter: They were chosen in several ways, of which one alone would count.
    """
    if sum(map(bool, (named, lite, all_, list_file))) > 1:
        raise typer.BadParameter(
            "Name competitions, or give one of --all, --lite and --list, but not several of these."
        )
    if lite:
        return registry.get_lite_competition_ids()
    if all_:
        return registry.list_competition_ids()
    ids = _listed(list_file, registry) if list_file else named or []
    return [*dict.fromkeys(ids)]


def _listed(path: Path, registry: Registry) -> list[str]:
    from mlebench.registry.splits import read_id_list
    from mlebench.registry.suggestions import command_with

    if not path.exists() and str(path) in registry.list_splits():
        return registry.get_split(str(path))
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise ConfigError(
            f"The list {path} {what}. Write a text file with one competition id a line; "
            f"`{command_with(registry, 'competitions')}` shows the ids."
        )
    return read_id_list(path)
