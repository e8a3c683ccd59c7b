"""``mlebench grade-sample``."""

from __future__ import annotations

import json
import logging
from typing import Annotated

import typer

from mlebench.cli.options import (
    CompetitionId,
    CompetitionsDir,
    DataDir,
    EditionName,
    Json,
    make_registry,
)
from mlebench.cli.output import print_json, print_table

logger = logging.getLogger(__name__)


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
    """Grade one submission."""
    from mlebench.grading.isolated import grade_isolated

    registry = make_registry(data_dir, competitions_dir, edition)
    report = grade_isolated(submission, competition_id, registry)
    # Existing programs look for the report among the log messages.
    logger.info("Competition report:")
    logger.info(json.dumps(report.to_dict(), indent=4))
    if as_json:
        print_json(report.to_dict())
        return
    rows: list[list[object]] = [
        ["status", report.status],
        ["score", report.score],
        ["medal", report.medal or "none"],
        ["above median", "yes" if report.above_median else "no"],
        ["percentile", report.percentile],
        ["edition", report.edition],
        ["data", report.data_source],
    ]
    if report.error:
        rows.append(["error", report.error["message"]])
    print_table(["result", "value"], rows)
