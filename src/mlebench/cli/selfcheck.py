"""``mlebench selfcheck``."""

from __future__ import annotations

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
            help="Which ones [default: all ready ones].",
            autocompletion=competition_ids,
        ),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Show every single check.")] = False,
    wide: Wide = False,
    as_json: Json = False,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Try competitions end to end on made-up data."""
    from mlebench.authoring.selfcheck import Outcome, check_competition
    from mlebench.errors import MlebenchError

    registry = make_registry(None, competitions_dir, edition)
    known = registry.list_competition_ids()
    registry.require_known(competition_ids or ())
    ids = competition_ids or [name for name in known if registry.is_written(name)]
    outcomes: list[Outcome] = []
    with progress_bar() as progress:
        for name in progress.track(ids, description="Checking"):
            try:
                outcomes.append(check_competition(name, registry))
            except MlebenchError as error:  # one competition's fault is not the others'
                outcomes.append(Outcome(name))
                outcomes[-1].add("can be tried", str(error))
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
                Column("competition", rank=1),
                Column("check", wraps=True),
                Column("result"),
                Column("detail", wraps=True),
            )
            print_table(columns, shown, wide=wide)
    if not all(outcome.passed for outcome in outcomes):
        raise typer.Exit(1)
