"""Every page does what it shows, from top to bottom, on a fresh machine."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from mlebench.cli.app import build_app
from tests.conftest import CHECKOUT
from tests.docs.pages import blocks, commands
from tests.docs.picture import PICTURE, README, draw, words
from tests.docs.reader import Reader
from tests.kaggle_server import KEY, USER, serve_kaggle

PAGES = [README, *sorted((CHECKOUT / "docs").glob("*.md"))]

# All that is shown and not run, so that nothing slips in unseen.
NOT_RUN = {
    "README.md": [
        "make quickstart",
        "source .venv/bin/activate",
        "pip install .",
        "mlebench prepare spaceship-titanic --from ~/Downloads/spaceship-titanic.zip",
    ],
    "cli.md": ["source <(mlebench completion zsh)"],
    "data.md": ["<data dir>/<id>/<anything>.zip           the download from Kaggle, kept"],
}


@pytest.fixture
def fresh_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Somebody in an empty folder, with an empty home (as all tests have) and a Kaggle login."""
    monkeypatch.chdir(tmp_path)
    return Reader(monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_does_what_it_shows(
    page: Path, fresh_machine: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_kaggle() as kaggle:
        monkeypatch.setenv("MLEBENCH_KAGGLE_API", kaggle.api)
        monkeypatch.setenv("KAGGLE_USERNAME", USER)
        monkeypatch.setenv("KAGGLE_KEY", KEY)
        fresh_machine.follow(page)
    if page == README:
        picture = PICTURE.read_text(encoding="utf-8")
        assert words(draw(monkeypatch)) == words(picture), "`make docs` draws it again"


def test_what_is_not_run_is_known() -> None:
    marked = {
        page.name: [block.text.splitlines()[0] for block in blocks(page) if block.not_run]
        for page in PAGES
    }
    assert {name: lines for name, lines in marked.items() if lines} == NOT_RUN


def test_every_command_and_option_is_shown_in_an_example() -> None:
    shown = {
        word
        for page in PAGES
        for block in blocks(page)
        if block.kind == "console"
        for command in commands(block)
        for word in command.line.split()
    }
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
