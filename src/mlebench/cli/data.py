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
from mlebench.cli.output import echo, print_json, print_table, print_text
from mlebench.cli.selection import All, ListFile, Lite, Named, chosen
from mlebench.cli.tables import Cell, Column
from mlebench.errors import ConfigError
from mlebench.printable import print_to_stderr, printable, printable_lines

if TYPE_CHECKING:
    from mlebench.registry import Registry
    from mlebench.registry.competition import Competition

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
    from mlebench.data.inventory import holding

    first, second = (make_registry(data_dir, competitions_dir, name) for name in ("v1", "v2"))
    holdings = [
        found
        for competition in _with_data(first, competition_ids)
        for edition in _editions(competition, second)
        if not (found := holding(edition)).is_nothing or competition_ids
    ]
    holdings.sort(key=lambda found: (found.competition_id, found.edition))
    if as_json:
        print_json([asdict(found) for found in holdings])
        return
    if not holdings:
        _say_there_is_nothing("Nothing is prepared", first)
        return
    columns = (
        Column("competition"),
        Column("edition"),
        Column("status"),
        Column("source", rank=1),
        Column("layout", rank=3),
        Column("prepared at", rank=2),
    )
    print_table(columns, [[*asdict(found).values()][:-1] for found in holdings], wide=wide)
    _print_reasons((found.competition_id, found.reason) for found in holdings if found.reason)


@app.command("du")
def du(
    competition_ids: Named = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
) -> None:
    """Show how much room data take; a file that is linked several times counts once."""
    from mlebench.data.inventory import USES, disk_uses, has_files_below
    from mlebench.data.settling import unreadable

    first, second = (make_registry(data_dir, competitions_dir, name) for name in ("v1", "v2"))
    sizes: dict[str, dict[str, int]] = {}
    reasons: dict[str, str] = {}
    for competition in _with_data(first, competition_ids):
        if not competition_ids and not has_files_below(competition.data_dir):
            continue  # folders that a failed preparation or `remove` left
        try:
            own = disk_uses(_editions(competition, second))
        except OSError as error:  # of this one, which must not hide the others
            own, reasons[competition.id] = {}, unreadable(competition, error)
        sizes[competition.id] = own
    if as_json:
        print_json(
            [
                {"competition_id": name, **own, "reason": reasons.get(name)}
                for name, own in sizes.items()
            ]
        )
        return
    if not sizes:
        _say_there_is_nothing("There are no data", first)
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
        for name, own in sizes.items()
    ]
    print_table(columns, shown, wide=wide)
    total = sum(own.get("total", 0) for own in sizes.values())
    echo(f"\n{_in_units(total)} in all")
    _print_reasons(reasons.items())


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
    from mlebench.data.inspecting import inspect
    from mlebench.data.inventory import holding

    registry = make_registry(data_dir, competitions_dir, edition)
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    competitions = [
        competition
        for competition in _with_data(registry, ids or None)
        if ids or not holding(competition).is_nothing
    ]
    found = [inspect(competition) for competition in competitions]
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
    from mlebench.data.inventory import PARTS, places, remove_parts

    registry = make_registry(data_dir, competitions_dir, edition)
    wanted = dict(zip(PARTS, (prepared, raw, zip_, unfinished), strict=True))
    parts = [part for part in PARTS if wanted[part]]
    if not parts:
        raise typer.BadParameter(
            "Say what to remove: --prepared, --raw, --zip or --unfinished, or several of them."
        )
    if sum(map(bool, (competition_ids, all_, lite, list_file))) != 1:
        raise typer.BadParameter("Name competitions, or give one of --all, --lite and --list.")
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    competitions = [registry.get_competition(name) for name in ids]
    found = [path for one in competitions for part in parts for path in places(one, part)]
    if found and not yes:
        _ask(found)
    removed = [path for one in competitions for path in remove_parts(one, parts)]
    if as_json:
        print_json([str(path) for path in removed])
        return
    for path in removed:
        echo(printable(f"Removed {path}"))
    if not removed:
        echo("There was nothing to remove.")


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


def _editions(competition: Competition, second: Registry) -> list[Competition]:
    """A competition in each of its editions; in the original's format it has only one."""
    others = [second.get_competition(competition.id)] if competition.task else []
    return [competition, *others]


def _with_data(registry: Registry, ids: list[str] | None) -> list[Competition]:
    """Competitions of which something lies in the data folder, or those that were named."""
    if ids:
        return [registry.get_competition(name) for name in ids]
    data = registry.get_data_dir()
    known = registry.list_competition_ids()
    return [registry.get_competition(name) for name in known if (data / name).is_dir()]
