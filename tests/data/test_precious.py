"""What is the user's outlives a preparation: raw data, wherever they lie, and files among ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.data import pipeline
from mlebench.data.inspecting import inspect
from mlebench.data.outlook import look_ahead
from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import assert_prepared, zipped
from tests.data.test_removed_meanwhile import interrupt
from tests.helpers import add_competition, file_digests
from tests.rights import as_ordinary_user


def registry_of(competition: Competition) -> Registry:
    return Registry(competition.data_dir.parent, [competition.folder.parent])


@pytest.mark.parametrize("place", [".staging-v1/raw", "prepared/public", "prepared", "link"])
def test_raw_data_in_a_folder_that_will_be_emptied_are_refused(
    place: str, mine: Competition, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped(raw, mine.data_dir / "mine.zip")
    prepare(mine)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "publish", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, force=True)
    (mine.data_dir / "link").symlink_to(mine.public_dir)
    before = file_digests(mine.data_dir)
    named = mine.data_dir / place
    assert isinstance(
        look_ahead({"mine": str(named)}, registry_of(mine), force=True)[0].problem, ConfigError
    )
    with pytest.raises(ConfigError, match="Copy it to another place first"):
        prepare(mine, named, force=True)
    assert file_digests(mine.data_dir) == before


def set_aside_in(competition: Competition) -> dict[str, str]:
    """What was moved away, by its path in the folder it is in now."""
    folders = competition.data_dir.glob("set-aside-*")
    return {
        str(path.relative_to(folder)): path.read_text()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("force", [True, False])
def test_files_that_are_not_ours_are_set_aside(
    force: bool, mine: Competition, raw: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prepare(mine, fixture=True)
    (mine.public_dir / "my.ipynb").write_text("notes")
    (mine.public_dir / "mine" / "deep").mkdir(parents=True)
    (mine.public_dir / "mine" / "deep" / "a.txt").write_text("a")
    (mine.private_dir / "work.csv").write_text("work")
    prepare(mine, raw, force=force)
    assert set_aside_in(mine) == {
        "prepared/public/my.ipynb": "notes",
        "prepared/public/mine/deep/a.txt": "a",
        "prepared/private/work.csv": "work",
    }
    (told,) = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    (folder,) = mine.data_dir.glob("set-aside-*")
    assert str(folder) in told
    assert "public/my.ipynb" in told
    assert_prepared(mine, "local")
    assert inspect(mine).status == "unchanged"


def test_files_without_a_manifest_are_nobodys_but_the_users(mine: Competition, raw: Path) -> None:
    mine.public_dir.mkdir(parents=True)
    (mine.public_dir / "work.csv").write_text("work")
    prepare(mine, raw)
    assert set_aside_in(mine) == {"prepared/public/work.csv": "work"}
    assert_prepared(mine, "local")


def test_what_was_prepared_is_replaced_without_a_word(mine: Competition, raw: Path) -> None:
    prepare(mine, fixture=True)
    (mine.public_dir / "train.csv").unlink()
    (mine.public_dir / "empty").mkdir()
    prepare(mine, raw)
    prepare(mine, raw, force=True, layout="extracted")
    assert not [*mine.data_dir.glob("set-aside-*")]


PREPARE_MEDIA = """
def prepare(raw: Path, public: Path, private: Path) -> None:
    from mlebench.preparing.files import place_tree

    (public / "sample_submission.csv").write_bytes((raw / "train.csv").read_bytes())
    (private / "test.csv").write_bytes((raw / "train.csv").read_bytes())
    place_tree(raw / "media", public / "media")
    for number in range(NUMBER):
        (public / f"{number}.txt").touch()
"""


@pytest.mark.parametrize("number", [0, 2000])
def test_a_file_among_many_of_ours_is_found(number: int, tmp_path: Path) -> None:
    code = PREPARE_MEDIA.replace("NUMBER", str(number))
    add_competition(tmp_path / "competitions", "own", code)
    own = Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("own")
    raw = tmp_path / "raw"
    (raw / "media" / "a").mkdir(parents=True)
    (raw / "train.csv").write_text("id,value\n1,2\n")
    for name in ("b.png", "a/b.png"):
        (raw / "media" / name).write_text("picture")
    prepare(own, raw)
    prepare(own, raw, force=True)
    assert not set_aside_in(own)
    (own.public_dir / "media" / "a" / "mine.png").write_text("mine")
    (own.public_dir / "media" / "link").symlink_to(raw)
    prepare(own, raw, force=True)
    assert set_aside_in(own) == {"prepared/public/media/a/mine.png": "mine"}
    (link,) = own.data_dir.glob("set-aside-*/prepared/public/media/link")
    assert link.is_symlink()


@pytest.fixture(params=[1, 1000])
def own(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Competition:
    """A competition with media files, prepared from `raw`; its files are many, or they are few."""
    monkeypatch.setattr("mlebench.data.set_aside.MOST_NAMES", request.param)
    add_competition(
        tmp_path / "competitions", "own", PREPARE_MEDIA.replace("range(NUMBER)", "range(2)")
    )
    (tmp_path / "raw" / "media").mkdir(parents=True)
    (tmp_path / "raw" / "train.csv").write_text("id,value\n1,2\n")
    (tmp_path / "raw" / "media" / "1.png").write_text("one")
    own = Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("own")
    prepare(own, tmp_path / "raw")
    return own


@pytest.mark.parametrize("kind", ["shorter", "as long", "link", "the same"])
def test_a_file_whose_name_new_data_bring_is_set_aside(
    kind: str, own: Competition, tmp_path: Path
) -> None:
    new = {"as long": "our", "the same": "his"}.get(kind, "newer")
    (tmp_path / "his").write_text("his")
    theirs = own.public_dir / "media" / "2.png"
    if kind == "link":
        theirs.symlink_to(tmp_path / "his")
    else:
        theirs.write_text("his")
    (tmp_path / "raw" / "media" / "2.png").write_text(new)
    prepare(own, tmp_path / "raw", force=True)
    assert theirs.read_text() == new
    expected = {} if kind == "the same" else {"prepared/public/media/2.png": "his"}
    assert set_aside_in(own) == expected
    assert (tmp_path / "his").read_text() == "his"


def test_what_must_not_be_read_is_set_aside(own: Competition, tmp_path: Path) -> None:
    theirs = own.public_dir / "media" / "2.png"
    theirs.write_text("his")
    theirs.chmod(0o000)
    (tmp_path / "raw" / "media" / "2.png").write_text("his")
    command = [sys.executable, "-m", "mlebench", "prepare", "own", "--force"]
    options = ["--from", tmp_path / "raw", "--data-dir", tmp_path / "data"]
    folders = ["--competitions-dir", tmp_path / "competitions"]
    subprocess.run(as_ordinary_user(*map(str, [*command, *options, *folders])), check=True)
    (moved,) = own.data_dir.glob("set-aside-*/prepared/public/media/2.png")
    assert theirs.read_text() == "his"
    assert not moved.samefile(theirs)


def test_what_is_in_the_place_of_a_folder_of_ours_is_set_aside(
    own: Competition, tmp_path: Path
) -> None:
    media = own.public_dir / "media"
    elsewhere = tmp_path / "elsewhere"
    media.rename(elsewhere)
    media.write_text("his")
    prepare(own, tmp_path / "raw", force=True)
    assert set_aside_in(own) == {"prepared/public/media": "his"}
    media.rename(tmp_path / "away")
    (elsewhere / "his.png").write_text("his")
    media.symlink_to(elsewhere)
    prepare(own, tmp_path / "raw", force=True)
    moved = own.data_dir.glob("set-aside-*/prepared/public/media")
    assert [path.readlink() for path in moved if path.is_symlink()] == [elsewhere]
    assert (elsewhere / "his.png").read_text() == "his"
    assert (media / "1.png").read_text() == "one"


@pytest.mark.parametrize("is_added", [True, False])
def test_older_manifests_tell_by_the_number_of_files(
    is_added: bool, mine: Competition, raw: Path
) -> None:
    prepare(mine, raw)
    manifest = mine.prepared_dir / "prepared.json"
    told = json.loads(manifest.read_bytes())
    del told["names"]
    manifest.write_text(json.dumps(told))
    if is_added:
        (mine.public_dir / "mine.txt").write_text("mine")
    prepare(mine, raw, force=True)
    assert ("prepared/public/mine.txt" in set_aside_in(mine)) == is_added
    assert bool(set_aside_in(mine)) == is_added
