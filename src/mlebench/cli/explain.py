"""``mlebench explain``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from mlebench.cli.completing import codes
from mlebench.cli.options import Json
from mlebench.cli.output import print_facts, print_json, print_table
from mlebench.cli.tables import Column


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="[CODE]",
            help="A code or status from a report, or the cause of a run.",
            autocompletion=codes,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a code of a refusal, report or run means and how to mend it."""
    from mlebench.grading.codes import all_explanations
    from mlebench.grading.codes import explain as explain_code

    chosen = [explain_code(code)] if code else list(all_explanations().values())
    if as_json:
        print_json([asdict(explanation) for explanation in chosen])
    elif code:
        (found,) = chosen
        print_facts([("code", found.code), ("means", found.means), ("mend", found.mend)])
    else:
        columns = (Column("code"), Column("means", wraps=True), Column("mend", wraps=True))
        print_table(columns, [[found.code, found.means, found.mend] for found in chosen])
