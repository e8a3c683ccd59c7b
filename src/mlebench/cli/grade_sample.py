"""``mlebench grade-sample``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from mlebench.cli.output import log_for_programs, print_facts, print_json
from mlebench.cli.results import describe_source, whose_board
from mlebench.cli.tables import Cell

if TYPE_CHECKING:
    from mlebench.grading.report import CompetitionReport


def grade_sample(
    submission: Annotated[
        str, typer.Argument(help="The submission csv; None shows the thresholds only.")
    ],
    competition_id: CompetitionId,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Grade one submission; exit code 4 if it is invalid or missing."""
    from mlebench.grading.isolated import grade_isolated
    from mlebench.grading.single import NOTHING
    from mlebench.grading.statuses import exit_code_of
    from mlebench.grading.submitted import advice_on_list

    refuse_swapped(submission, competition_id)
    registry = make_registry(data_dir, competitions_dir, edition)
    report = grade_isolated(submission, competition_id, registry)
    log_for_programs("Competition report:", json.dumps(report.to_dict(), indent=4))
    if as_json:
        print_json(report.to_dict())
    else:
        error = None if submission == NOTHING else report.error
        print_facts(_facts(report, error, advice_on_list(Path(submission), registry)))
    if submission != NOTHING and (code := exit_code_of(report.status)):
        raise typer.Exit(code)


def _facts(
    report: CompetitionReport, error: Mapping[str, Any] | None, advice: str | None
) -> list[tuple[str, Cell]]:
    from mlebench.grading.codes import command_to_explain

    facts: list[tuple[str, Cell]] = [
        ("status", report.status),
        ("score", report.score),
        ("medal", report.medal or "none"),
        ("above median", None if report.median_threshold is None else report.above_median),
        ("percentile", report.percentile),
        ("gold", report.gold_threshold),
        ("silver", report.silver_threshold),
        ("bronze", report.bronze_threshold),
        ("median", report.median_threshold),
        *whose_board("leaderboard", report.leaderboard_of),
        ("edition", report.edition),
        ("data", describe_source(report.data_source)),
    ]
    if error:
        facts.append(("error", " ".join(filter(None, (error["message"], advice)))))
    is_plain = report.status == "graded" or not (error or report.submission_exists)
    if not is_plain and (told := command_to_explain(error["code"] if error else report.status)):
        facts.append(("explained by", told))
    return facts
