"""``mlebench prepare``."""

from __future__ import annotations

import logging
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli import completing
from mlebench.cli.options import CompetitionsDir, DataDir, EditionName, Json, make_registry
from mlebench.cli.output import echo, print_facts, print_json, print_table, print_text
from mlebench.cli.tables import Column
from mlebench.errors import ConfigError, MlebenchError, TaskNotWrittenError
from mlebench.printable import printable_lines

if TYPE_CHECKING:
    from mlebench.registry import Registry

logger = logging.getLogger(__name__)


COLUMNS = (Column("competition"), Column("status"))
FACTS = ("competition", "status", "data")


def prepare(
    competition_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMPETITION_ID]...",
            help="Prepare these competitions.",
            autocompletion=completing.competition_ids,
        ),
    ] = None,
    competition_id: Annotated[
        str | None,
        typer.Option(
            "--competition-id",
            "-c",
            help="Prepare one competition.",
            autocompletion=completing.competition_ids,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Prepare all competitions.")] = False,
    lite: Annotated[bool, typer.Option("--lite", help="Prepare the low split.")] = False,
    list_file: Annotated[
        Path | None, typer.Option("--list", "-l", help="Prepare the ids in a text file.")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Raw data: an unpacked folder or the zip from Kaggle; with several "
            "competitions, a folder holding one of these for each, named by id.",
        ),
    ] = None,
    fixture: Annotated[
        bool, typer.Option("--fixture", help="Make tiny data up instead of using real ones.")
    ] = False,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Keep the unpacked zip.")] = False,
    overwrite_checksums: Annotated[
        bool,
        typer.Option("--overwrite-checksums", help="Prepare again and record the md5 sums."),
    ] = False,
    overwrite_leaderboard: Annotated[
        bool,
        typer.Option("--overwrite-leaderboard", help="Fetch the full leaderboard from Kaggle."),
    ] = False,
    skip_verification: Annotated[
        bool, typer.Option("--skip-verification", help="Do not compare md5 sums.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Prepare again, whatever is there.")
    ] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Turn raw data into what agents see and into answers."""
    from mlebench.data.folders import written_folder
    from mlebench.data.leaderboards import download_leaderboard
    from mlebench.data.prepare import prepare as prepare_data
    from mlebench.registry.suggestions import command_with

    registry = make_registry(data_dir, competitions_dir, edition)
    if source and fixture:
        raise ConfigError(
            "--from names real data and --fixture makes some up: give one of the two."
        )
    named = [*(competition_ids or ()), *([competition_id] if competition_id else ())]
    ids = _chosen(registry, named, lite=lite, all_=all_, list_file=list_file)
    results: list[dict[str, str]] = []
    failures: list[MlebenchError] = []
    for position, name in enumerate(ids, start=1):
        if len(ids) > 1:
            logger.info("[%d/%d] %s", position, len(ids), name)
        try:
            competition = registry.get_competition(name)
            if overwrite_leaderboard:
                download_leaderboard(competition)
            # What an author's functions print is not among our results.
            with written_folder(registry.get_data_dir(), "--data-dir"), redirect_stdout(sys.stderr):
                worked = prepare_data(
                    competition,
                    _source_of(name, source, single=len(ids) == 1),
                    fixture=fixture,
                    keep_raw=keep_raw,
                    overwrite_checksums=overwrite_checksums,
                    skip_verification=skip_verification,
                    force=force,
                )
        except MlebenchError as error:
            if len(ids) == 1:
                raise
            failures.append(error)
            is_written = not isinstance(error, TaskNotWrittenError)
            if is_written:
                logger.error("%s: %s", name, error)
            status, detail = ("failed", str(error)) if is_written else ("not written", "")
            results.append({"competition_id": name, "status": status, "detail": detail})
        else:
            status = "prepared" if worked else "already prepared"
            if not worked:
                logger.info("%s is prepared already; --force does it again.", name)
            where = str(competition.public_dir.parent)
            results.append({"competition_id": name, "status": status, "detail": where})
    if as_json:
        print_json(results)
    elif len(results) == 1:
        print_facts([*zip(FACTS, results[0].values(), strict=True)])
    else:
        _print_several(results, registry.get_data_dir())
    if failures:
        if not as_json and any(isinstance(error, TaskNotWrittenError) for error in failures):
            ready = command_with(registry, "competitions", "--ready")
            echo(f"\nWhat can be prepared so far: {ready}")
        raise typer.Exit(failures[0].exit_code)


def _print_several(results: list[dict[str, str]], data_dir: Path) -> None:
    """A table of what became of competitions, and below it why some failed."""
    print_table(COLUMNS, [[row["competition_id"], row["status"]] for row in results])
    failed = [row for row in results if row["status"] == "failed"]
    for row in failed:
        echo()
        print_text(f"{row['competition_id']}: {row['detail']}")
    if any(row["status"].endswith("prepared") for row in results):
        echo(printable_lines(f"\nThe data are in {data_dir}"))


def _chosen(
    registry: Registry, named: list[str], *, lite: bool, all_: bool, list_file: Path | None
) -> list[str]:
    if lite:
        return registry.get_lite_competition_ids()
    if all_:
        return registry.list_competition_ids()
    if list_file:
        return _listed(list_file, registry)
    if named:
        return named
    raise typer.BadParameter(
        "One of --lite, --all, --list, or --competition-id must be specified. Or name "
        "competitions: mlebench prepare spaceship-titanic --fixture"
    )


def _listed(path: Path, registry: Registry) -> list[str]:
    from mlebench.registry.catalog import read_id_list
    from mlebench.registry.suggestions import command_with

    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise ConfigError(
            f"The list {path} {what}. Write a text file with one competition id a line; "
            f"`{command_with(registry, 'competitions')}` shows the ids."
        )
    return read_id_list(path)


def _source_of(competition_id: str, source: Path | None, *, single: bool) -> Path | None:
    """The raw data of one competition among the sources the user gave."""
    if source is None or single:
        return source
    archive = source / f"{competition_id}.zip"
    return archive if archive.is_file() else source / competition_id
