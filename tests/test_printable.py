"""Text of anybody's does nothing to a terminal."""

from __future__ import annotations

import io
import sys

import pytest

from mlebench.printable import print_to_stderr, printable, printable_lines


def test_signs_that_terminals_obey_are_shown_instead() -> None:
    assert printable("a\x1b[2Jb\rc\nd\x9be\u202ef") == r"a\x1b[2Jb\rc\nd\x9be\u202ef"
    assert printable("Größe 😀 漢\tx") == "Größe 😀 漢\tx"
    assert printable_lines("one\x07\ntwo") == "one\\x07\ntwo"


def test_a_log_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stderr", stream)
        print_to_stderr("unheard")
