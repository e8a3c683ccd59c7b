"""``mlebench quickstart``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli.options import (
    DataDir,
    Json,
    RunsDir,
    Wide,
    default_runs_dir,
    make_registry,
    parse_time,
)
from mlebench.cli.output import (
    echo,
    print_json,
    print_message,
    print_table,
    print_text,
    progress_bar,
)
from mlebench.cli.tables import Column
from mlebench.printable import printable_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mlebench.runs.campaign import Campaign
    from mlebench.runs.group import RunGroup
    from mlebench.runs.quickstart import Standing
    from mlebench.runs.state import RunState

USUAL_SECONDS = 16.0


def quickstart(
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Attempts at each competition.")] = 2,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", parser=parse_time, metavar="<time>", help="For each run, such as 1m."
        ),
    ] = USUAL_SECONDS,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Runs at a time.")] = 2,
    runs_dir: RunsDir = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """See agents at work on six small competitions: nothing is downloaded, nothing is needed.

    The data are real and come with mlebench. A dummy submits the sample, automl trains models.
    """
    from mlebench.runs.quickstart import best_room, campaigns, prepare_split, standings

    registry = make_registry(data_dir, None, "v1")
    with progress_bar() as progress:
        bar = progress.add_task("Preparing", total=None)
        ids = prepare_split(registry, lambda name: progress.update(bar, description=name))
    room = best_room()
    if room.worse_than:
        print_message(f"Rooms have no walls here. {room.worse_than}")
    else:
        print_message(f"Each run gets a room with walls ({room.kind}).")
    several = campaigns(
        registry,
        ids,
        room,
        seeds=seeds,
        seconds=time_limit,
        workers=workers,
        runs_dir=(runs_dir or default_runs_dir()).expanduser().resolve(),
    )
    groups = _run(several)
    found = standings(groups)
    if as_json:
        print_json(
            {
                "room": room.kind,
                "standings": [asdict(standing) for standing in found],
                "reports": [str(group.report_path) for group in groups],
            }
        )
        return
    _show(found, groups, wide=wide)


def _run(several: Sequence[Campaign]) -> list[RunGroup]:
    from mlebench.runs.quickstart import run_all

    total = sum(len(one.wish.competitions) * one.wish.seeds for one in several)
    done: set[str] = set()
    with progress_bar() as progress:
        bar = progress.add_task("Running", total=total)

        def follow(state: RunState) -> None:
            if state.is_final:
                done.add(state.run_id)
            progress.update(bar, completed=len(done), description=state.competition_id)

        return run_all(several, follow)


def _show(found: Sequence[Standing], groups: Sequence[RunGroup], *, wide: bool) -> None:
    from mlebench.runs.quickstart import AGENTS, MEDALS

    print_table(
        (
            Column("competition"),
            Column("metric", rank=3),
            Column("agent"),
            Column("score"),
            Column("beats %", rank=1),
            Column("medal"),
            Column("valid", rank=2),
        ),
        [
            [
                one.competition_id,
                one.metric,
                one.agent_id,
                None if one.score is None else float(f"{one.score:.4g}"),
                None if one.percentile is None else round(one.percentile),
                one.medal or "-",
                f"{one.valid} of {one.attempts}",
            ]
            for one in found
        ],
        wide=wide,
    )
    echo()
    for agent_id in AGENTS:
        own = [one.medal for one in found if one.agent_id == agent_id]
        won = ", ".join(f"{own.count(medal)} {medal}" for medal in MEDALS if medal in own)
        echo(f"{agent_id}: {won or 'no medal'} in {len(own)} competitions")
    print_text(
        "\nThese leaderboards are of reference solutions, run and recorded for mlebench; "
        "those of Kaggle's competitions are of people."
    )
    for group in groups:
        echo(printable_lines(f"The report is {group.report_path}"))
    print_text("What more this machine could do, and what it takes: `mlebench doctor`")
