"""What comes and goes among the user's competitions is noticed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mlebench.errors import UnknownCompetitionError
from mlebench.registry import Registry
from mlebench.registry.catalog import Catalog
from tests.helpers import ALL_IDS, add_competition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "competitions").mkdir()
    return tmp_path / "competitions"


def make_old(folder: Path) -> None:
    """Give a folder a modification time long ago, as most folders have."""
    os.utime(folder, (1e9, 1e9))


def test_competitions_added_later_are_listed(folder: Path) -> None:
    catalog = Catalog([folder])
    for number in range(5):  # within one tick of the clock
        add_competition(folder, f"mine-{number}")
        assert f"mine-{number}" in catalog.list_competition_ids()


def test_competitions_added_later_are_found_without_listing(folder: Path) -> None:
    make_old(folder)
    registry = Registry(competitions_dirs=[folder])
    assert registry.list_competition_ids() == ALL_IDS
    add_competition(folder, "mine")
    make_old(folder)  # so that the modification time tells nothing
    assert registry.get_competition("mine").id == "mine"
    assert registry.get_facts("mine").id == "mine"


def test_folders_filled_later_are_listed(folder: Path, tmp_path: Path) -> None:
    (folder / "mine").mkdir()
    catalog = Catalog([folder])
    make_old(folder)
    make_old(folder / "mine")
    assert "mine" not in catalog.list_competition_ids()
    made = add_competition(tmp_path, "mine")
    shutil.copytree(made, folder / "mine", dirs_exist_ok=True)
    make_old(folder)
    assert "mine" in catalog.list_competition_ids()


def test_removed_competitions_are_gone(folder: Path) -> None:
    add_competition(folder, "mine")
    add_competition(folder, "spaceship-titanic")
    catalog = Catalog([folder])
    assert catalog.folder_of("spaceship-titanic").parent == folder
    shutil.rmtree(folder / "mine")
    shutil.rmtree(folder / "spaceship-titanic")
    assert catalog.list_competition_ids() == ALL_IDS
    assert catalog.folder_of("spaceship-titanic").parent != folder
    with pytest.raises(UnknownCompetitionError):
        catalog.folder_of("mine")


def test_folders_in_the_environment_may_change(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_competition(folder, "mine")
    add_competition(tmp_path / "others", "yours")
    catalog = Catalog()
    for place, own in ((folder, {"mine"}), (tmp_path / "others", {"yours"}), ("", set())):
        monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", str(place))
        assert set(catalog.list_competition_ids()) - set(ALL_IDS) == own


def test_folders_are_read_once_as_long_as_nothing_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_competition(folder, "mine")
    make_old(folder)
    catalog = Catalog([folder])
    catalog.list_competition_ids()
    looked: list[Path] = []
    iterate = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: looked.append(path) or iterate(path))
    for competition_id in catalog.list_competition_ids():
        catalog.get_facts(competition_id)
    assert looked == []


def test_an_unknown_id_does_not_make_it_look_at_all_folders_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    add_competition(own, "mine")
    make_old(own)
    catalog = Catalog([own])
    assert "mine" in catalog
    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", lambda path: pytest.fail(f"looked at {path} again"))
        assert "unknown" not in catalog
    add_competition(own, "another")
    assert "another" in catalog


def test_a_folder_without_facts_is_not_called_missing(folder: Path) -> None:
    (folder / "m45").mkdir(parents=True)
    with pytest.raises(UnknownCompetitionError) as one:
        Catalog([folder]).folder_of("m45")
    assert f"the folder {folder / 'm45'} has no competition.yaml" in str(one.value)
    with pytest.raises(UnknownCompetitionError) as several:
        Catalog([folder]).require_known(["m45", "m46"])
    assert f"the folder {folder / 'm45'} has no competition.yaml" in str(several.value)


def test_splits_are_suggested_where_they_may_be_meant() -> None:
    with pytest.raises(UnknownCompetitionError, match="Did you mean 'mini'"):
        Catalog(()).require_known(["minni"], may_be_splits=True)
    with pytest.raises(UnknownCompetitionError, match=r"'minni'\. Did you mean 'mini-co2'"):
        Catalog(()).require_known(["minni"])


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("titanic", "'spaceship-titanic'"),
        ("Leaf", "'cassava-leaf-disease-classification' or 'leaf-classification'"),
        ("spaceship-titanik", "'spaceship-titanic'"),
    ],
)
def test_ids_that_hold_a_word_are_suggested(word: str, meant: str) -> None:
    with pytest.raises(UnknownCompetitionError) as told:
        Catalog(()).folder_of(word)
    assert f"Did you mean {meant}?" in str(told.value)


@pytest.mark.parametrize("word", ["a", "nope"])
def test_what_may_mean_anything_is_not_guessed(word: str) -> None:
    with pytest.raises(UnknownCompetitionError) as told:
        Catalog(()).folder_of(word)
    assert "Did you mean" not in str(told.value)
