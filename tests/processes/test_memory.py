"""Memory gathered into large pages holds what it held, here and in a copy of the process."""

from __future__ import annotations

import random

from mlebench.processes.apart import run_apart
from mlebench.processes.memory import gather_memory


def test_gathered_memory_is_as_before() -> None:
    content = random.Random(0).randbytes(20_000_000)
    pieces = [bytes(content[start : start + 1000]) for start in range(0, len(content), 1000)]
    gather_memory()
    assert b"".join(pieces) == content
    assert run_apart(lambda: {"same": b"".join(pieces) == content}) == {"same": True}
