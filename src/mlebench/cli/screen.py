"""What the place that output goes to can show: how wide it is, colours, signs beyond ASCII."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple, TextIO

RESET = "\x1b[0m"
BOLD = "\x1b[1m"
DIM = "\x1b[2m"
NARROW = 80
"""How many columns a terminal has that does not say how wide it is."""


def _colour(number: int) -> str:
    return f"\x1b[38;5;{number}m"


STYLES: Mapping[str, str] = {
    "gold": _colour(220),
    "silver": _colour(250),
    "bronze": _colour(173),
    "ok": _colour(34),
    "graded": _colour(34),
    "prepared": _colour(34),
    "failed": _colour(160),
    "invalid": _colour(160),
    "missing": _colour(133),
    "not yet": DIM,
    "none": DIM,
}
"""How words look that stand alone in a cell."""


class Screen(NamedTuple):
    """Where output goes.

    Attributes:
        width: Characters in a line; None for a pipe or a file, which have room for all.
        has_colours: Whether words may be coloured.
        has_unicode: Whether there are lines to draw with.
    """

    width: int | None = None
    has_colours: bool = False
    has_unicode: bool = False

    @classmethod
    def of(cls, stream: TextIO | None) -> Screen:
        """What a stream can show."""
        is_terminal = stream is not None and stream.isatty()
        encoding = (getattr(stream, "encoding", None) or "ascii").lower()
        return cls(
            width=_columns(stream) if stream is not None and is_terminal else None,
            has_colours=is_terminal and _wants_colours(os.environ),
            has_unicode=encoding.replace("-", "").startswith("utf"),
        )

    @classmethod
    def here(cls) -> Screen:
        """What stdout can show."""
        return cls.of(sys.stdout)

    def styled(self, text: str, style: str | None) -> str:
        """A text in a style, where there are colours."""
        return f"{style}{text}{RESET}" if text and style and self.has_colours else text


def _columns(stream: TextIO) -> int:
    """How wide a terminal is: as the user says, as stdout is, or else as the stream itself."""
    import shutil

    own = (0, 0)
    with contextlib.suppress(OSError, ValueError):  # no terminal, whatever it says of itself
        own = os.get_terminal_size(stream.fileno())
    return shutil.get_terminal_size(own).columns or NARROW


def _wants_colours(environment: Mapping[str, str]) -> bool:
    """Whether the user's terminal knows colours and nobody has said no, as https://no-color.org."""
    return not environment.get("NO_COLOR") and environment.get("TERM", "dumb") != "dumb"
