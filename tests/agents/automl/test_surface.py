"""Only what is a file of the data is read: nothing that waits, nothing that lies elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlebench.agents.automl.automl.clock import Clock
from mlebench.agents.automl.automl.course import Limits
from mlebench.agents.automl.automl.description import description_of
from mlebench.agents.automl.automl.features.troves import contents, entries
from mlebench.agents.automl.automl.features.unread import Unread
from mlebench.agents.automl.automl.journal import Journal
from mlebench.agents.automl.automl.odd import masks, paths, pixels
from mlebench.agents.automl.automl.odd.looking import files_by_stem
from mlebench.agents.automl.automl.odd.trying import try_all
from mlebench.agents.automl.automl.places import Places
from mlebench.agents.automl.automl.submitting import Submitter
from mlebench.agents.automl.automl.tables import find_tables
from mlebench.agents.automl.automl.work import work

SAMPLE = "id,y\n1,0\n2,0\n"


def _places(folder: Path, scratch: Path) -> Places:
    """Places of a run on nothing but a sample; its time counts from when this process began."""
    for name in ("data", "submission", "logs"):
        (folder / name).mkdir()
    (folder / "data" / "sample_submission.csv").write_text(SAMPLE)
    submission = folder / "submission" / "submission.csv"
    return Places(
        folder / "data", submission, folder / "logs", scratch, 0, 36_000.0, 2**30, 1, None
    )


@pytest.mark.parametrize("place", ["/proc/self", "elsewhere"])
def test_links_out_of_the_data_are_not_followed(place: str, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "train.csv").write_text("id,y\n1,0\n")
    data = tmp_path / "data"
    (data / "inner").mkdir(parents=True)
    (data / "inner" / "test.csv").write_text("id\n1\n")
    (data / "link").symlink_to(tmp_path / place)
    (data / "train.csv").symlink_to(tmp_path / "elsewhere" / "train.csv")
    (data / "sample_submission.csv").symlink_to("inner/test.csv")
    (tmp_path / "also").symlink_to(data)
    for folder in (data, tmp_path / "also"):
        found = [str(path.relative_to(folder)) for path in find_tables(folder)]
        assert found == ["inner/test.csv", "sample_submission.csv"]


def test_what_may_not_be_looked_at_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").mkdir()
    for name in ("train.csv", "secret/test.csv"):
        (tmp_path / name).write_text("id\n1\n")
    of_all = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:  # roots may look everywhere
        if path.parent.name == "secret":
            raise PermissionError(13, "Permission denied", str(path))
        return of_all(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(Path, "is_file", lambda path: bool(path.stat().st_size))
    assert find_tables(tmp_path) == [tmp_path / "train.csv"]


def test_what_waits_is_not_opened(tmp_path: Path) -> None:
    for name in ("a.png", "b.zip", "description.md", "train.csv"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "c.png").write_bytes(b"1")
    unread = Unread()
    asked = entries(tmp_path, unread)
    read = {asked[place].path: content for place, content in contents(tmp_path, asked, unread)}
    assert read == {"c.png": b"1"}
    assert {found["example"] for found in unread.found} >= {"a.png", "b.zip"}
    assert find_tables(tmp_path) == []
    text, reasons = description_of(tmp_path)
    assert text == ""
    assert "description.md" in reasons[0]


def test_simple_answers_open_nothing_that_waits(tmp_path: Path) -> None:
    for folder in ("train", "train_cleaned"):
        (tmp_path / folder / "inner").mkdir(parents=True)
        for name in ("1_mask.png", "2.png", "inner/a.csv"):
            os.mkfifo(tmp_path / folder / name)
    assert masks._mask_files(tmp_path) == []
    assert pixels._pairs(tmp_path) == []
    assert list(paths._tables(tmp_path)) == []
    assert files_by_stem(tmp_path, (".png",), "train") == {}


def test_a_description_that_is_a_folder_or_missing_says_nothing(tmp_path: Path) -> None:
    assert description_of(tmp_path) == ("", [])
    (tmp_path / "description.md").mkdir()
    text, reasons = description_of(tmp_path)
    assert text == ""
    assert len(reasons) == 1


def test_where_nothing_can_be_kept_the_sample_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = _places(tmp_path, tmp_path / "file" / "scratch")
    work(places, Limits())
    assert places.submission.read_text() == SAMPLE
    journal = Journal(places.logs, Clock(places.seconds))
    try_all(places, Clock(places.seconds), journal, Submitter(places, journal))
    told = (places.logs / "journal.log").read_text()
    assert "failure: simple answers | reason NotADirectoryError" in told
    assert "end: " in told.splitlines()[-1]
