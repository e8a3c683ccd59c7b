"""Printed lines are counted and cut wherever the chunks of a pipe end."""

from __future__ import annotations

import os

import pytest

from mlebench.processes.printed import MOST_LINES, Printed


@pytest.mark.parametrize(
    ("chunks", "more"),
    [
        ([b"x\n" * 260 + b"half", b" a line\n"], 61),
        ([b"x\n" * 260, b"x\n"], 61),
        ([b"x\n" * 260, b"half a line"], 61),
        ([b"x\n" * 260, b"half", b" of it\n", b"and another half"], 62),
    ],
)
def test_lines_beyond_the_limit_are_counted_once(chunks: list[bytes], more: int) -> None:
    reading, writing = os.pipe()
    lines: list[str] = []
    printed = Printed(reading, lines.append)
    printed.begin("a job")
    for chunk in chunks:
        os.write(writing, chunk)
        printed.receive()
    os.close(writing)
    printed.end()
    os.close(reading)
    assert lines == ["a job: x"] * MOST_LINES + [f"a job: {more} more lines were printed."]
