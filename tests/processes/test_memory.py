"""Memory gathered into large pages holds what it held, here and in a copy of the process."""

from __future__ import annotations

import ctypes
import mmap
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from mlebench.processes.apart import run_apart
from mlebench.processes.memory import LARGE_PAGE, gather_memory

COLLAPSE = 25
PAGES = 8


def test_gathered_memory_is_as_before() -> None:
    content = random.Random(0).randbytes(20_000_000)
    pieces = [bytes(content[start : start + 1000]) for start in range(0, len(content), 1000)]
    gather_memory()
    assert b"".join(pieces) == content
    assert run_apart(lambda: {"same": b"".join(pieces) == content}) == {"same": True}


def written_in_small_pages() -> mmap.mmap:
    """Memory with a few large pages' worth of content, whatever this system does by itself."""
    memory = mmap.mmap(-1, (PAGES + 1) * LARGE_PAGE, flags=mmap.MAP_PRIVATE)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    memory.write(b"x" * len(memory))
    memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def can_be_gathered(memory: mmap.mmap) -> bool:
    """Whether the kernel knows how, tried on a single page."""
    start = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % LARGE_PAGE
    try:
        memory.madvise(COLLAPSE, start, LARGE_PAGE)
    except OSError:
        return False
    return True


def bytes_in_large_pages() -> int:
    found = re.search(r"AnonHugePages: +(\d+) kB", Path("/proc/self/smaps_rollup").read_text())
    assert found
    return int(found[1]) * 1024


def gather() -> dict[str, Any]:
    if not can_be_gathered(written_in_small_pages()):
        return {"gained": None}
    memory = written_in_small_pages()
    before = bytes_in_large_pages()
    gather_memory()
    return {"gained": bytes_in_large_pages() - before, "same": set(memory[:]) == {ord("x")}}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gathers memory")
def test_gathered_memory_is_in_large_pages() -> None:
    found = run_apart(gather)
    if found["gained"] is None:
        pytest.skip("this kernel does not gather memory into large pages")
    assert found["gained"] >= LARGE_PAGE  # a system short of memory may not find room for all
    assert found["same"]
