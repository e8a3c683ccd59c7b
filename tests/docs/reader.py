"""Somebody who follows a page from top to bottom and does everything it shows."""

from __future__ import annotations

import csv
import json
import os
import shlex
import signal
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest
import yaml

from mlebench.processes.pipes import LineReader, write_line
from tests.command import call
from tests.docs.pages import Block, blocks, commands, is_shown
from tests.docs.terminal import COLUMNS, seen

NEEDS_A_SHELL = set("|&;<>$`~(){}\\\n")
SESSION = """
import json, os, sys
names = {"__name__": "__main__"}
with open(int(sys.argv[1])) as blocks:
    for line in blocks:
        exec(compile(json.loads(line), "<page>", "exec"), names)
        sys.stdout.flush()
        os.write(int(sys.argv[2]), b"done\\n")
"""
LONGEST_BLOCK_SECONDS = 600.0


class PageError(AssertionError):
    """A page does not do what it says."""

    def __init__(self, block: Block, what: str, output: str = "") -> None:
        super().__init__(f"{block.place}: {what}\n{output}")


class Reader:
    """Follows a page in the current directory, with one shell and one Python session."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, patience: float = LONGEST_BLOCK_SECONDS
    ) -> None:
        self._monkeypatch = monkeypatch
        self._patience = patience
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
        block = None
        try:
            try:
                for block in blocks(page):
                    if not block.not_run:
                        self._do(block)
            finally:
                if self._session:
                    self._session.end()
        except (subprocess.TimeoutExpired, TimeoutError) as error:
            assert block
            raise PageError(block, f"is not done within {self._patience:g} seconds") from error

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
            self._session = self._session or PythonSession(self._patience)
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
        with tempfile.NamedTemporaryFile() as variables:
            keep = f"trap 'code=$?; env -0 > {shlex.quote(variables.name)}; exit $code' EXIT\n"
            code = self._bash(keep + script)
            entries = variables.read().decode().split("\0")
        after = dict(entry.split("=", maxsplit=1) for entry in entries if entry)
        for name in os.environ.keys() - after.keys():
            self._monkeypatch.delenv(name)
        for name, value in after.items() - os.environ.items():
            self._monkeypatch.setenv(name, value)
        self._monkeypatch.chdir(after["PWD"])
        return code

    def _bash(self, script: str) -> int:
        """The exit code of a script; what it leaves in the background is not waited for."""
        bash = subprocess.Popen(
            ["bash", "-c", script], stdin=subprocess.DEVNULL, start_new_session=True
        )
        return wait_for(bash, self._patience)


class PythonSession:
    """A fresh Python that runs one block after the other; warnings are errors.

    Blocks and the news that one is done have pipes of their own, so that nothing a block prints
    or reads is mistaken for them.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self._shown = 0
        blocks, self._blocks = os.pipe()
        self._news, done = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SESSION, str(blocks), str(done)],
            stdin=subprocess.DEVNULL,
            stdout=self._printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[blocks, done],
        )
        os.close(blocks)
        os.close(done)

    def run(self, block: Block) -> str:
        """What a block prints."""
        news = LineReader(self._news)
        write_line(self._blocks, json.dumps(block.text).encode(), self._patience)
        is_done = news.read(self._patience) is not None
        if not is_done:
            wait_for(self._process, self._patience if news.ended else 0)
        # Not by reading on: where the next line goes to would move with it.
        size = os.fstat(self._printed.fileno()).st_size - self._shown
        printed = os.pread(self._printed.fileno(), size, self._shown).decode(errors="replace")
        self._shown += size
        if not is_done:
            raise PageError(block, "this Python fails", printed)
        return printed

    def end(self) -> None:
        """Leave Python."""
        os.close(self._blocks)
        try:
            wait_for(self._process, self._patience)
        finally:
            os.close(self._news)
            self._printed.close()


def wait_for(process: subprocess.Popen[bytes], seconds: float) -> int:
    """The exit code of a process, which is killed with its children if it takes too long.

    Raises:
        subprocess.TimeoutExpired: It took too long.
    """
    try:
        return process.wait(seconds)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


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
