"""What becomes of submissions, in one word each: whose fault it is, and how commands end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mlebench.errors import (
    ConfigError,
    GraderError,
    InvalidSubmissionError,
    MlebenchError,
    NotPreparedError,
)
from mlebench.grading.report import GRADED_STATUSES

ERROR_OF_STATUS: dict[str, type[MlebenchError]] = {
    "no_submission": InvalidSubmissionError,
    "invalid_submission": InvalidSubmissionError,
    "unreadable_file": NotPreparedError,
    "not_prepared": NotPreparedError,
    "damaged_answers": NotPreparedError,
    "bad_line": ConfigError,
    "unknown_competition": ConfigError,
    "not_written": ConfigError,
    "config_error": ConfigError,
    "grader_error": GraderError,
    "timeout": GraderError,
    "out_of_memory": GraderError,
    "too_many_processes": GraderError,
    "crashed": GraderError,
}
"""Which error a command leaves as that meets the status."""


def is_status(word: str) -> bool:
    """Whether a word is one of those that reports use."""
    return word in GRADED_STATUSES or word in ERROR_OF_STATUS


def exit_code_of(status: str) -> int:
    """The exit code for a single submission; 0 if it has a score."""
    return 0 if status in GRADED_STATUSES else ERROR_OF_STATUS[status].exit_code


def exit_code_of_all(statuses: Iterable[str]) -> int:
    """The exit code for many; 0 if one has a score, else that of the most frequent reason."""
    codes = [exit_code_of(status) for status in statuses]
    return Counter(codes).most_common(1)[0][0] if codes and 0 not in codes else 0
