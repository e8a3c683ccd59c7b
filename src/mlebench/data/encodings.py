"""Whether a plain change of encoding turns a text file into one with a given md5 sum."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path

TEXT_SUFFIXES = frozenset({".csv", ".json", ".jsonl"})
BLOCK = 2**20
MOST_FINAL_NEWLINES = 2
UNIX, WINDOWS = b"\n", b"\r\n"
LINE_ENDS = "line ends"
MARK = "the byte order mark"
FINAL_NEWLINE = "the final newline"


def changed_encoding(path: Path, md5: str) -> list[str]:
    """What has to change in a text file to give it this sum; nothing if that does not help.

    Tried are other line ends, a byte order mark more or less, and no, one or two newlines at
    the end, in all combinations and in one pass.
    """
    file = _Reading(path)
    marks = (b"", codecs.BOM_UTF8)
    variants = [_Variant(ends, mark) for ends, mark in product((None, UNIX, WINDOWS), marks)]
    for text in file.without_final_newlines():
        unix_text = text.replace(WINDOWS, UNIX)
        for variant in variants:
            variant.add(text, unix_text)
    for variant in variants:  # those that keep the line ends come first
        for newlines, sum_ in variant.sums(file.line_end):
            if sum_ == md5:
                changes = {
                    LINE_ENDS: variant.line_end is not None,
                    MARK: variant.mark != file.mark,
                    FINAL_NEWLINE: newlines != file.final_newlines,
                }
                return [what for what, is_changed in changes.items() if is_changed]
    return []


class _Reading:
    """One pass through a file, and what it tells about its encoding in the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = self._windows_lines = 0
        self.mark = b""
        self.final_newlines = 0

    @property
    def line_end(self) -> bytes:
        """How lines end that are added."""
        is_windows = self._lines > 0 and self._windows_lines == self._lines
        return WINDOWS if is_windows else UNIX

    def without_final_newlines(self) -> Iterator[bytes]:
        """The text in pieces, none of which cuts a line end in two."""
        with self._path.open("rb") as file:
            self.mark = file.read(len(codecs.BOM_UTF8))
            if self.mark != codecs.BOM_UTF8:
                self.mark = b""
                file.seek(0)
            held = b""  # newlines of which nobody knows yet whether they are the last ones
            while block := file.read(BLOCK):
                block = held + block
                text = block.rstrip(WINDOWS)
                held = block[len(text) :]
                self._count(text)
                yield text
            self._count(held)
            self.final_newlines = held.count(UNIX)

    def _count(self, text: bytes) -> None:
        self._lines += text.count(UNIX)
        self._windows_lines += text.count(WINDOWS)


class _Variant:
    """The sum of the file if its lines ended, and its first line began, in a certain way."""

    def __init__(self, line_end: bytes | None, mark: bytes) -> None:
        self.line_end = line_end  # None: each line as it ends now
        self.mark = mark
        self._md5 = hashlib.md5(mark, usedforsecurity=False)

    def add(self, text: bytes, unix_text: bytes) -> None:
        """Take the next piece in, given as it is and with Unix line ends."""
        if self.line_end is None:
            self._md5.update(text)
        else:
            self._md5.update(unix_text.replace(UNIX, self.line_end))

    def sums(self, own_line_end: bytes) -> Iterator[tuple[int, str]]:
        """The sums for each number of newlines at the end."""
        md5 = self._md5.copy()
        for count in range(MOST_FINAL_NEWLINES + 1):
            yield count, md5.hexdigest()
            md5.update(self.line_end or own_line_end)
