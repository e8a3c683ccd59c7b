"""What is told of a call to whoever keeps the record, and what is told to the caller."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mlebench.errors import CallRefusedError
from mlebench.grading.validation import Verdict

RATE_LIMITED = "rate_limited"
UNEXPECTED = "An unexpected error occurred."
"""What the original says for whatever is not the submission's fault; programs look for it."""


@dataclass(frozen=True)
class ValidationCall:
    """One call of ``/validate``, whatever became of it, or several that came too fast.

    Attributes:
        time: When it began, in UTC.
        competition_id: The competition behind the door.
        sha256: The digest of the file, if all of it arrived.
        size: How many bytes of the file arrived.
        is_valid: The verdict; None where there is none.
        code: Why it is invalid, or why there is no verdict.
        seconds: How long it took until the answer was known.
        status: The HTTP status of the answer.
        calls: How many it stands for; more than one only if they were over the rate, and all
            but the number is said of the first.
    """

    time: str
    competition_id: str
    sha256: str | None
    size: int
    is_valid: bool | None
    code: str | None
    seconds: float
    status: int
    calls: int = 1


@dataclass
class Received:
    """What has arrived of a file."""

    size: int = 0
    sha256: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a caller is told."""

    status: int
    body: dict[str, Any]
    code: str | None = None
    is_valid: bool | None = None
    headers: dict[str, str] = field(default_factory=dict)


def refused_call(
    status: int,
    code: str,
    details: str,
    *,
    error: str | None = None,
    retry_after: int | None = None,
) -> CallRefusedError:
    """The error for a call that gets no verdict."""
    return CallRefusedError(details, status=status, code=code, error=error, retry_after=retry_after)


def refusal_answer(refused: CallRefusedError) -> Answer:
    """The answer to a call that gets no verdict."""
    headers = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
    body = {"error": refused.error or UNEXPECTED, "details": str(refused)}
    return Answer(refused.status, body, refused.code, headers=headers)


def verdict_answer(verdict: Verdict) -> Answer:
    """The answer with a verdict: the original's, and what other clients look for."""
    body = {
        "result": verdict.result,
        "is_valid": verdict.is_valid,
        "errors": [verdict.error] if verdict.error else [],
    }
    code = str(verdict.error["code"]) if verdict.error else None
    return Answer(200, body, code, verdict.is_valid)


def utc_now() -> str:
    """The time as it stands in records."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
