"""``mlebench doctor``."""

from __future__ import annotations

from dataclasses import asdict

import typer

from mlebench.cli.options import CompetitionsDir, DataDir, EditionName, Json, Wide, make_registry
from mlebench.cli.output import print_json, print_table
from mlebench.cli.selection import All, ListFile, Lite, Named, chosen
from mlebench.cli.tables import Column


def doctor(
    competition_ids: Named = None,
    all_: All = False,
    lite: Lite = False,
    list_file: ListFile = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Show what this machine can do, and what is missing for the rest.

    For competitions that are named, also what preparing them takes: Kaggle is asked whether the
    login works and the rules are accepted, and the disk whether there is room.
    """
    from mlebench.cli.outlooks import print_outlook_table
    from mlebench.data.outlook import look_ahead
    from mlebench.doctor import diagnose, outlook_findings

    registry = make_registry(data_dir, competitions_dir, edition)
    ids = chosen(registry, competition_ids, lite=lite, all_=all_, list_file=list_file)
    registry.require_known(ids)
    outlooks = look_ahead(dict.fromkeys(ids), registry, has_own=False)
    findings = diagnose(registry, outlooks)
    about_competitions = [*outlook_findings(outlooks)]
    if as_json:
        print_json([asdict(finding) for finding in (*findings, *about_competitions)])
    else:
        print_table(
            (Column("what"), Column("result"), Column("detail", wraps=True)),
            [[finding.what, finding.result, finding.detail] for finding in findings],
        )
        if outlooks:
            print_outlook_table(outlooks, registry.get_data_dir(), wide=wide)
    if any(finding.result == "failed" for finding in findings):
        raise typer.Exit(1)
