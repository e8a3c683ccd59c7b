"""``mlebench runs``: what run groups there are, how they stand, and what happened in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from mlebench.cli.groups import CommandGroup
from mlebench.cli.options import Json, RunsDir, Wide, default_runs_dir
from mlebench.cli.output import (
    echo,
    print_facts,
    print_json,
    print_message,
    print_table,
    print_text,
)
from mlebench.cli.results import print_whose_boards
from mlebench.cli.tables import Column
from mlebench.errors import ConfigError
from mlebench.printable import printable, printable_lines

if TYPE_CHECKING:
    from mlebench.runs.group import RunGroup
    from mlebench.runs.state import RunState

app = typer.Typer(
    cls=CommandGroup,
    help="See, stop, retry and verify run groups.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

CHUNK = 1 << 16
LONGEST_LINE = 1 << 20
"""What is printed in one piece of a log that has no ends of lines."""

GroupName = Annotated[
    str, typer.Argument(metavar="[GROUP]", help="A run group's name or folder, or latest.")
]
RunNames = Annotated[
    list[str] | None, typer.Argument(metavar="[RUN_ID]...", help="Only these runs.")
]


@app.command("list")
def list_(runs_dir: RunsDir = None, wide: Wide = False, as_json: Json = False) -> None:
    """Show all run groups."""
    from mlebench.runs.finding import where_else
    from mlebench.runs.summary import summaries_in

    folder = runs_dir or default_runs_dir()
    found = [*summaries_in(folder)]
    if as_json:
        print_json(found)
        return
    if not found:
        print_text(
            f"There are no run groups in {folder}. {where_else()} To make one: mlebench run --help"
        )
        return
    columns = (
        Column("group"),
        Column("status", rank=1),
        Column("runs"),
        Column("graded"),
        Column("scored", rank=2),
        Column("failed", rank=2),
        Column("medals"),
        Column("agent", rank=3),
    )
    rows = [
        [
            one["run_group"],
            "at work" if one["is_at_work"] else one["status"],
            one["runs"],
            one["statuses"].get("graded", 0),
            one["scored"],
            one["statuses"].get("failed", 0),
            one["medals"],
            one["agent"] or "",
        ]
        for one in found
    ]
    print_table(columns, rows, wide=wide)
    if number := sum(one["medals_by_reference"] for one in found):
        echo()
        print_text(f"Of these medals, {number} by leaderboards of reference solutions, not teams.")


@app.command("status")
def status(
    group_name: GroupName = "latest",
    runs_dir: RunsDir = None,
    wide: Wide = False,
    as_json: Json = False,
) -> None:
    """Show how the runs of a group stand."""
    from mlebench.runs.outcomes import sentences_on_ends
    from mlebench.runs.standing import shown_status, who_is_at_work
    from mlebench.runs.summary import is_won_by_reference, summary_of

    group = _open(group_name, runs_dir)
    is_at_work = group.is_at_work
    if as_json:
        print_json(summary_of(group) | {"runs": [asdict(run) for run in group.state.runs()]})
        return
    columns = (
        Column("competition"),
        Column("seed", rank=1),
        Column("status", rank=2),
        Column("cause", rank=3),
        Column("score"),
        Column("medal", rank=4),
        Column("seconds", rank=5),
        Column("run", rank=6),
    )
    rows = [
        [
            run.competition_id,
            run.seed,
            shown_status(run, is_at_work=is_at_work),
            run.cause or "",
            (run.report or {}).get("score"),
            (run.report or {}).get("medal") or "",
            run.seconds,
            run.run_id,
        ]
        for run in group.state.runs()
    ]
    print_table(columns, rows, wide=wide)
    print_whose_boards(
        run.competition_id for run in group.state.runs() if is_won_by_reference(run.report)
    )
    echo()
    for sentence in sentences_on_ends(group.state.runs()):
        print_text(printable_lines(sentence))
    echo(printable_lines(f"{group.folder}"))
    if told := who_is_at_work(group):
        print_text(told)


@app.command("logs")
def logs(
    group_name: GroupName = "latest",
    run_ids: RunNames = None,
    tail: Annotated[int, typer.Option("--tail", min=0, help="Only so many lines at the end.")] = 0,
    runs_dir: RunsDir = None,
) -> None:
    """Print what runs have printed."""
    from mlebench.runs.finding import find_all
    from mlebench.runs.group import RUN_LOG
    from mlebench.runs.outcomes import named

    group = _open(group_name, runs_dir)
    chosen = find_all(group, run_ids) if run_ids else group.state.runs()
    silent: list[RunState] = []
    for run in chosen:
        path = group.run_folder(run.run_id) / RUN_LOG
        if not path.is_file() or not path.stat().st_size:
            silent.append(run)
            continue
        if len(chosen) > 1:
            echo(f"==> {run.run_id} <==")
        for line in _lines_of(path, tail):
            echo(printable(line))
    if silent:
        print_message(f"{named(silent)}: nothing has been printed yet.")


@app.command("stop")
def stop(
    group_name: GroupName = "latest", run_ids: RunNames = None, runs_dir: RunsDir = None
) -> None:
    """End a group that is at work, or some of its runs.

    What is running ends and is graded as it is; what is waiting waits for the next `run`.
    """
    from mlebench.runs.finding import find_runs
    from mlebench.runs.group import STOP_FILE
    from mlebench.runs.standing import NOBODY, what_is_left

    group = _open(group_name, runs_dir)
    named = find_runs(group, run_ids or [])
    if group.is_finished or group.is_at_work is False:
        print_text(f"{NOBODY}: {what_is_left(group)}")
        return
    for run in named:
        if run.status != "running":
            raise ConfigError(f"{run.run_id} is not running: it is {run.status}.")
    for folder in [group.run_folder(run.run_id) for run in named] or [group.folder]:
        (folder / STOP_FILE).touch()
    echo("Whoever is at work on it has been asked to stop.")


@app.command("retry")
def retry(
    group_name: GroupName = "latest", run_ids: RunNames = None, runs_dir: RunsDir = None
) -> None:
    """Let runs that were lost for no fault of the agent be tried again by the next `run`."""
    from mlebench.runs.retrying import retry as put_back
    from mlebench.runs.standing import what_is_left

    group = _open(group_name, runs_dir)
    back = put_back(group, run_ids or [])
    told = f"What was lost is tried again ({len(back)})" if back else "Nothing was lost"
    print_text(f"{told}; {what_is_left(group)}")


@app.command("verify")
def verify(
    group_name: GroupName = "latest", runs_dir: RunsDir = None, as_json: Json = False
) -> None:
    """Prove that nothing was changed and that each run was graded once; else exit code 7."""
    from mlebench.errors import DamagedStateError, LedgerError
    from mlebench.runs.verifying import verify as look_through

    try:
        group = _open(group_name, runs_dir)
    except DamagedStateError as error:
        raise LedgerError(f"{error} So there is nothing to compare its record with.") from error
    proof = look_through(group)
    if as_json:
        print_json({"run_group": group.name, "folder": str(group.folder)} | asdict(proof))
    else:
        print_facts(
            [
                ("group", str(group.folder)),
                ("entries", proof.entries),
                ("graded once", proof.graded),
                ("validations", proof.validations),
                ("runs cut off", proof.interruptions),
                ("head", proof.head),
                ("result", "broken" if proof.faults else "nothing was changed"),
            ]
        )
        for fault in proof.faults:
            print_text(f"- {fault}")
    if proof.faults:
        raise typer.Exit(LedgerError.exit_code)


@app.command("submissions")
def submissions(
    metadata: Annotated[Path, typer.Option("--metadata", help="The metadata.json of a run group.")],
    output: Annotated[Path, typer.Option("--output", help="Where the JSON lines go.")] = Path(
        "submission.jsonl"
    ),
    rel_log_path: Annotated[
        str, typer.Option("--rel-log-path", help="Where runs keep their log.")
    ] = "logs/agent.log",
    rel_code_path: Annotated[
        str, typer.Option("--rel-code-path", help="Where runs keep their code.")
    ] = "code/train.py",
) -> None:
    """Write the submissions file that `grade` reads, for runs of ours or of the original's."""
    from mlebench.data.folders import written_folder
    from mlebench.errors import ConfigError
    from mlebench.runs.overviews import submission_lines
    from mlebench.writing import written_whole

    lines = [*submission_lines(metadata, rel_log_path, rel_code_path)]
    if not output.parent.is_dir():
        raise ConfigError(f"There is no folder {output.parent} for {output.name}; make it first.")
    with written_folder(output.parent, "--output"), written_whole(output) as partial:
        partial.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    columns = Column("competition"), Column("submitted"), Column("log"), Column("code")
    found = ("submission_path", "logs_path", "code_path")
    print_table(
        columns,
        [
            [line["competition_id"], *("yes" if line[name] else "no" for name in found)]
            for line in lines
        ],
    )


def _lines_of(path: Path, tail: int) -> Iterator[str]:
    """The lines of a log, one by one, since it may be long; only the last ones if that is asked."""
    from mlebench.regular import open_regular

    with open_regular(path) as file:
        if tail:
            file.seek(_start_of_last(file, tail))
        while line := file.readline(LONGEST_LINE):
            yield from line.decode(errors="replace").splitlines()


def _start_of_last(file: BinaryIO, count: int) -> int:
    """Where the last lines of a file begin, found from its end."""
    end = file.seek(0, os.SEEK_END)
    if end:
        file.seek(end - 1)
        count += file.read(1) == b"\n"  # which ends the last line, and begins none
    while end and count:
        start = max(0, end - CHUNK)
        file.seek(start)
        chunk = file.read(end - start)
        while count and (place := chunk.rfind(b"\n")) >= 0:
            chunk = chunk[:place]
            count -= 1
            end = start + place + 1
        if count:
            end = start
    return end


def _open(name: str, runs_dir: Path | None) -> RunGroup:
    from mlebench.runs.finding import open_group

    return open_group(runs_dir or default_runs_dir(), name)
