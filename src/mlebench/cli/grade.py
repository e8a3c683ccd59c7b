"""``mlebench grade``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from mlebench.cli.logs import print_log_line
from mlebench.cli.options import (
    Address,
    CompetitionsDir,
    DataDir,
    EditionName,
    ExecutorName,
    Json,
    Wide,
    job_runner,
    make_registry,
    parse_seconds,
    parse_size,
)
from mlebench.cli.output import echo, log_for_programs, print_json, progress_bar
from mlebench.cli.results import print_results
from mlebench.printable import printable, printable_lines


class Command(TyperCommand):
    """The command, which tells whoever names files without an option where to go."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse words before they are taken for a lack of options."""
        if args and not args[0].startswith("-"):
            ctx.fail(
                "Submissions are named in a file: --submission FILE --output-dir FOLDER. "
                f"{_meant(args)}"
            )
        return super().parse_args(ctx, args)


def _meant(args: Sequence[str]) -> str:
    """What somebody may have wanted who gave words in the place of options."""
    from mlebench.registry.suggestions import command

    if not args[0].endswith(".jsonl"):
        return f"To grade a single csv: {command('grade-sample', *args)}"
    where = () if "--output-dir" in args else ("--output-dir", "reports")
    return f"To grade all that are named in it: {command('grade', '--submission', *args, *where)}"


def grade(
    submission: Annotated[
        Path, typer.Option("--submission", help="JSON lines: competition_id, submission_path.")
    ],
    output_dir: Annotated[Path, typer.Option("--output-dir", help="Where the report goes.")],
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", envvar="MLEBENCH_WORKERS", help="Processes [default: one per core]."
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            parser=parse_seconds,
            metavar="<seconds>",
            envvar="MLEBENCH_TIME_LIMIT",
            help="Seconds for one submission; inf for no limit.",
        ),
    ] = 3600.0,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            "--memory-limit",
            parser=parse_size,
            metavar="<size>",
            envvar="MLEBENCH_MEMORY_LIMIT",
            help="Memory of a grading process [default: 3/4 of the machine's].",
        ),
    ] = None,
    max_submission_size: Annotated[
        int,
        typer.Option(
            "--max-submission-size",
            parser=parse_size,
            metavar="<size>",
            help="Longer files are refused unread.",
        ),
    ] = "10GB",  # type: ignore[assignment]
    executor: ExecutorName = "local",
    address: Address = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Grade many submissions in parallel; an interrupted run resumes.

    The exit code is 0 if at least one line has a score, else that of the commonest reason.
    """
    from mlebench.grading.batch import BatchLimits, grade_jsonl
    from mlebench.grading.report import CompetitionReport
    from mlebench.grading.results import SavedReports, load_reports
    from mlebench.grading.statuses import exit_code_of_all
    from mlebench.grading.summary import aggregate_reports

    registry = make_registry(data_dir, competitions_dir, edition)
    limits = BatchLimits(time_limit, memory_limit, max_submission_size)
    with progress_bar() as progress:
        bar = progress.add_task("Grading", total=None, visible=False)

        def advance(done: int, total: int, report: CompetitionReport) -> None:
            name = printable(report.competition_id)
            progress.update(bar, completed=done, total=total, description=name, visible=True)

        path = grade_jsonl(
            submission,
            output_dir,
            registry,
            workers=workers,
            limits=limits,
            on_report=advance,
            on_log=print_log_line,
            make_runner=job_runner(executor, address),
        )
    reports = load_reports([path])
    totals = aggregate_reports(reports)
    del totals["competition_reports"]
    statuses = [report.status for report in reports]
    log_for_programs(json.dumps(totals, indent=4), f"Saved the grading report to {path}")
    if as_json:
        print_json({**totals, "statuses": Counter(statuses), "report": str(path)})
    else:
        print_results([SavedReports(path, reports)], wide=wide)
        echo(printable_lines(f"\nThe report is {path}"))
    if code := exit_code_of_all(statuses):
        raise typer.Exit(code)
