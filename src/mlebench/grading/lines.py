"""The lines of a submissions file."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import ConfigError

COMMENT_MARKS = ("#", "//")
OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class SubmissionLine:
    """One line of a submissions file: a job, or what is wrong with it."""

    number: int
    competition_id: str = ""
    submission_path: str | None = None
    problem: str | None = None


def read_submission_lines(path: Path) -> Iterator[SubmissionLine]:
    """The jobs of a submissions file; blank and comment lines do not count."""
    content = path.read_bytes()
    if content.startswith(OTHER_ENCODINGS):
        raise ConfigError(f"{path} is saved as UTF-16; save it as UTF-8.")
    # Only line feeds end a line: other marks that Python takes for ends may stand in a path.
    lines = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, start=1):
        text = line.decode(errors="replace").strip()
        if text and not text.startswith(COMMENT_MARKS):
            yield _parse_line(number, text)


def _parse_line(number: int, line: str) -> SubmissionLine:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
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
    known_id = competition_id if isinstance(competition_id, str) else ""
    return SubmissionLine(number, known_id, problem=problem)
