"""What a process says of its job: an answer, or why there is none, as one line.

A line begins with its kind and the token of the request. What a job slipped in, or an answer
that comes too late, is thus none for another job.
"""

from __future__ import annotations

import json
from typing import Any

from mlebench.errors import ProcessLostError

ANSWER, LOSS = b"A", b"L"
# What a keeper says by itself: that jobs may come, and that it is still there.
READY, ALIVE = b"R", b"."
# What a keeper is told when it is to be replaced by a fresh copy.
RENEW = b"N"

REASONS = ("timeout", "too_many_processes", "crashed")
NO_ANSWER = "Its process gave an answer that is none."


def ready_line(secret: str, number: int) -> bytes:
    """What the nth copy of a keeper says first, and no job happens to say."""
    return READY + f"{secret}.{number}".encode()


def answer_line(token: str, answer: dict[str, Any]) -> bytes:
    """The line for a job that was done."""
    return ANSWER + token.encode() + json.dumps(answer).encode()


def loss_line(token: str, lost: ProcessLostError) -> bytes:
    """The line for a job that was lost."""
    loss = {"reason": lost.reason, "message": str(lost)}
    return LOSS + token.encode() + json.dumps(loss).encode()


def understand(line: bytes, token: str) -> dict[str, Any]:
    """The answer in a line that anybody may have written.

    Raises:
        ProcessLostError: As the line says, or because it says nothing about this job.
    """
    kind, found = line[:1], line[1 : 1 + len(token)]
    content = parse(line[1 + len(token) :])
    if kind not in (ANSWER, LOSS) or found != token.encode():
        raise ProcessLostError(NO_ANSWER)
    if kind == ANSWER:
        return content
    reason = content.get("reason")
    raise ProcessLostError(
        str(content.get("message", NO_ANSWER)), reason if reason in REASONS else "crashed"
    )


def parse(line: bytes) -> dict[str, Any]:
    """The object that a line of JSON holds.

    Raises:
        ProcessLostError: It holds none.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ProcessLostError(NO_ANSWER)
    return content
