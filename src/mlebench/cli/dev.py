"""``mlebench dev``: commands for maintainers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from mlebench.cli.completing import competition_ids
from mlebench.cli.groups import CommandGroup
from mlebench.cli.options import CompetitionsDir, DataDir, Json, Wide, make_registry
from mlebench.cli.output import echo, print_json, print_table
from mlebench.cli.tables import Column
from mlebench.printable import printable_lines

app = typer.Typer(
    cls=CommandGroup,
    help="Commands for maintainers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.command("download-leaderboard")
def download_leaderboard(
    competition_id: Annotated[
        str | None,
        typer.Option(
            "--competition-id", "-c", help="One competition.", autocompletion=competition_ids
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All competitions.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Fetch from Kaggle; without it, only look.")
    ] = False,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
) -> None:
    """Fetch full leaderboards from Kaggle, or see which are there."""
    from mlebench.data.leaderboards import ensure_leaderboard_exists
    from mlebench.errors import NoLeaderboardError

    registry = make_registry(data_dir, competitions_dir)
    if not (all_ or competition_id):
        raise typer.BadParameter("Either --all or --competition-id must be specified.")
    if all_ and competition_id:
        raise typer.BadParameter("--all and --competition-id exclude each other.")
    ids = registry.list_competition_ids() if all_ else [str(competition_id)]
    rows = []
    for name in ids:
        competition = registry.get_competition(name)
        path: str | None = None
        try:
            path = str(ensure_leaderboard_exists(competition, force=force))
            kind = "full" if force or competition.has_full_leaderboard else "rebuilt"
        except NoLeaderboardError:
            if not all_:
                raise
            kind = "none"
        rows.append({"competition_id": name, "leaderboard": kind, "path": path})
    _print(rows, as_json, wide)


@app.command("import-leaderboards")
def import_leaderboards(
    checkout: Annotated[
        Path,
        typer.Argument(help="A checkout of the original, or any folder with <id>/leaderboard.csv."),
    ],
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
) -> None:
    """Take over the full leaderboards of an existing checkout."""
    from mlebench.data import leaderboards

    registry = make_registry(data_dir, competitions_dir)
    rows = [
        {
            "competition_id": competition_id,
            "leaderboard": "full",
            "path": str(leaderboards.leaderboard_path(registry.get_competition(competition_id))),
        }
        for competition_id in leaderboards.import_leaderboards(registry, checkout)
    ]
    if not rows and not as_json:
        echo(
            printable_lines(
                f"There is no leaderboard of a known competition in {checkout}; each is looked for "
                "as <id>/leaderboard.csv, however deep."
            )
        )
        return
    _print(rows, as_json, wide)


def _print(rows: Sequence[Mapping[str, str | None]], as_json: bool, wide: bool) -> None:
    if as_json:
        print_json(rows)
    else:
        columns = (Column("competition"), Column("leaderboard"), Column("path", rank=1))
        print_table(columns, [list(row.values()) for row in rows], wide=wide)
