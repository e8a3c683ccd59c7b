"""``mlebench quickstart``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from mlebench.cli import INTERRUPTED
from mlebench.cli.logs import print_log_line
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
from mlebench.cli.results import print_refusals
from mlebench.cli.run_lines import RunLines
from mlebench.cli.tables import Cell, Column
from mlebench.printable import printable, printable_lines
from mlebench.settings import resolved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mlebench.registry import Registry
    from mlebench.registry.leaderboard import Medal
    from mlebench.runs.campaign import Campaign
    from mlebench.runs.group import RunGroup
    from mlebench.runs.quickstart import Room, Standing
    from mlebench.runs.state import RunState
    from mlebench.runs.work import OnChange

USUAL_SECONDS = 16.0
COLUMNS = (
    Column("competition"),
    Column("metric", rank=4),
    Column("better", rank=2),
    Column("agent"),
    Column("mean score"),
    Column("beats %", rank=1),
    Column("medals"),
    Column("valid", rank=3),
)
ON_FIGURES = (
    "Scores, and the share of the leaderboard that they beat, are means over the attempts; "
    "medals are those of each attempt."
)
ON_BOARDS = (
    "These leaderboards are of reference solutions, run and recorded for mlebench; those of "
    "Kaggle's competitions are of people."
)
NAMES_COMPETITIONS = {"-c", "--competition", "--competitions", "--competition-set"}
TAKES_ALL = (
    "A quickstart always takes all six competitions. To take an agent through some: mlebench run "
    "--agent automl --competitions ID"
)


class Command(TyperCommand):
    """The command, which tells whoever names competitions where to go."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse names before they are taken for options that are not there."""
        options = {word.partition("=")[0] for word in args}
        if NAMES_COMPETITIONS & options or (args and not args[0].startswith("-")):
            ctx.fail(TAKES_ALL)
        return super().parse_args(ctx, args)


def quickstart(
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Attempts at each competition.")] = 2,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            parser=parse_time,
            metavar="<time>",
            show_default=False,
            help=f"For each run, such as 1m [default: {USUAL_SECONDS:g}s].",
        ),
    ] = USUAL_SECONDS,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Runs at a time.")] = 2,
    runs_dir: RunsDir = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """See agents at work on six small competitions, with nothing downloaded.

    The data are real and come with mlebench. A dummy submits the sample, automl trains models;
    their libraries come with pip install 'mlebench[agents]'. The table shows means over the
    attempts, and the medals of each. An interrupted quickstart resumes.
    """
    from mlebench.runs.checking import tell_of_crowding
    from mlebench.runs.quickstart import (
        alone_in,
        best_room,
        campaigns,
        exit_code_of_groups,
        require_possible,
        standings,
    )

    require_possible(seeds=seeds, seconds=time_limit, workers=workers)
    registry = make_registry(data_dir, None, "v1")
    folder = resolved(runs_dir or default_runs_dir())
    with alone_in(folder):
        ids = _prepare(registry)
        room = best_room()
        _tell_of(room)
        tell_of_crowding(min(workers, len(ids) * seeds))
        several = campaigns(
            registry,
            ids,
            room,
            seeds=seeds,
            seconds=time_limit,
            workers=workers,
            runs_dir=folder,
        )
        groups = _run(several, folder)
    found = standings(groups)
    if as_json:
        print_json(
            {
                "room": room.kind,
                "standings": [asdict(standing) for standing in found],
                "reports": [str(group.report_path) for group in groups],
            }
        )
    else:
        _show(found, groups, wide=wide)
        _show_places(groups, folder, registry.get_data_dir())
    if not all(group.is_finished for group in groups):
        raise typer.Exit(INTERRUPTED)  # somebody stopped one of them
    if code := exit_code_of_groups(groups):
        raise typer.Exit(code)


def _prepare(registry: Registry) -> tuple[str, ...]:
    from mlebench.cli.progress import WatchedAs, shown_progress
    from mlebench.runs.quickstart import prepare_split

    with shown_progress(as_json=False) as observer:

        @contextmanager
        def watch(competition_id: str) -> Iterator[WatchedAs]:
            yield WatchedAs(competition_id, observer)
            observer.end(competition_id)

        return prepare_split(registry, watch)


def _tell_of(room: Room) -> None:
    if room.worse_than:
        print_message(f"Rooms have no walls here. {room.worse_than}")
    else:
        print_message(f"Each run gets a room with walls ({room.kind}).")


def _run(several: Sequence[Campaign], runs_dir: Path) -> list[RunGroup]:
    from mlebench.runs.quickstart import run_all

    total = sum(len(one.wish.competitions) * one.wish.seeds for one in several)
    done: set[str] = set()
    with progress_bar() as progress:
        bar = progress.add_task("Running", total=total)

        def begin(group: RunGroup) -> OnChange:
            lines = RunLines(group)
            done.update(run.run_id for run in group.state.runs() if run.is_final)
            progress.update(bar, completed=len(done), description=printable(group.agent_id))

            def follow(state: RunState) -> None:
                lines.follow(state)
                if state.is_final:
                    done.add(state.run_id)
                told = printable(f"{group.agent_id}: {state.competition_id}")
                progress.update(bar, completed=len(done), description=told)

            return follow

        return run_all(several, runs_dir, begin, print_log_line)


def _show(found: Sequence[Standing], groups: Sequence[RunGroup], *, wide: bool) -> None:
    from mlebench.grading.report import CompetitionReport
    from mlebench.grading.results import SavedReports
    from mlebench.runs.outcomes import sentences_on_ends
    from mlebench.runs.quickstart import all_medals
    from mlebench.runs.standing import what_is_left

    print_table(COLUMNS, [_row(one) for one in found], wide=wide)
    echo()
    print_text(ON_FIGURES)
    for group in groups:
        runs = group.state.runs()
        won = _medals_in_words(all_medals(found, group.agent_id), shows_ones=True)
        echo(f"{group.agent_id}: {won or 'no medal'} in {len(runs)} runs")
    print_refusals(
        [
            SavedReports(
                group.report_path,
                [CompetitionReport.from_dict(run.report) for run in runs if run.report],
            )
            for group in groups
            if (runs := group.state.runs())
        ]
    )
    echo()
    told = []
    for group in groups:
        told += [f"{group.agent_id}: {one}" for one in sentences_on_ends(group.state.runs())]
        if not group.is_finished:
            told.append(f"{group.agent_id}: not all is done; {what_is_left(group)}")
    for sentence in told:
        print_text(printable_lines(sentence))
    if told:
        echo()
    print_text(ON_BOARDS)


def _row(one: Standing) -> list[Cell]:
    return [
        one.competition_id,
        one.metric,
        {True: "lower", False: "higher", None: None}[one.is_lower_better],
        one.agent_id,
        None if one.mean_score is None else float(f"{one.mean_score:.4g}"),
        None if one.mean_percentile is None else round(one.mean_percentile),
        _medals_in_words(one.medals) or None,
        f"{one.valid} of {one.attempts}",
    ]


def _medals_in_words(medals: Mapping[Medal, int], *, shows_ones: bool = False) -> str:
    """Medals with their numbers, the best first, such as ``2 gold, silver``."""
    from mlebench.runs.quickstart import MEDALS

    return ", ".join(
        medal if medals[medal] == 1 and not shows_ones else f"{medals[medal]} {medal}"
        for medal in MEDALS
        if medals.get(medal)
    )


def _show_places(groups: Sequence[RunGroup], runs_dir: Path, data_dir: Path) -> None:
    """Say where everything is, and with which commands to look at it."""
    from mlebench.registry.suggestions import command
    from mlebench.runs.finding import word_for

    usual = default_runs_dir()
    elsewhere = [] if runs_dir == resolved(usual) else ["--runs-dir", str(runs_dir)]
    latest = groups[-1]
    first, *_ = latest.state.runs()
    logs = command("runs", "logs", word_for(latest.folder, usual), first.competition_id)
    echo(printable_lines(f"\nThe runs are in {runs_dir}"))
    echo(printable_lines(f"The data are in {data_dir}"))
    for group in groups:
        echo(printable_lines(f"The report is {group.report_path}"))
    echo(printable_lines(f"All groups of runs: {command('runs', 'list', *elsewhere)}"))
    echo(printable_lines(f"What {latest.agent_id} did: {logs}"))
    echo("What more this machine could do: mlebench doctor")
