"""``mlebench data``: what is there, whether it is as it should be, and removing it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli.groups import CommandGroup
from mlebench.cli.options import CompetitionsDir, DataDir, EditionName, Json, Wide, make_registry
from mlebench.cli.output import echo, print_json, print_message, print_table, print_text
from mlebench.cli.selection import All, ListFile, Lite, Named, chosen
from mlebench.cli.tables import Cell, Column
from mlebench.errors import ConfigError, MlebenchError
from mlebench.printable import print_to_stderr, printable, printable_lines

if TYPE_CHECKING:
    from mlebench.registry import Registry

app = typer.Typer(
    cls=CommandGroup,
    help="See, verify and remove prepared data and downloads.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

UNITS = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


@app.command("list")
def list_(
    competition_ids: Named = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
) -> None:
    """Show what is prepared, in which edition, from what."""
    from mlebench.data.surveying import holdings

    registry = make_registry(data_dir, competitions_dir)
    all_found = sorted(
        holdings(registry, competition_ids), key=lambda one: (one.competition_id, one.edition)
    )
    if as_json:
        print_json([asdict(found) for found in all_found])
        return
    if not all_found:
        _say_there_is_nothing("Nothing is prepared", registry)
        return
    columns = (
        Column("competition"),
        Column("edition"),
        Column("status"),
        Column("source", rank=1),
        Column("layout", rank=3),
        Column("prepared at", rank=2),
    )
    print_table(columns, [[*asdict(found).values()][:-1] for found in all_found], wide=wide)
    _print_reasons((found.competition_id, found.reason) for found in all_found if found.reason)


@app.command("du")
def du(
    competition_ids: Named = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
) -> None:
    """Show how much room data take; a file that is linked several times counts once."""
    from mlebench.data.inventory import USES
    from mlebench.data.surveying import uses

    registry = make_registry(data_dir, competitions_dir)
    found = [*uses(registry, competition_ids)]
    if as_json:
        print_json(
            [{"competition_id": name, **own, "reason": reason} for name, own, reason in found]
        )
        return
    if not found:
        _say_there_is_nothing("There are no data", registry)
        return
    columns = (
        Column("competition"),
        *(
            Column(part.replace("_", " "), rank=rank, is_right=True)
            for rank, part in enumerate(USES, start=1)
        ),
        Column("total", is_right=True),
    )
    shown: list[list[Cell]] = [
        [name, *(_in_units(own[part]) if own else None for part in (*USES, "total"))]
        for name, own, _ in found
    ]
    print_table(columns, shown, wide=wide)
    total = sum(own.get("total", 0) for _, own, _ in found)
    echo()
    echo(printable(f"{_in_units(total)} in all, in {registry.get_data_dir()}"))
    _print_reasons((name, reason) for name, _, reason in found if reason)


def _in_units(size: int) -> str:
    """A size in a unit of which it is one or more, if there is any."""
    unit = next((unit for unit in reversed(UNITS) if size >= UNITS[unit]), "kB")
    return f"{size / UNITS[unit]:.1f} {unit}" if size else "0"


@app.command("verify")
def verify(
    competition_ids: Named = None,
    all_: All = False,
    lite: Lite = False,
    list_file: ListFile = None,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Compare prepared data with their manifest and the published sums.

    Without names, all that is prepared. Exit code 1 if anything is not as it should be.
    """
    from mlebench.data.surveying import inspections

    registry = make_registry(data_dir, competitions_dir, edition)
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    found = [*inspections(registry, ids)]
    if as_json:
        print_json([asdict(inspection) for inspection in found])
    elif not found:
        _say_there_is_nothing("Nothing is prepared", registry)
    else:
        columns = (Column("competition"), Column("status"))
        print_table(columns, [[one.competition_id, one.status] for one in found])
        for inspection in found:
            _print_reasons((inspection.competition_id, told) for told in inspection.sentences)
            if inspection.remedy:
                echo(printable(f"To mend it: {inspection.remedy}"))
    if not all(inspection.is_good for inspection in found):
        raise typer.Exit(1)


@app.command("remove")
def remove(
    competition_ids: Named = None,
    all_: All = False,
    lite: Lite = False,
    list_file: ListFile = None,
    prepared: Annotated[
        bool, typer.Option("--prepared", help="The prepared data of the edition.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The unpacked download.")] = False,
    zip_: Annotated[bool, typer.Option("--zip", help="The download.")] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="What interrupted runs left to go on with.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Remove data of competitions: what is prepared, downloaded, unpacked or unfinished."""
    from mlebench.data.inventory import PARTS, remove_parts
    from mlebench.data.surveying import loaded, places_of

    registry = make_registry(data_dir, competitions_dir, edition)
    wanted = dict(zip(PARTS, (prepared, raw, zip_, unfinished), strict=True))
    parts = [part for part in PARTS if wanted[part]]
    if not parts:
        raise typer.BadParameter(
            "Say what to remove: --prepared, --raw, --zip or --unfinished, or several of them."
        )
    if not any((competition_ids, all_, lite, list_file)):
        raise typer.BadParameter("Name competitions, or give one of --all, --lite and --list.")
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    competitions, errors = loaded(registry, ids)
    if not yes and (found := [*places_of(competitions, parts)]):
        _ask(found)
    removed: list[Path] = []

    def tell(path: Path) -> None:
        removed.append(path)
        if not as_json:
            echo(printable(f"Removed {path}"))

    for competition in competitions:
        try:
            remove_parts(competition, parts, on_removed=tell)
        except MlebenchError as error:
            errors.append(error)
    if as_json:
        print_json([str(path) for path in removed])
    elif not removed and not errors:
        echo("There was nothing to remove.")
    for one in errors:
        print_message(f"error: {one}")
    if errors:
        raise typer.Exit(errors[0].exit_code)


def _say_there_is_nothing(what: str, registry: Registry) -> None:
    """Say where there is nothing, and what to type so that there is something."""
    from mlebench.registry.suggestions import command_with

    first_step = command_with(registry, "prepare", "spaceship-titanic", "--fixture")
    print_text(
        printable_lines(
            f"{what} in {registry.get_data_dir()}. To begin with made-up data: {first_step}"
        )
    )


def _print_reasons(reasons: Iterable[tuple[str, str]]) -> None:
    """Say below a table what there is to say of some competitions."""
    for competition_id, reason in reasons:
        echo()
        print_text(f"{competition_id}: {reason}")


def _ask(found: list[Path]) -> None:
    """Go on only if somebody says so.

    Raises:
        ConfigError: There is nobody to ask.
    """
    for path in found:
        print_to_stderr(printable(str(path)))
    if not sys.stdin or not sys.stdin.isatty():
        raise ConfigError("Nobody is there to be asked: add --yes to remove what is listed above.")
    typer.confirm("Remove this?", abort=True, err=True)
