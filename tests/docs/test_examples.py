"""Every command shown in the documentation runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from mlebench.authoring.scaffold import create_competition
from mlebench.cli.app import build_app
from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.command import run
from tests.conftest import CHECKOUT, Prepared
from tests.helpers import write_lines
from tests.kaggle_server import KEY, USER, serve_kaggle

PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
EXIT_NOTE = re.compile(r"#.*exits with (\d+)")


def commands(page: Path) -> list[str]:
    """The lines behind a dollar sign in the console blocks of a page."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepared: Prepared) -> Path:
    """A folder with everything the examples speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path / "default-data"))
    spaceship = Registry(tmp_path / "default-data").get_competition("spaceship-titanic")
    prepare(spaceship, fixture=True)
    shutil.copy(spaceship.sample_submission, "submission.csv")
    Path("broken.csv").write_text("PassengerId,Transported\n0001_01,perhaps\n")
    Path("ids.txt").write_text("spaceship-titanic\nspooky-author-identification\n")
    write_lines(
        tmp_path / "submissions.jsonl",
        [
            {"competition_id": "spaceship-titanic", "submission_path": "submission.csv"},
            {"competition_id": "spaceship-titanic", "submission_path": None},
        ],
    )
    checkout = tmp_path / "checkout" / "spaceship-titanic"
    checkout.mkdir(parents=True)
    (checkout / "leaderboard.csv").write_text("score\n0.9\n0.8\n")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_on_the_page_run(
    page: Path, world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = commands(page)
    if not any("new-competition my-competition " in line for line in lines):
        create_competition("my-competition", world / "competitions")
        task = Registry(world, ["competitions"]).get_competition("my-competition").task
        assert task is not None
        task.fixture(world / "raw")
    with serve_kaggle() as kaggle:
        monkeypatch.setenv("MLEBENCH_KAGGLE_API", kaggle.api)
        monkeypatch.setenv("KAGGLE_USERNAME", USER)
        monkeypatch.setenv("KAGGLE_KEY", KEY)
        for line in lines:
            note = EXIT_NOTE.search(line)
            expected = int(note[1]) if note else 0
            result = run(line.partition("    #")[0], monkeypatch, capfd)
            assert result.code == expected, f"{line}\n{result.stdout}\n{result.stderr}"
            assert "Traceback" not in result.stderr, line


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_on_the_page_runs(page: Path, world: Path) -> None:
    """From top to bottom in a fresh process, as somebody would who follows the page."""
    create_competition("my-competition", world / "competitions")
    script = "\n\n".join(python_blocks(page))
    outcome = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert outcome.returncode == 0, outcome.stderr


def test_every_command_and_option_is_shown_in_an_example() -> None:
    shown = {word for page in PAGES for line in commands(page) for word in line.split()}
    group = typer.main.get_command(build_app())
    missing = [
        f"{' '.join(names)} {max(option.opts, key=len)}"
        for names, command in _walk(group, ())
        for option in command.params
        if option.param_type_name == "option"
        and option.name != "help"
        and not shown.intersection(option.opts)
    ]
    assert not missing
    assert {names[-1] for names, _ in _walk(group, ()) if names} <= shown


def _walk(command: object, names: tuple[str, ...]) -> list[tuple[tuple[str, ...], object]]:
    children = getattr(command, "commands", {})
    below = [entry for name, child in children.items() for entry in _walk(child, (*names, name))]
    return [(names, command), *below]
