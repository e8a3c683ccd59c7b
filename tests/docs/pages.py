"""The fenced blocks of a page, with what the text around them says about each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"(\s*)```(\w*)\s*")
NOT_RUN = re.compile(r"\s*<!-- not run: (.+) -->\s*")
NAMED_FILE = re.compile(r".*`([\w./-]+\.\w+)`:\s*")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        place: Page and line, for messages.
        kind: The word behind the fence.
        not_run: Why nobody can run it here, from a comment directly above.
        file: The file whose content this is: the one that the sentence above ends with.
        is_output: Whether it stands directly below another block, as what that one prints.
    """

    place: str
    kind: str
    text: str
    not_run: str | None = None
    file: str | None = None
    is_output: bool = False


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output shown below it, if any."""

    line: str
    output: str | None

    @property
    def code(self) -> int:
        """The exit code that the line promises."""
        promised = re.search(r"#.*exits with (\d+)", self.line)
        return int(promised[1]) if promised else 0


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page from top to bottom."""
    lines = page.read_text(encoding="utf-8").splitlines()
    above = ""
    position = 0
    while position < len(lines):
        fence = FENCE.fullmatch(lines[position])
        if fence is None:
            above = lines[position] if lines[position].strip() else above
            position += 1
            continue
        end = next(k for k in range(position + 1, len(lines)) if FENCE.fullmatch(lines[k]))
        not_run, file = NOT_RUN.fullmatch(above), NAMED_FILE.fullmatch(above)
        yield Block(
            place=f"{page.name}:{position + 1}",
            kind=fence[2],
            text="".join(f"{line.removeprefix(fence[1])}\n" for line in lines[position + 1 : end]),
            not_run=not_run[1] if not_run else None,
            file=file[1] if file else None,
            is_output=FENCE.fullmatch(above) is not None,
        )
        above = lines[end]
        position = end + 1


def commands(block: Block) -> list[Command]:
    """The commands of a console block, each with the lines below it."""
    found: list[tuple[list[str], list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
            continue
        command, output = found[-1]
        goes_on = not output and command[-1].endswith("\\")
        (command if goes_on else output).append(line)
    return [
        Command("\n".join(command), "\n".join(output) if any(output) else None)
        for command, output in found
    ]


def is_shown(expected: str, output: str) -> bool:
    """Whether a page shows this output; ``...`` stands for anything, alone for any lines."""
    pattern = "".join(
        r"(?:[^\n]*\n)*"
        if line.strip() == "..."
        else r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r"\n"
        for line in expected.strip("\n").splitlines()
    )
    plain = "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
    return re.fullmatch(pattern, plain) is not None
