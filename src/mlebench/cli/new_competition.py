"""``mlebench new-competition``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlebench.authoring.kinds import Kind
from mlebench.cli.options import Json
from mlebench.cli.output import echo, print_json
from mlebench.printable import print_to_stderr, printable


def new_competition(
    competition_id: Annotated[
        str, typer.Argument(metavar="COMPETITION_ID", help="Letters, digits and dashes.")
    ],
    directory: Annotated[
        Path, typer.Option("--dir", help="Folder of your own competitions.")
    ] = Path("competitions"),
    title: Annotated[str | None, typer.Option("--title", help="Title [default: the id].")] = None,
    kind: Annotated[
        Kind, typer.Option("--kind", help="What it is about; each has its own template.")
    ] = Kind.TABLE,
    as_json: Json = False,
) -> None:
    """Create the folder of a new competition, complete and working."""
    from mlebench.authoring.scaffold import create_competition
    from mlebench.data.folders import written_folder
    from mlebench.registry.catalog import Catalog
    from mlebench.registry.suggestions import command
    from mlebench.settings import expanded

    if competition_id in Catalog(()):
        print_to_stderr(f"note: this one will hide the built-in {competition_id}.")
    parent = expanded(directory)  # as --competitions-dir does
    with written_folder(parent, "--dir"):
        folder = create_competition(competition_id, parent, title, kind)
    if as_json:
        files = sorted(path.name for path in folder.iterdir())
        print_json({"folder": str(folder), "kind": kind, "files": files})
        return
    check = command("selfcheck", competition_id, competitions_dirs=[parent])
    echo(
        f"Created {printable(str(folder))}. Try it:\n"
        f"  {printable(check)}\n"
        "Then edit task.py, fixture.py, competition.yaml and description.md."
    )
