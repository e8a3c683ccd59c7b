"""Grading and validation, under the import line of the original."""

from mlebench.compat.grade import (
    DEFAULT_REGISTRY,
    CompetitionReport,
    aggregate_reports,
    explain_usage,
    grade_csv,
    grade_jsonl,
    validate_submission,
)

__all__ = [
    "DEFAULT_REGISTRY",
    "CompetitionReport",
    "aggregate_reports",
    "grade_csv",
    "grade_jsonl",
    "validate_submission",
]

if __name__ == "__main__":
    import sys

    sys.stderr.write(explain_usage(sys.argv[1:]))
    sys.exit(2)
