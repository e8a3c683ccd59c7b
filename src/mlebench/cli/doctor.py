"""``mlebench doctor``."""

from __future__ import annotations

from dataclasses import asdict

import typer

from mlebench.cli.options import CompetitionsDir, DataDir, EditionName, Json, make_registry
from mlebench.cli.output import print_json, print_table
from mlebench.cli.selection import All, ListFile, Lite, Named, chosen
from mlebench.cli.tables import Column


def doctor(
    competition_ids: Named = None,
    all_: All = False,
    lite: Lite = False,
    list_file: ListFile = None,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Show what this machine can do, and what is missing for the rest.

    For competitions that are named, also what preparing them takes: Kaggle is asked whether the
    login works and the rules are accepted, and the disk whether there is room.
    """
    from mlebench.doctor import diagnose

    registry = make_registry(data_dir, competitions_dir, edition)
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    findings = diagnose(registry, ids)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(
            (Column("what"), Column("result"), Column("detail", wraps=True)),
            [[finding.what, finding.result, finding.detail] for finding in findings],
        )
    if any(finding.result == "failed" for finding in findings):
        raise typer.Exit(1)
