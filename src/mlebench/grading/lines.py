"""The lines of a submissions file."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.errors import ConfigError, shortened
from mlebench.printable import printable
from mlebench.registry.suggestions import command

COMMENT_MARKS = ("#", "//")
OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
OWN_FIELDS = ("competition_id", "submission_path")
DEEPEST = 10
REPORT_MARK = b'"competition_reports"'
HOW_TO_WRITE = (
    "Write a line for each submission such as "
    '{"competition_id": "spaceship-titanic", "submission_path": "submission.csv"}.'
)


@dataclass(frozen=True)
class SubmissionLine:
    """One line of a submissions file: a job, or what is wrong with it.

    Attributes:
        extra: All further fields, such as a run's number or seed, to be found in the report.
    """

    number: int
    competition_id: str = ""
    submission_path: str | None = None
    problem: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What stands before log lines about it."""
        path = "no file" if self.submission_path is None else shortened(self.submission_path)
        return printable(f"line {self.number}, {path}, {shortened(self.competition_id)}")


def read_submission_lines(path: Path) -> Iterator[SubmissionLine]:
    """The jobs of a submissions file; blank and comment lines do not count.

    Raises:
        ConfigError: It is not there, or something else than JSON lines.
    """
    if not path.is_file():
        what = "is a folder; name the file in it" if path.is_dir() else "does not exist"
        raise ConfigError(f"The submissions file {path} {what}. {HOW_TO_WRITE}")
    content = path.read_bytes()
    if content.startswith(OTHER_ENCODINGS):
        raise ConfigError(f"{path} is saved as UTF-16; save it as UTF-8.")
    if b"\0" in content.partition(b"\n")[0]:
        raise ConfigError(f"{path} is binary, no file of JSON lines. {HOW_TO_WRITE}")
    if content.lstrip().startswith(b"["):
        raise ConfigError(f"{path} is one JSON array; leave out its brackets. {HOW_TO_WRITE}")
    if REPORT_MARK in content and _is_report(content):
        shown = command("report-table", path)
        raise ConfigError(f"{path} is a grading report, no submissions file. To see it: {shown}")
    # Only line feeds end a line: other marks that Python takes for ends may stand in a path.
    lines = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, line in enumerate(lines, start=1):
        text = line.decode(errors="replace").strip()
        if text and not text.startswith(COMMENT_MARKS):
            yield _parse_line(number, text)


def _is_report(content: bytes) -> bool:
    try:
        found = json.loads(content)
        return "competition_reports" in found and "competition_id" not in found
    except (ValueError, RecursionError, TypeError):
        return False


def find_file(path: str, submissions: Path) -> str:
    """Where a path of a submissions file leads: from that file's folder, or from here."""
    try:
        beside = submissions.absolute().parent / path
        return str(beside if beside.exists() else Path(path).absolute())
    except (OSError, ValueError):  # a name that no file can have, or a folder that is gone
        return path


def _parse_line(number: int, line: str) -> SubmissionLine:
    try:
        # NaN and the like are no JSON, and would be none in the report.
        entry = json.loads(line, parse_constant=lambda _: None, parse_float=_finite_or_none)
    except json.JSONDecodeError as error:
        what = f"{error.msg} at column {error.colno}"
        return SubmissionLine(number, problem=f"Line {number} is not JSON: {what}.")
    except (ValueError, RecursionError) as error:
        return SubmissionLine(
            number, problem=f"Line {number} is not JSON that can be read: {error}."
        )
    if not isinstance(entry, dict):
        return SubmissionLine(number, problem=f"Line {number} is not a JSON object.")
    competition_id, path = (entry.get(name) for name in OWN_FIELDS)
    extra = {name: value for name, value in entry.items() if name not in OWN_FIELDS}
    problem: str | None = None
    if lacking := [name for name in OWN_FIELDS if name not in entry]:
        problem = f"Line {number} needs {' and '.join(lacking)}."
    elif not isinstance(competition_id, str):
        problem = f"Line {number}: competition_id must be a text."
    elif path is not None and not isinstance(path, str):
        problem, path = f"Line {number}: submission_path must be a text or null.", None
    if _is_deeper_than(DEEPEST, extra):
        problem = f"Line {number}: further fields may be nested {DEEPEST} levels deep, no more."
        extra = {}
    known_id = competition_id if isinstance(competition_id, str) else ""
    return SubmissionLine(number, known_id, path, problem, extra)


def _finite_or_none(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _is_deeper_than(levels: int, value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return False
    return levels == 0 or any(_is_deeper_than(levels - 1, part) for part in parts)
