"""What ``make`` says on a fresh machine."""

from __future__ import annotations

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
    shown = make("help").stdout
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = makefile.partition(".PHONY:")[2].partition("\n")[0].split()
    assert {line.split()[0] for line in shown.splitlines()} == set(targets) - {"python-fits"}
