"""``mlebench validate``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mlebench.cli.options import (
    CompetitionId,
    CompetitionsDir,
    DataDir,
    EditionName,
    Json,
    make_registry,
    refuse_swapped,
)
from mlebench.cli.output import echo, print_json
from mlebench.printable import printable_lines


def validate(
    submission: Annotated[Path, typer.Argument(help="The submission csv.")],
    competition_id: CompetitionId,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Check the form of a submission without computing a score; exit code 4 if invalid."""
    from mlebench.errors import InvalidSubmissionError
    from mlebench.grading.codes import command_to_explain
    from mlebench.grading.isolated import validate_isolated

    refuse_swapped(submission, competition_id)
    registry = make_registry(data_dir, competitions_dir, edition)
    verdict = validate_isolated(submission, competition_id, registry)
    if as_json:
        print_json(asdict(verdict))
    else:
        echo(printable_lines(verdict.result))
        if verdict.error and (told := command_to_explain(verdict.error["code"])):
            echo(f"Explained by: {told}")
    if not verdict.is_valid:
        raise typer.Exit(InvalidSubmissionError.exit_code)
