"""Grading and validation, under the import lines of the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.grading.batch import grade_jsonl
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import grade_csv
from mlebench.grading.summary import aggregate_reports
from mlebench.registry import registry as DEFAULT_REGISTRY  # noqa: N812
from mlebench.registry.competition import Competition

__all__ = [
    "DEFAULT_REGISTRY",
    "CompetitionReport",
    "aggregate_reports",
    "grade_csv",
    "grade_jsonl",
    "validate_submission",
]

USAGE = """\
mlebench.grade is a module to import from, not a command. Use instead:
  mlebench grade-sample {submission} {competition}
  mlebench grade --submission SUBMISSIONS.jsonl --output-dir DIR
"""


def validate_submission(submission: Path | str, competition: Competition) -> tuple[bool, str]:
    """Whether a submission can be graded, and a message for the participant."""
    from mlebench.grading.validation import validate

    verdict = validate(Path(submission), competition)
    return verdict.is_valid, verdict.result


def explain_usage(arguments: Sequence[str]) -> str:
    """The command that somebody meant who ran ``python -m mlebench.grade``."""
    import argparse

    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--submission", nargs="?")
    parser.add_argument("--competition", "--competition-id", nargs="?")
    given, _ = parser.parse_known_args(list(arguments))
    return USAGE.format(
        submission=given.submission or "SUBMISSION.csv",
        competition=given.competition or "COMPETITION_ID",
    )
