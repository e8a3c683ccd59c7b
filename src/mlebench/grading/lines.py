"""The lines of a submissions file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMMENT_MARKS = ("#", "//")


@dataclass(frozen=True)
class SubmissionLine:
    """One line of a submissions file: a job, or what is wrong with it."""

    number: int
    competition_id: str = ""
    submission_path: str | None = None
    problem: str | None = None


def read_submission_lines(path: Path) -> Iterator[SubmissionLine]:
    """The jobs of a submissions file; blank and comment lines do not count."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(COMMENT_MARKS):
            yield _parse_line(number, line)


def _parse_line(number: int, line: str) -> SubmissionLine:
    try:
        entry = json.loads(line)
    except ValueError as error:
        return SubmissionLine(number, problem=f"Line {number} is not JSON: {error}")
    if not isinstance(entry, dict):
        return SubmissionLine(number, problem=f"Line {number} is not a JSON object.")
    competition_id, path = entry.get("competition_id"), entry.get("submission_path")
    if not isinstance(competition_id, str) or "submission_path" not in entry:
        problem = f"Line {number} needs competition_id and submission_path."
    elif path is not None and not isinstance(path, str):
        problem = f"Line {number}: submission_path must be a text or null."
    else:
        return SubmissionLine(number, competition_id, path)
    return SubmissionLine(number, str(competition_id), problem=problem)
