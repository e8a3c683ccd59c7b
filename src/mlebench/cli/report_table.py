"""``mlebench report-table``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlebench.cli.options import Json, Wide
from mlebench.cli.output import echo, print_json
from mlebench.cli.results import print_results


def report_table(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Saved grading reports.")],
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print a csv with one row a submission.")
    ] = False,
    wide: Wide = False,
    as_json: Json = False,
) -> None:
    """Show saved grading reports: results by competition and agent, and what was refused."""
    from mlebench.grading.results import SavedReports, load_reports, report_rows, reports_frame

    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json exclude each other.")
    if as_csv:
        echo(reports_frame(files).to_csv(index=False), end="")
    elif as_json:
        print_json(report_rows(files))
    else:
        saved = [SavedReports(file, load_reports([file])) for file in files]
        print_results(saved, wide=wide, tells_agents=True)
