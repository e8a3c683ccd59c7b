"""``mlebench doctor``."""

from __future__ import annotations

from dataclasses import asdict

import typer

from mlebench.cli.options import CompetitionsDir, DataDir, Json, make_registry
from mlebench.cli.output import print_json, print_table
from mlebench.cli.tables import Column


def doctor(
    as_json: Json = False, data_dir: DataDir = None, competitions_dir: CompetitionsDir = None
) -> None:
    """Show what this machine can do, and what is missing for the rest."""
    from mlebench.doctor import diagnose

    findings = diagnose(make_registry(data_dir, competitions_dir))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(
            (Column("what"), Column("result"), Column("detail", wraps=True)),
            [[finding.what, finding.result, finding.detail] for finding in findings],
        )
    if any(finding.result == "failed" for finding in findings):
        raise typer.Exit(1)
