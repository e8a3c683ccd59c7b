"""Running the command line inside the test process."""

from __future__ import annotations

import glob
import logging
import shlex
import sys
from dataclasses import dataclass

import pytest

from mlebench.cli import main


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


def run(command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Result:
    """Run ``mlebench ...`` as a shell would."""
    code = call(command, monkeypatch)
    out, err = capfd.readouterr()
    return Result(code, out, err)


def call(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of ``mlebench ...``, which prints wherever stdout and stderr lead."""
    monkeypatch.setattr(
        sys, "argv", [path for word in shlex.split(command) for path in _files(word)]
    )
    root = logging.getLogger()
    before = root.handlers[:]
    for handler in before:
        root.removeHandler(handler)
    try:
        main()
        code: int | str | None = 0
    except SystemExit as leaving:
        code = leaving.code
    finally:
        for handler in root.handlers[:]:
            root.removeHandler(handler)
        for handler in before:
            root.addHandler(handler)
    return int(code or 0)


def _files(word: str) -> list[str]:
    """The files that a word with a star stands for, else the word itself."""
    return sorted(glob.glob(word)) or [word]  # noqa: PTH207 (as it stands, also if relative)
