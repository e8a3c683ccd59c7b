"""Lines that fit a terminal: no word is broken, and a command stays whole, to be pasted."""

from __future__ import annotations

import re
import textwrap

COMMAND = re.compile(r"\S*`mlebench [^`]*`\S*|(?<=: )(?:mlebench|pip install) .*")
"""What messages tell people to type: between backticks, or behind a colon up to the end."""
GLUE = "\0"
"""Stands for a blank at which no line may end; nothing that is shown holds it."""


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a text; one is longer than this if there is a word or a command that is."""
    glued = COMMAND.sub(lambda found: found[0].replace(" ", GLUE), text)
    lines = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines] or [""]


def placed(line: str, indent: int, width: int) -> str:
    """A line at this indent, or as far to the left of it as it takes to fit the width."""
    return " " * max(min(indent, width - width_of(line)), 0) + line


def width_of(text: str) -> int:
    """How many places a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
