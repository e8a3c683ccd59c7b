"""The picture of a terminal at the top of the README, drawn from what is really printed."""

from __future__ import annotations

import io
import re
from html import unescape
from tempfile import TemporaryDirectory

import pytest
from rich.console import Console
from rich.text import Text

from tests.command import call
from tests.conftest import CHECKOUT
from tests.docs.reader import Reader
from tests.docs.terminal import COLUMNS, seen

README = CHECKOUT / "README.md"
PICTURE = CHECKOUT / "docs" / "terminal.svg"
SHOWN = (
    "mlebench validate submission.csv spaceship-titanic",
    "mlebench grade-sample submission.csv spaceship-titanic",
    "mlebench report-table reports/*.json",
)


def draw(monkeypatch: pytest.MonkeyPatch) -> str:
    """An SVG of these commands, run where somebody has followed the README."""
    monkeypatch.setenv("TERM", "xterm-256color")
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    for position, command in enumerate(SHOWN):
        if position:
            console.print()
        console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
        _, printed = seen(lambda command=command: call(command, monkeypatch))  # type: ignore[misc]
        console.print(Text.from_ansi(printed))
    svg = console.export_svg(title="mlebench", unique_id="mlebench")
    # Fonts would come from another host; whoever looks has one that will do.
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL) + "\n"


def words(svg: str) -> str:
    """What can be read in a picture; how it is drawn depends on the version of rich."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return " ".join(unescape(" ".join(texts)).split())


def main() -> None:
    """Follow the README in a folder of its own, and draw."""
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("HOME", home)
        monkeypatch.chdir(home)
        Reader(monkeypatch).follow(README)
        PICTURE.write_text(draw(monkeypatch), encoding="utf-8")
