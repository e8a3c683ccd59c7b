"""``mlebench prepare``."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlebench.cli import completing
from mlebench.cli.options import (
    Address,
    CompetitionsDir,
    DataDir,
    EditionName,
    ExecutorName,
    Json,
    Wide,
    is_cluster,
    job_runner,
    make_registry,
)
from mlebench.cli.output import echo, print_facts, print_json, print_table, print_text
from mlebench.cli.selection import All, ListFile, Lite, Named, chosen
from mlebench.cli.tables import Column
from mlebench.errors import ConfigError
from mlebench.printable import printable_lines

if TYPE_CHECKING:
    from mlebench.data.many import Result
    from mlebench.data.notes import Observer
    from mlebench.data.outlook import Outlook
    from mlebench.processes import MakeRunner
    from mlebench.registry import Registry

logger = logging.getLogger(__name__)

COLUMNS = (Column("competition"), Column("status"))
FACTS = ("competition", "status", "data")


def prepare(
    competition_ids: Named = None,
    competition_id: Annotated[
        str | None,
        typer.Option(
            "--competition-id",
            "-c",
            help="Prepare one competition.",
            autocompletion=completing.competition_ids,
        ),
    ] = None,
    all_: All = False,
    lite: Lite = False,
    list_file: ListFile = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Raw data: an unpacked folder, the zip from Kaggle, or the address of a mirror "
            "(https://…, s3://…); with several competitions, a folder or mirror holding one of "
            "these for each, named by id [default: what is in the data folder, else Kaggle].",
        ),
    ] = None,
    fixture: Annotated[
        bool, typer.Option("--fixture", help="Make tiny data up instead of using real ones.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="How many of several are at work at a time.")
    ] = 2,
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            help="archived leaves archives among the public files as published, extracted "
            "unpacks them [default: archived, or as the data which are there].",
            autocompletion=completing.layouts,
        ),
    ] = None,
    keep_raw: Annotated[bool, typer.Option("--keep-raw", help="Keep the unpacked zip.")] = False,
    keep_zip: Annotated[bool, typer.Option("--keep-zip", help="Keep what was downloaded.")] = False,
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
    skip_room_check: Annotated[
        bool, typer.Option("--skip-room-check", help="Begin even if the disk seems too small.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Prepare again, whatever is there.")
    ] = False,
    executor: ExecutorName = "local",
    address: Address = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Turn raw data into what agents see and into answers; an interrupted run resumes.

    With --json, the result stands on stdout, and on stderr a JSON object a line for what happens.
    """
    from mlebench.cli.progress import shown_progress
    from mlebench.data.outlook import look_ahead
    from mlebench.data.prepare import require_fitting
    from mlebench.data.sources import source_of
    from mlebench.registry.suggestions import command_with

    registry = make_registry(data_dir, competitions_dir, edition)
    make_runner = job_runner(executor, address)
    require_fitting(fixture=fixture, overwrite_checksums=overwrite_checksums, layout=layout)
    if source and fixture:
        raise ConfigError(
            "--from names real data and --fixture makes some up: give one of the two."
        )
    named = [*(competition_ids or ()), *([competition_id] if competition_id else ())]
    ids = chosen(registry, named, lite=lite, all_=all_, list_file=list_file)
    if not ids:
        raise typer.BadParameter(
            "One of --lite, --all, --list, or --competition-id must be specified. Or name "
            "competitions: mlebench prepare spaceship-titanic --fixture"
        )
    if fixture and keep_raw:
        logger.warning("Made-up data have no download to keep: --keep-raw does nothing here.")
    sources = {name: source_of(name, source, is_only=len(ids) == 1) for name in ids}
    options = {
        "fixture": fixture,
        "keep_raw": keep_raw,
        "keep_zip": keep_zip,
        "layout": layout,
        "overwrite_checksums": overwrite_checksums,
        "skip_verification": skip_verification,
        "force": force,
        "overwrite_leaderboard": overwrite_leaderboard,
    }
    with shown_progress(as_json=as_json) as observer:
        outlooks: list[Outlook] = []
        if not fixture:
            outlooks = look_ahead(
                sources,
                registry,
                force=force or overwrite_checksums,
                layout=layout,
                at_once=0 if skip_room_check else 2 * jobs,
            )
            _show_outlooks(outlooks, registry, at_once=2 * jobs, as_json=as_json, wide=wide)
        if len(ids) == 1 and not is_cluster(executor):
            results = [
                _prepare_single(
                    ids[0], sources, registry, options, outlooks, observer, as_json=as_json
                )
            ]
        else:
            results = _prepare_several(
                sources, registry, options, outlooks, observer, jobs, make_runner
            )
    if as_json:
        print_json([_as_dict(result) for result in results])
    elif len(results) == 1:
        print_facts([*zip(FACTS, _as_dict(results[0]).values(), strict=True)])
    else:
        _print_several(results, registry.get_data_dir())
    failures = [result for result in results if result.exit_code]
    if not as_json and any(result.status == "not written" for result in failures):
        ready = command_with(registry, "competitions", "--ready")
        echo(f"\nWhat can be prepared so far: {ready}")
    if failures:
        raise typer.Exit(failures[0].exit_code)


def _prepare_single(
    name: str,
    sources: Mapping[str, str | None],
    registry: Registry,
    options: Mapping[str, Any],
    outlooks: Sequence[Outlook],
    observer: Observer,
    *,
    as_json: bool,
) -> Result:
    """Prepare a competition in this process; its error is that of the command.

    Programs find it where they find those of several.
    """
    from mlebench.cli.progress import WatchedAs
    from mlebench.data.many import Result, prepare_one, prepare_safely

    for outlook in outlooks:
        if outlook.problem and as_json:
            return Result.of_error(name, outlook.problem)
        if outlook.problem:
            raise outlook.problem
    prepared = prepare_safely if as_json else prepare_one
    try:
        watcher = WatchedAs(name, observer)
        return prepared(name, registry, sources[name], watcher=watcher, **options)
    finally:
        observer.end(name)


def _prepare_several(
    sources: Mapping[str, str | None],
    registry: Registry,
    options: Mapping[str, Any],
    outlooks: Sequence[Outlook],
    observer: Observer,
    jobs: int,
    make_runner: MakeRunner,
) -> list[Result]:
    """Prepare those competitions for which nothing stands against it, side by side."""
    from mlebench.cli.logs import print_log_line
    from mlebench.data.many import Result, prepare_many

    problems = {one.competition_id: one.problem for one in outlooks if one.problem}
    results = {name: Result.of_error(name, problem) for name, problem in problems.items()}
    possible = {name: source for name, source in sources.items() if name not in problems}
    for result in prepare_many(
        possible,
        registry,
        options,
        jobs=jobs,
        observer=observer,
        sink=print_log_line,
        make_runner=make_runner,
    ):
        results[result.competition_id] = result
        if result.status == "failed":
            logger.error("%s: %s", result.competition_id, result.detail.partition("\n")[0])
        else:
            logger.info(
                "[%d/%d] %s: %s", len(results), len(sources), result.competition_id, result.status
            )
    return [results[name] for name in sources]


def _show_outlooks(
    outlooks: Sequence[Outlook], registry: Registry, *, at_once: int, as_json: bool, wide: bool
) -> None:
    from mlebench.cli.outlooks import print_outlook_events, print_outlooks

    has_work = any(outlook.has_work for outlook in outlooks)
    if as_json:
        print_outlook_events(outlooks)
    elif has_work and logger.isEnabledFor(logging.WARNING):
        print_outlooks(outlooks, registry.get_data_dir(), at_once=at_once, wide=wide)


def _as_dict(result: Result) -> dict[str, str]:
    return {
        "competition_id": result.competition_id,
        "status": result.status,
        "detail": result.detail,
    }


def _print_several(results: Sequence[Result], data_dir: Path) -> None:
    """A table of what became of competitions, and below it why some failed."""
    from mlebench.cli.outlooks import sentences_by_reason

    print_table(COLUMNS, [[result.competition_id, result.status] for result in results])
    failed = [result for result in results if result.status == "failed"]
    for sentence in sentences_by_reason((one.competition_id, one.detail) for one in failed):
        echo()
        print_text(sentence)
    if any(result.status.endswith("prepared") for result in results):
        echo(printable_lines(f"\nThe data are in {data_dir}"))
