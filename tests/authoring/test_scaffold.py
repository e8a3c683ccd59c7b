"""New competitions: they work as they are, and the selfcheck finds what is wrong with them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image

from mlebench.authoring.kinds import Kind
from mlebench.authoring.scaffold import COMMON, TEMPLATE_DIR, create_competition
from mlebench.authoring.selfcheck import Outcome, check_competition
from mlebench.errors import ConfigError
from mlebench.registry import Registry
from mlebench.registry.facts import load_facts
from tests.helpers import add_competition


def checked(folder: Path, code: str = "") -> Outcome:
    add_competition(folder, "mine", code)
    return check_competition("mine", Registry(competitions_dirs=[folder]))


def failed(outcome: Outcome) -> list[str]:
    return [check.name for check in outcome.checks if not check.passed]


def test_scaffold_passes_its_selfcheck(tmp_path: Path) -> None:
    outcome = checked(tmp_path)
    assert failed(outcome) == []
    assert outcome.gold_score == 0.0


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind != Kind.TABLE])
def test_every_kind_passes_its_selfcheck(kind: Kind, tmp_path: Path) -> None:
    create_competition("mine", tmp_path, kind=kind)
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert failed(outcome) == []
    assert outcome.gold_score == (0.0 if kind == Kind.TEXT else 1.0)
    assert outcome.sample_score not in (None, outcome.gold_score)


def test_images_are_real_ones(tmp_path: Path) -> None:
    create_competition("mine", tmp_path / "competitions", kind=Kind.IMAGE)
    task = Registry(tmp_path, [tmp_path / "competitions"]).get_competition("mine").task
    assert task is not None
    task.fixture(tmp_path / "raw")
    with Image.open(tmp_path / "raw" / "images" / "000.png") as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (8, 8))


def test_there_is_a_template_for_every_kind() -> None:
    folders = {path.name for path in TEMPLATE_DIR.iterdir()}
    assert folders == {*Kind, COMMON}


def test_an_unknown_kind_is_refused_with_the_list(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="choose one of table, image, ranking, text"):
        create_competition("mine", tmp_path, kind="video")
    assert not any(tmp_path.iterdir())


def test_title_is_used(tmp_path: Path) -> None:
    create_competition("mine", tmp_path, "My own: a task")
    competition = Registry(competitions_dirs=[tmp_path]).get_competition("mine")
    assert competition.name == "My own: a task"
    assert competition.description.startswith("# My own: a task\n")


@pytest.mark.parametrize("competition_id", ["", "-x", "a/b", "../up", "a b", "ü"])
def test_bad_ids_are_refused(competition_id: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="letters, digits and dashes"):
        create_competition(competition_id, tmp_path)


def test_a_title_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        create_competition("mine", tmp_path, "of another encoding: \udcff")


def test_half_a_folder_is_never_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    templates, own = tmp_path / "templates", tmp_path / "own"
    shutil.copytree(TEMPLATE_DIR, templates)
    (templates / COMMON / "zzz.template").write_text("$nobody")
    monkeypatch.setattr("mlebench.authoring.scaffold.TEMPLATE_DIR", templates)
    with pytest.raises(KeyError, match="nobody"):
        create_competition("mine", own)
    assert list(own.iterdir()) == []


def test_existing_folder_is_never_overwritten(tmp_path: Path) -> None:
    add_competition(tmp_path, "mine")
    with pytest.raises(ConfigError, match="exists already"):
        create_competition("mine", tmp_path)


@pytest.mark.parametrize(
    ("code", "noticed"),
    [
        ("def score(truth, predicted):\n    return 10.0", "gold wins gold"),
        ("def score(truth, predicted):\n    raise KeyError('x')", "sample is valid"),
        (
            "def score(truth, predicted):\n    return float(truth['value'].iloc[0]) / 0",
            "random valid submission 1",
        ),
        ("def prepare(raw: Path, public: Path):\n    pass", "prepare"),
    ],
)
def test_selfcheck_notices_broken_functions(code: str, noticed: str, tmp_path: Path) -> None:
    assert noticed in failed(checked(tmp_path, code))


@pytest.mark.parametrize(
    "title", ['He said "hi": \\o/ #1', 'ends with a quote"', "two\nlines", "日本"]
)
def test_any_title_will_do(title: str, tmp_path: Path) -> None:
    folder = create_competition("mine", tmp_path, title, Kind.RANKING)
    assert load_facts(folder).title == title
    for module in ("task.py", "fixture.py"):
        compile((folder / module).read_text(encoding="utf-8"), module, "exec")
