"""Somebody who follows a page from top to bottom and does everything it shows."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.command import call
from tests.docs.pages import Block, blocks, commands, is_shown
from tests.docs.terminal import COLUMNS, END, seen

NEEDS_A_SHELL = set("|&;<>$`~(){}\\\n")
SESSION = f"""
import json, sys
names = {{"__name__": "__main__"}}
for line in sys.stdin:
    exec(compile(json.loads(line), "<page>", "exec"), names)
    print({END.decode()!r}, flush=True)
"""


class PageError(AssertionError):
    """A page does not do what it says."""

    def __init__(self, block: Block, what: str, output: str = "") -> None:
        super().__init__(f"{block.place}: {what}\n{output}")


class Reader:
    """Follows a page in the current directory, with one shell and one Python session."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._session: PythonSession | None = None
        self._last_output = ""
        scripts = sysconfig.get_path("scripts")
        monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("COLUMNS", str(COLUMNS))
        monkeypatch.setenv("TERM", "dumb")  # a terminal without colours and moving bars

    def follow(self, page: Path) -> None:
        """Do what all blocks of a page show, in their order.

        Raises:
            PageError: Something fails or prints something else than the page shows.
        """
        try:
            for block in blocks(page):
                if not block.not_run:
                    self._do(block)
        finally:
            if self._session:
                self._session.end()

    def _do(self, block: Block) -> None:
        if block.is_output and block.kind == "text":
            if not is_shown(block.text, self._last_output):
                raise PageError(block, "this is printed instead:", self._last_output)
        elif block.file and block.kind in PARSERS:
            parse(block)
            path = Path(block.file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.kind == "console":
            self._type(block)
        elif block.kind == "sh":
            code, self._last_output = seen(lambda: self._shell(f"set -e\n{block.text}"))
            if code:
                raise PageError(block, f"exits with {code}", self._last_output)
        elif block.kind == "python":
            self._session = self._session or PythonSession()
            self._last_output = self._session.run(block)
        elif block.kind in PARSERS:
            parse(block)
        else:
            raise PageError(block, f"nobody can tell what a block of {block.kind!r} is for")

    def _type(self, block: Block) -> None:
        for command in commands(block):
            code, output = seen(lambda line=command.line: self._run(line))
            if code != command.code or "Traceback" in output:
                raise PageError(block, f"{command.line}\nexits with {code}", output)
            if command.output is not None and not is_shown(command.output, output):
                raise PageError(block, f"{command.line}\nprints", output)

    def _run(self, line: str) -> int:
        plain = line.partition("    #")[0]
        if plain.startswith("mlebench ") and not NEEDS_A_SHELL.intersection(plain):
            return call(plain, self._monkeypatch)
        return self._shell(line)

    def _shell(self, script: str) -> int:
        """Run a script; variables and the directory stay for what follows, as in one shell."""
        reading, writing = os.pipe()
        keep = f"trap 'code=$?; env -0 >&{writing}; exit $code' EXIT\n"
        with os.fdopen(reading, "rb") as variables:
            try:
                code = subprocess.run(
                    ["bash", "-c", keep + script], check=False, timeout=300, pass_fds=[writing]
                ).returncode
            finally:
                os.close(writing)
            entries = variables.read().decode().split("\0")
        after = dict(entry.split("=", maxsplit=1) for entry in entries if entry)
        for name in os.environ.keys() - after.keys():
            self._monkeypatch.delenv(name)
        for name, value in after.items() - os.environ.items():
            self._monkeypatch.setenv(name, value)
        self._monkeypatch.chdir(after["PWD"])
        return code


class PythonSession:
    """A fresh Python that runs one block after the other; warnings are errors."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, block: Block) -> str:
        """What a block prints."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(block.text) + "\n")
        self._process.stdin.flush()
        printed = "".join(self._lines())
        if self._process.poll() is not None:
            raise PageError(block, "this Python fails", printed)
        return printed

    def _lines(self) -> Iterator[str]:
        assert self._process.stdout
        for line in self._process.stdout:
            if line == f"{END.decode()}\n":
                return
            yield line
        self._process.wait()

    def end(self) -> None:
        """Leave Python."""
        self._process.communicate()


def _parse_csv(text: str) -> None:
    rows = list(csv.reader(text.splitlines(), strict=True))
    if len({len(row) for row in rows}) != 1:
        raise ValueError("rows of different length")


def _parse_lines(text: str) -> None:
    for line in text.splitlines():
        json.loads(line)


PARSERS = {
    "csv": _parse_csv,
    "json": json.loads,
    "jsonl": _parse_lines,
    "yaml": yaml.safe_load,
    "python": lambda text: compile(text, "<page>", "exec"),
    "text": str,
}
"""What the content of a file must stand."""


def parse(block: Block) -> None:
    """Make sure that a block is what it says it is."""
    if block.kind == "text" and not block.file:
        raise PageError(block, "is neither a file nor the output of the block above")
    try:
        PARSERS[block.kind](block.text)
    except (ValueError, SyntaxError, csv.Error, yaml.YAMLError) as error:
        raise PageError(block, f"is no {block.kind}: {error!r}") from error
