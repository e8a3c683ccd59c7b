"""What ``make`` says on a fresh machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("target", ["setup", "quickstart", "test"])
def test_an_old_python_is_refused_at_once_and_leaves_nothing(target: str, tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text(
        '#!/bin/sh\nif [ "$1" = --version ]; then echo "Python 3.9.2"; else exit 1; fi\n'
    )
    old.chmod(0o755)
    venv = tmp_path / "venv"
    result = make(target, f"PYTHON={old}", f"VENV={venv}")
    assert result.returncode != 0
    assert "needs Python 3.11 to 3.13" in result.stderr
    assert "Python 3.9.2" in result.stderr
    assert "make setup PYTHON=" in result.stderr
    assert not venv.exists()


def test_help_names_every_target() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = makefile.partition(".PHONY:")[2].partition("\n")[0].split()
    assert helped() == set(targets) - {"python-fits"}


def test_contributors_are_told_every_target_and_what_decides() -> None:
    page = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed, _, below = page.partition("```sh\n")[2].partition("```")
    assert made_in(listed) == helped()
    decides = below.partition("`.ci/run` is what decides:")[2].partition("\n\n")[0]
    script = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")
    assert made_in(decides) == made_in(script)


def helped() -> set[str]:
    """The targets that ``make help`` shows."""
    return {line.split()[0] for line in make("help").stdout.splitlines()}


def made_in(text: str) -> set[str]:
    """The targets that a text tells to make."""
    return set(re.findall(r"\bmake ([a-z-]+)", text))
