"""``mlebench selfcheck``."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated

import typer

from mlebench.cli.completing import competition_ids
from mlebench.cli.options import CompetitionsDir, EditionName, Json, Wide, make_registry
from mlebench.cli.output import echo, print_json, print_table, progress_bar
from mlebench.cli.tables import Column


def selfcheck(
    competition_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMPETITION_ID]...",
            help="Which ones [default: all].",
            autocompletion=competition_ids,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Try all competitions.")] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Parallel processes [default: one per core]."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Show every single check.")] = False,
    wide: Wide = False,
    as_json: Json = False,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Try competitions end to end on made-up data."""
    from mlebench.authoring.checking import check_competitions
    from mlebench.errors import ConfigError

    if competition_ids and all_:
        raise ConfigError("--all tries every competition: name some, or give --all.")
    registry = make_registry(None, competitions_dir, edition)
    known = registry.list_known_ids()
    registry.require_known(competition_ids or ())
    ids = competition_ids or [name for name in known if registry.is_written(name)]
    found = check_competitions(ids, registry, workers or os.cpu_count() or 1)
    with progress_bar() as progress:
        outcomes = list(progress.track(found, total=len(ids), description="Checking"))
    outcomes.sort(key=lambda outcome: ids.index(outcome.competition_id))
    if as_json:
        print_json([asdict(outcome) for outcome in outcomes])
    else:
        print_table(
            (
                Column("competition"),
                Column("result"),
                Column("checks", rank=3),
                Column("sample score", rank=1),
                Column("gold score", rank=2),
            ),
            [
                [
                    outcome.competition_id,
                    outcome.result,
                    len(outcome.checks),
                    outcome.sample_score,
                    outcome.gold_score,
                ]
                for outcome in outcomes
            ],
            wide=wide,
        )
        shown = [
            [outcome.competition_id, "", "skipped", outcome.note]
            for outcome in outcomes
            if outcome.note
        ]
        shown += [
            [outcome.competition_id, check.name, "ok" if check.passed else "failed", check.detail]
            for outcome in outcomes
            for check in outcome.checks
            if details or not check.passed
        ]
        if shown:
            echo()
            columns = (
                Column("competition"),
                Column("check", wraps=True),
                Column("result"),
                Column("detail", wraps=True),
            )
            print_table(columns, shown, wide=wide)
    if not all(outcome.passed for outcome in outcomes):
        raise typer.Exit(1)
