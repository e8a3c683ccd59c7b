"""``mlebench new-competition``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlebench.authoring.kinds import Kind
from mlebench.cli.options import Json
from mlebench.cli.output import print_json
from mlebench.printable import print_to_stderr


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
    from mlebench.registry.catalog import Catalog

    if competition_id in Catalog(()):
        print_to_stderr(f"note: this one will hide the built-in {competition_id}.")
    folder = create_competition(competition_id, directory, title, kind)
    if as_json:
        files = sorted(path.name for path in folder.iterdir())
        print_json({"folder": str(folder), "kind": kind, "files": files})
        return
    typer.echo(
        f"Created {folder}. Try it:\n"
        f"  mlebench selfcheck {competition_id} --competitions-dir {directory}\n"
        "Then edit task.py, fixture.py, competition.yaml and description.md."
    )
