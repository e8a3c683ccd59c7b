"""Refusing tables of absurdly many columns by their header alone.

A reader spends microseconds and kilobytes on each column, so that a few megabytes of header
would keep it busy for minutes. To look at the header takes a moment.
"""

from __future__ import annotations

import re

from mlebench.errors import InvalidSubmissionError
from mlebench.registry.competition import Competition

MOST_MORE_COLUMNS = 50_000
"""How many columns may be there beside as many as the competition has."""
LONGEST_HEADER = 1 << 24
# Without going back, since whoever wrote it chose what there would be to go back over.
_BLANK_LINES = re.compile(rb"[\r\n]*+")
_HEADER = re.compile(rb'(?:[^"\r\n]++|"[^"]*+")*+')


def refuse_wide(content: bytes, competition: Competition) -> None:
    """Refuse a csv whose header has more columns than anybody asked for.

    Raises:
        InvalidSubmissionError: It does.
    """
    if _columns_at_most(content) <= MOST_MORE_COLUMNS:
        return
    most = MOST_MORE_COLUMNS + _columns_of_sample(competition)
    if _columns_at_most(content) > most:
        raise InvalidSubmissionError(
            f"The header has more than {most:,} columns, or is longer than {LONGEST_HEADER:,} "
            "bytes.",
            code="too_wide",
        )


def _columns_at_most(content: bytes) -> float:
    """How many columns the header has; those whose names have commas in them count as several."""
    blank = _BLANK_LINES.match(content)
    start = blank.end() if blank else 0
    header = _HEADER.match(content, start, start + LONGEST_HEADER)
    end = header.end() if header else start
    if end - start >= LONGEST_HEADER:
        return float("inf")
    return content.count(b",", start, end) + 1


def _columns_of_sample(competition: Competition) -> float:
    try:
        return _columns_at_most(competition.sample_submission.read_bytes())
    except OSError:  # a competition need not have one
        return 0
