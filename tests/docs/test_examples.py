"""Every page does what it shows, from top to bottom, on a fresh machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mlebench.registry import registry
from tests.conftest import CHECKOUT
from tests.docs.pages import blocks
from tests.docs.picture import PICTURE, README, draw, words
from tests.docs.reader import Reader
from tests.kaggle_server import KEY, USER, serve_kaggle

PAGES = [README, *sorted((CHECKOUT / "docs").glob("*.md"))]

DOWNLOADED = "random-acts-of-pizza"

# All that is shown and not run, so that nothing slips in unseen.
NOT_RUN = {
    "README.md": [
        "make quickstart",
        "$ mlebench quickstart",
        "source .venv/bin/activate",
        "pip install .               # all but running agents",
        "mlebench prepare spaceship-titanic",
        "mlebench prepare spaceship-titanic --from ~/Downloads/spaceship-titanic.zip",
        "cd ..",
    ],
    "agents.md": [
        "$ mlebench agents build my-original-agent --image",
        "$ docker tag python:3.12 mlebench-env",
    ],
    "cli.md": [
        "$ mlebench run --agent my-original-agent -c low --sandbox container --container-config "
        "config.json --retain",
        "$ mlebench run --agent dummy -c low --workers 50 --executor ray --address auto --home "
        "10.0.0.1 --shared-data",
        "$ mlebench selfcheck --all",
        'eval "$(mlebench completion zsh)"',
        "$ mlebench agents build my-original-agent --image",
    ],
    "data.md": [
        "<data dir>/<id>/<anything>.zip           a download, or a zip that you put there",
        "<data dir>/<id>/<id>.zip.part            as much of a download as has arrived",
        "$ mlebench prepare --lite --from https://data.example.org/kaggle",
        "$ mlebench prepare petfinder-pawpularity-score --from downloads/petfinder/train",
        "public/train.csv: column `Age` differs.",
        "v1:",
    ],
    "mini.md": [
        "mlebench runs logs latest mini-co2",
        "rm -r runs",
        "python -m benchmarks.mini.record",
    ],
    "runs.md": ["runs/<time>_run-group_<agent>/", "$ ray start --head", "$ salloc --nodes 8"],
}


@pytest.fixture
def fresh_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Somebody in an empty folder, with an empty home (as all tests have) and a Kaggle login."""
    # Where paths are as short as those of users: long ones have lines of their own.
    with TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("MLEBENCH_WORKERS", "1")  # starting more takes longer than these batches
        yield Reader(monkeypatch)


@pytest.fixture
def raw_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What Kaggle hands out where pages download: made-up data."""
    folder = tmp_path_factory.mktemp("kaggle")
    task = registry.get_competition(DOWNLOADED).task
    assert task
    task.fixture(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_does_what_it_shows(
    page: Path,
    fresh_machine: Reader,
    raw_files: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serve_kaggle() as kaggle:
        kaggle.competitions[DOWNLOADED] = raw_files
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
