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
        start_new_session=True,  # or those who interrupt it would interrupt the tests
    )


@pytest.mark.parametrize("target", ["setup", "quickstart", "test"])
def test_an_old_python_is_refused_at_once_and_leaves_nothing(target: str, tmp_path: Path) -> None:
    old = stub(
        tmp_path / "python3.9",
        '#!/bin/sh\nif [ "$1" = --version ]; then echo "Python 3.9.2"; else exit 1; fi\n',
    )
    venv = tmp_path / "venv"
    result = make(target, f"PYTHON={old}", f"VENV={venv}")
    assert result.returncode != 0
    assert "needs Python 3.11 to 3.13" in result.stderr
    assert "Python 3.9.2" in result.stderr
    assert f"make {target} PYTHON=" in result.stderr
    assert not venv.exists()


STUB = """#!/bin/sh
case "$1$2" in
    -mvenv) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$0" "$4/bin/mlebench" ;;
    -mpip) for word; do :; done; echo "installs $word" ;;
    quickstart) echo "begins" ;;
esac
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python whose environments are made at once, and tell what goes into them."""
    return stub(tmp_path / "python3.12", STUB)


def stub(path: Path, script: str) -> Path:
    path.write_text(script)
    path.chmod(0o755)
    return path


def test_quickstart_installs_what_agents_need_unless_there_is_more(
    python: Path, tmp_path: Path
) -> None:
    options = f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"
    first = make("quickstart", *options).stdout
    assert "installs .[agents]" in first
    assert first.endswith("begins\n")
    assert make("quickstart", *options).stdout == "begins\n"
    assert "installs .[dev]" in make("setup", *options).stdout
    assert make("quickstart", *options).stdout == "begins\n"
    assert "installs" not in make("setup", *options).stdout


def test_a_python_that_is_not_there_is_named_and_so_is_what_was_typed(tmp_path: Path) -> None:
    result = make("tour", "PYTHON=nosuch", f"VENV={tmp_path / 'venv'}")
    assert result.returncode != 0
    assert "needs Python 3.11 to 3.13, and there is no nosuch.\n" in result.stderr
    assert "make tour PYTHON=" in result.stderr
    assert "not found" not in result.stderr


def test_who_interrupts_the_set_up_is_told_how_it_goes_on(tmp_path: Path) -> None:
    interrupted = STUB.replace('mkdir -p "$4/bin"', "kill -INT 0 && sleep 60")
    venv = tmp_path / "venv"
    python = stub(tmp_path / "python3.12", interrupted)
    result = make("quickstart", f"PYTHON={python}", f"VENV={venv}")
    assert result.returncode != 0
    assert "To begin the set-up again: make quickstart\n" in result.stderr
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
