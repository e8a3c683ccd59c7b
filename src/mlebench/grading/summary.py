"""Aggregated grading reports."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from mlebench.grading.report import CompetitionReport
from mlebench.writing import write_new


def aggregate_reports(competition_reports: Sequence[CompetitionReport]) -> dict[str, Any]:
    """Totals over all reports, and the reports themselves in input order."""

    def count(attribute: str) -> int:
        return sum(bool(getattr(report, attribute)) for report in competition_reports)

    return {
        "total_runs": len(competition_reports),
        "total_runs_with_submissions": count("submission_exists"),
        "total_valid_submissions": count("valid_submission"),
        "total_medals": count("any_medal"),
        "total_gold_medals": count("gold_medal"),
        "total_silver_medals": count("silver_medal"),
        "total_bronze_medals": count("bronze_medal"),
        "total_above_median": count("above_median"),
        "competition_reports": [report.to_dict() for report in competition_reports],
    }


def write_grading_report(reports: Sequence[CompetitionReport], output_dir: Path) -> Path:
    """Write the aggregated report under its time-stamped name, beside any other one."""
    content = _indented(aggregate_reports(reports))
    path = output_dir / f"{get_timestamp()}_grading_report.json"
    number = 1
    while not write_new(path, content):
        number += 1
        path = output_dir / f"{get_timestamp()}-{number}_grading_report.json"
    return path


def get_timestamp() -> str:
    """The current UTC time in the form used in file names."""
    return time.strftime("%Y-%m-%dT%H-%M-%S-%Z", time.gmtime())


def _indented(document: dict[str, Any]) -> str:
    plain = json.dumps(document, allow_nan=False)
    try:
        return msgspec.json.format(plain, indent=2)  # many times faster than json does it
    except msgspec.DecodeError:  # names of files may hold what is no text
        return json.dumps(document, allow_nan=False, indent=2)
